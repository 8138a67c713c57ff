/** HTTP's own limit: reads a body and sends a fixed response. Environment: PORT. */
import { createServer } from "node:http"
import { makeProviderWait } from "../ProviderDelay.ts"

const callProvider = makeProviderWait()

const answer = JSON.stringify({
  verification_id: "01a20033-654e-7257-975c-c0634beeed39",
  status: "queued",
  current_attempt_channel: { type: "messenger", provider: "bale", credential_id: 7, label: "bale" },
  expires_in: 300
})

createServer((request, response) => {
  request.resume()
  request.on("end", async () => {
    await callProvider()
    response.writeHead(200, { "content-type": "application/json" })
    response.end(answer)
  })
}).listen(Number(process.env.PORT), "127.0.0.1")
process.on("message", () => process.send([]))
process.on("disconnect", () => process.exit())
