import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { newKey, newPhone, ok, otp, type Reply, refused, type Sent } from "../Client.ts"
import { codeOf, type Customer, customerWith, sentCode, simulated, wrongCode } from "../Operator.ts"
import { type Server, startServer, until } from "../Server.ts"

let server: Server
/** A messenger that takes four seconds to answer, and one that answers at once. */
let customer: Customer
beforeAll(async () => {
  server = await startServer({ env: { PEYK_LEASE_MS: "1000", PEYK_PROCESSES: "1" } })
  customer = await customerWith(server, { bale: { latency_ms: 4_000 }, eitaa: {} })
})
afterAll(() => server?.stop())

const api = () => otp(server, customer.live)

const crash = async () => {
  await server.kill()
  server = await server.restart()
}

/**
 * Two identical sends: one is accepted and calls the slow provider, the other learns at once that it is in
 * progress. When this returns, the call to the provider is under way; `answer` is what comes of it.
 */
const sendSlowly = async (body: object, key: string) => {
  const post = () => api().postSend(body, { "idempotency-key": key })
  const both: ReadonlyArray<Promise<Reply | undefined>> = [post(), post()].map((reply) =>
    reply.catch(() => undefined)
  )
  const early = await Promise.race(both)
  if (early === undefined) throw new Error("the server did not answer")
  refused(early, 409, "idempotency_key_in_progress")
  return { answer: Promise.all(both).then((replies) => replies.find((reply) => reply !== early)) }
}

describe("while the process lives", () => {
  it("a call that takes longer than the lease is not taken for a crash", async () => {
    const phone = newPhone()
    const sent = await api().sent({ phone, channels: ["bale", "eitaa"], channel_timeout: 120 })
    expect(sent.status).toBe("queued")
    expect((await api().status(sent.verification_id)).attempts).toMatchObject([
      { sequence: 1, channel: { provider: "bale" }, status: "sent", transition_reason: null }
    ])
    const messages = await simulated(server, phone)
    expect(messages.map((message) => message.channel)).toEqual(["bale"])
  })
})

describe("after kill -9 during the call to a provider", () => {
  it("the first step counts as failed and the next channel is tried exactly once", async () => {
    const key = newKey()
    const phone = newPhone()
    const body = { phone, channels: ["bale", "eitaa"], channel_timeout: 120 }
    const { answer } = await sendSlowly(body, key)
    await crash()
    expect(await answer).toBeUndefined()

    const replay = await api().replayed(body, key)
    expect(replay.headers.get("idempotency-replayed")).toBe("true")
    const { verification_id: id } = ok<Sent>(replay)

    const status = await api().attempted(id, 2, 20_000)
    expect(status).toMatchObject({
      status: "queued",
      phone,
      current_channel: { provider: "eitaa" },
      current_channel_status: "sent",
      remaining_seconds: null
    })
    expect(status.attempts).toMatchObject([
      { sequence: 1, channel: { provider: "bale" }, status: "failed" },
      { sequence: 2, channel: { provider: "eitaa" }, status: "sent" }
    ])

    expect(await api().outcome(id, await codeOf(server, phone))).toEqual({ verified: true, reason: "ok" })
    const channels = (await simulated(server, phone)).map((message) => message.channel)
    expect(channels.filter((channel) => channel === "eitaa")).toHaveLength(1)
    expect(channels.filter((channel) => channel === "bale").length).toBeLessThanOrEqual(1)
    expect((await api().status(id)).attempts).toHaveLength(2)
  }, 90_000)

  it("a route of one channel is not tried again, and its verification is not failed", async () => {
    const key = newKey()
    const phone = newPhone()
    const body = { phone, channels: "bale" }
    await sendSlowly(body, key)
    await crash()
    const { verification_id: id } = await until(
      "the send to be answered",
      async () => {
        const reply = await api().postSend(body, { "idempotency-key": key })
        return reply.status === 200 ? ok<Sent>(reply) : undefined
      },
      20_000
    )
    const status = await api().attempted(id, 1, 20_000)
    expect(status).toMatchObject({ status: "queued", attempts: [{ sequence: 1, status: "failed" }] })
    expect((await simulated(server, phone)).length).toBeLessThanOrEqual(1)
  }, 90_000)
})

describe("what was answered before kill -9", () => {
  it("is replayed after it, and no second code is sent", async () => {
    const key = newKey()
    const phone = newPhone()
    const post = () => api().postSend({ phone, channels: "eitaa" }, { "idempotency-key": key })
    const before = ok<Sent>(await post())
    await crash()
    const after = await post()
    expect(ok<Sent>(after)).toEqual(before)
    expect(after.headers.get("idempotency-replayed")).toBe("true")
    expect(await simulated(server, phone)).toHaveLength(1)
  }, 90_000)

  it("still holds: wrong codes stay counted, and verified stays verified", async () => {
    const channels = { channels: "eitaa" }
    const guessed = await sentCode(server, customer.live, channels)
    const verified = await sentCode(server, customer.live, channels)
    const waiting = await sentCode(server, customer.live, channels)
    for (let n = 1; n <= 3; n++) await api().outcome(guessed.id, wrongCode(guessed.code, n))
    expect((await api().outcome(verified.id, verified.code)).reason).toBe("ok")
    const status = await api().status(verified.id)

    await crash()
    expect(await api().status(verified.id)).toEqual(status)
    expect((await api().outcome(verified.id, verified.code)).reason).toBe("already_verified")
    expect((await api().outcome(waiting.id, waiting.code)).reason).toBe("ok")
    for (let n = 4; n <= 5; n++) {
      expect((await api().outcome(guessed.id, wrongCode(guessed.code, n))).reason).toBe("invalid_code")
    }
    expect((await api().outcome(guessed.id, guessed.code)).reason).toBe("locked")
  }, 90_000)
})

// The last test of the file: nothing runs after it.
describe("a graceful stop", () => {
  it("lets a send that is under way finish", async () => {
    const { answer } = await sendSlowly({ phone: newPhone(), channels: "bale" }, newKey())
    await server.stop()
    const reply = await answer
    if (reply === undefined) throw new Error("the connection was cut")
    expect(ok<Sent>(reply).status).toBe("queued")
  }, 60_000)
})
