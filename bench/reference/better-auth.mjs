/**
 * better-auth's phone-number plugin, served as its documentation shows. Its limits on requests and wrong codes are off,
 * as for the other subjects. Its server API verifies a code, without a user or a session, behind a route of our own.
 * Environment: PORT, PGHOST, PGPORT, PGUSER, PGPASSWORD, PGDATABASE, POOL.
 */
import { createServer } from "node:http"
import { betterAuth } from "better-auth"
import { getMigrations } from "better-auth/db/migration"
import { toNodeHandler } from "better-auth/node"
import { phoneNumber } from "better-auth/plugins"
import { Pool } from "pg"
import { makeProviderWait } from "../ProviderDelay.ts"

const env = process.env
const address = `http://127.0.0.1:${env.PORT}`

const sent = []
const callProvider = makeProviderWait()
process.on("message", () => process.send(sent.splice(0)))
process.on("disconnect", () => process.exit())

const options = {
  database: new Pool({
    host: env.PGHOST,
    user: env.PGUSER,
    database: env.PGDATABASE,
    max: Number(env.POOL ?? 10)
  }),
  secret: "only-for-measuring-and-long-enough-0123456789",
  baseURL: address,
  trustedOrigins: [address],
  logger: { disabled: true },
  telemetry: { enabled: false },
  rateLimit: { enabled: false },
  plugins: [
    phoneNumber({
      sendOTP: ({ phoneNumber: phone, code }) => {
        sent.push({ id: phone, phone, code })
        return callProvider()
      },
      allowedAttempts: 5
    })
  ]
}
await (await getMigrations(options)).runMigrations()
const auth = betterAuth(options)
const handle = toNodeHandler(auth)

const verify = async (request) => {
  let text = ""
  for await (const chunk of request) text += chunk
  try {
    await auth.api.consumePhoneNumberOTP({ body: JSON.parse(text) })
    return [200, { verified: true }]
  } catch (error) {
    const isWrong = error.body?.code === "INVALID_OTP"
    return isWrong
      ? [200, { verified: false }]
      : [error.statusCode ?? 500, error.body ?? { message: String(error) }]
  }
}

createServer(async (request, response) => {
  if (request.url !== "/verify") return handle(request, response)
  const [status, answer] = await verify(request)
  response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(answer))
}).listen(Number(env.PORT), "127.0.0.1")
