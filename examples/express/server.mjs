// npm install express ./peyk-client-*.tgz; PEYK_URL=… PEYK_API_KEY=… node server.mjs
import { createClient, PeykError } from "@peyk/client"
import express from "express"

const peyk = createClient({ baseUrl: process.env.PEYK_URL, apiKey: process.env.PEYK_API_KEY })

const app = express()
app.use(express.json())
app.get("/", (_request, response) => response.sendFile(`${import.meta.dirname}/login.html`))

app.post("/login/send", async (request, response) => {
  const { verification_id, expires_in } = await peyk.otp.send({
    phone: String(request.body?.phone),
    client: { ip: request.ip }
  })
  // The page never sees the id: a code works only in the browser that asked for it.
  response.cookie("verification", verification_id, {
    httpOnly: true,
    sameSite: "lax",
    maxAge: expires_in * 1000
  })
  response.json({ expires_in })
})

app.post("/login/verify", async (request, response) => {
  const verification_id = /\bverification=([\w-]+)/.exec(request.get("cookie") ?? "")?.[1] ?? ""
  const { verified, reason } = await peyk.otp.verify({ verification_id, code: String(request.body?.code) })
  if (!verified) return response.json({ verified, reason })
  const { phone } = await peyk.otp.status(verification_id)
  // Start your own session for this phone here.
  response.clearCookie("verification").json({ verified, phone })
})

// Not Express's own handler, which shows where the program failed.
app.use((error, _request, response, _next) => {
  if (error instanceof PeykError) {
    // Not Peyk's own response: its status would say something wrong about this page.
    const isForeign = error.code === "invalid_response" || error.status === 0
    return response.status(isForeign ? 503 : error.status).json({ error: error.code })
  }
  const status = error.status ?? 500
  if (status >= 500) console.error(error)
  response.status(status).json({ error: status < 500 ? "bad_request" : "internal_error" })
})

const server = app.listen(process.env.PORT ?? 3000, "127.0.0.1", () =>
  console.log(`Open http://127.0.0.1:${server.address().port}`)
)
