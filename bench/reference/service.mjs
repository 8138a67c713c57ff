/**
 * A hand-written service: Fastify 5 and postgres.js, the same checks and the same durable work per request in the
 * fewest statements. CRASH_SAFE=1: a send is accepted, then the provider called, then the attempt recorded. Otherwise
 * the provider is called first and everything written after it. Environment: PORT, PGHOST, PGPORT, PGUSER,
 * PGPASSWORD, PGDATABASE, POOL.
 */
import { createHash, randomFillSync, randomInt } from "node:crypto"
import Fastify from "fastify"
import postgres from "postgres"
import { makeProviderWait } from "../ProviderDelay.ts"
import { ACCEPT, MESSAGE, RECORD, REPLAY, SEND, STATUS, VERIFY } from "./statements.ts"

const env = process.env
const isCrashSafe = env.CRASH_SAFE === "1"
const sql = postgres({
  host: env.PGHOST,
  user: env.PGUSER,
  database: env.PGDATABASE,
  max: Number(env.POOL ?? 10)
})
const run = (text, values) => sql.unsafe(text, values, { prepare: true })
const sha256 = (text) => createHash("sha256").update(text).digest()

const random = new Uint8Array(4096)
let drawn = random.length
const hex = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"))
const uuid7 = () => {
  if (drawn + 10 > random.length) {
    randomFillSync(random)
    drawn = 0
  }
  const time = Date.now().toString(16).padStart(12, "0")
  const b = random.subarray(drawn, (drawn += 10))
  const tail = hex[b[4]] + hex[b[5]] + hex[b[6]] + hex[b[7]] + hex[b[8]] + hex[b[9]]
  const middle = `7${hex[b[0]].slice(1)}${hex[b[1]]}-${hex[(b[2] & 0x3f) | 0x80]}${hex[b[3]]}`
  return `${time.slice(0, 8)}-${time.slice(8)}-${middle}-${tail}`
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[1-8][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/i
const PHONE = /^(?:\+98|0098|0)?(9\d{9})$/
const channel = { type: "messenger", provider: "bale", credential_id: 7, label: "bale" }
const channelJson = JSON.stringify(channel)
const pathJson = JSON.stringify([channel])

/** The provider: accepts, and remembers its codes for the verify measure. */
const sent = []
const callProvider = makeProviderWait()
const provider = (id, phone, code) => {
  sent.push({ id, phone, code })
  return callProvider()
}
process.on("message", () => process.send(sent.splice(0)))
process.on("disconnect", () => process.exit())

const perKey = new Map()
let minute = 0
const isWithinKeyLimit = (key) => {
  const now = Math.floor(Date.now() / 60_000)
  if (now !== minute) perKey.clear()
  minute = now
  const count = (perKey.get(key) ?? 0) + 1
  perKey.set(key, count)
  return count <= 1e9
}

const app = Fastify({ logger: false })
const refuse = (reply, status, code) =>
  reply.code(status).send({ error: { code, message: code, details: {} }, request_id: uuid7() })

const channelSchema = {
  type: "object",
  properties: {
    type: { type: "string" },
    provider: { type: "string" },
    credential_id: { type: ["integer", "null"] },
    label: { type: "string" }
  }
}
const answerOf = (properties) => ({ schema: { response: { 200: { type: "object", properties } } } })
const sendAnswer = answerOf({
  verification_id: { type: "string" },
  status: { type: "string" },
  current_attempt_channel: channelSchema,
  expires_in: { type: "integer" }
})
const messageAnswer = {
  schema: {
    response: {
      201: {
        type: "object",
        properties: {
          message_id: { type: "string" },
          status: { type: "string" },
          strategy: { type: "string" },
          scheduled_for: { type: ["string", "null"] },
          template: { type: ["object", "null"] },
          current_channel: channelSchema
        }
      }
    }
  }
}
const verifyAnswer = answerOf({ verified: { type: "boolean" }, reason: { type: "string" } })

const write = async ({ keyHash, idempotencyKey, requestHash, id, phone, code }) => {
  const values = [keyHash, idempotencyKey, requestHash, id, phone, sha256(`pepper${id}${code}`), pathJson]
  if (!isCrashSafe) {
    await provider(id, phone, code)
    return (await run(SEND, [...values, channelJson]))[0]
  }
  const [accepted] = await run(ACCEPT, values)
  if (accepted.done) {
    await provider(id, phone, code)
    await run(RECORD, [id, channelJson])
  }
  return accepted
}

app.get("/hello", () => ({ hello: "world" }))

app.post("/v1/otp/send", sendAnswer, async (request, reply) => {
  const { "x-api-key": key, "idempotency-key": idempotencyKey } = request.headers
  const body = request.body
  if (!key) return refuse(reply, 401, "unauthenticated")
  if (!idempotencyKey) return refuse(reply, 422, "idempotency_required")
  const match = typeof body?.phone === "string" && PHONE.exec(body.phone)
  if (!match) return refuse(reply, 422, "invalid_phone")
  if (!isWithinKeyLimit(key)) return refuse(reply, 429, "too_many_requests_api_key")
  const phone = `+98${match[1]}`
  const keyHash = sha256(key)
  const requestHash = sha256(`${phone}|${JSON.stringify(body.channels ?? null)}`)
  const id = uuid7()
  const code = String(randomInt(0, 1_000_000)).padStart(6, "0")
  const row = await write({ keyHash, idempotencyKey, requestHash, id, phone, code })
  if (row.done)
    return { verification_id: id, status: "queued", current_attempt_channel: channel, expires_in: 300 }
  if (row.account_id === null) return refuse(reply, 401, "unauthenticated")
  if (row.fresh) {
    return refuse(
      reply,
      429,
      row.hour_n > 1000 ? "too_many_requests_phone_hour" : "too_many_requests_phone_day"
    )
  }
  const [first] = await run(REPLAY, [keyHash, idempotencyKey])
  if (!first || !requestHash.equals(first.request_hash)) return refuse(reply, 409, "idempotency_key_conflict")
  reply.header("Idempotency-Replayed", "true")
  const { id: verification_id, status, path } = first
  return { verification_id, status, current_attempt_channel: path[0], expires_in: 300 }
})

// replays and the limits of messages are not measured
app.post("/v1/messages/send", messageAnswer, async (request, reply) => {
  const { "x-api-key": key, "idempotency-key": idempotencyKey } = request.headers
  const body = request.body
  if (!key) return refuse(reply, 401, "unauthenticated")
  const match = typeof body?.to === "string" && PHONE.exec(body.to)
  if (!match) return refuse(reply, 422, "invalid_phone")
  const text = typeof body.message === "string" ? body.message.trim() : ""
  if (text === "" || text.length > 1000) return refuse(reply, 422, "message_required")
  if (!isWithinKeyLimit(key)) return refuse(reply, 429, "too_many_requests_api_key")
  const phone = `+98${match[1]}`
  const requestHash = sha256(JSON.stringify(body))
  const id = uuid7()
  await callProvider()
  const [row] = await run(MESSAGE, [
    sha256(key),
    idempotencyKey ?? id,
    requestHash,
    id,
    phone,
    text,
    pathJson
  ])
  if (!row.done) return refuse(reply, 409, "idempotency_key_conflict")
  return reply.code(201).send({
    message_id: id,
    status: "queued",
    strategy: "failover",
    scheduled_for: null,
    template: null,
    current_channel: channel
  })
})

app.post("/v1/otp/verify", verifyAnswer, async (request, reply) => {
  const key = request.headers["x-api-key"]
  const body = request.body
  if (!key) return refuse(reply, 401, "unauthenticated")
  if (
    typeof body?.code !== "string" ||
    typeof body.verification_id !== "string" ||
    !UUID.test(body.verification_id)
  ) {
    return refuse(reply, 422, "validation_error")
  }
  const id = body.verification_id.toLowerCase()
  const [row] = await run(VERIFY, [sha256(key), id, sha256(`pepper${id}${body.code}`)])
  // distinguishing unknown, finished and expired is not measured
  if (!row) return refuse(reply, 404, "not_found")
  if (row.status === "verified") return { verified: true, reason: "ok" }
  return { verified: false, reason: row.status === "locked" ? "locked" : "invalid_code" }
})

app.get("/v1/otp/:id", async (request, reply) => {
  const key = request.headers["x-api-key"]
  if (!key) return refuse(reply, 401, "unauthenticated")
  if (!UUID.test(request.params.id)) return refuse(reply, 422, "validation_error")
  const [row] = await run(STATUS, [sha256(key), request.params.id])
  if (!row) return refuse(reply, 404, "not_found")
  const last = row.attempts?.at(-1)
  return {
    verification_id: row.id,
    status: row.status === "queued" && row.expires_at < new Date() ? "expired" : row.status,
    phone: row.phone,
    current_channel: last?.channel ?? null,
    current_channel_status: last?.status ?? null,
    remaining_seconds: null,
    expires_at: row.expires_at,
    verified_at: row.verified_at,
    attempts: row.attempts ?? []
  }
})

await run("select 1", [])
await app.listen({ host: "127.0.0.1", port: Number(env.PORT) })
