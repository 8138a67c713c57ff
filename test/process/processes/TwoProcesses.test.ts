import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { newKey, newPhone, ok, otp, type Reply, refused, request, type Sent } from "../../contract/Client.ts"
import { codeOf, customerWith, newAccount, newSecret, sentCode, simulated } from "../../contract/Operator.ts"
import { makeDataDir, type Server, startServer, until } from "../../contract/Server.ts"
import { discard, isRunning, postmasterPid } from "../store/Postgres.ts"

const env = { PEYK_LEASE_MS: "1000" }

let dataDir: string
/** Started at the same time: one of them makes the store. */
let a: Server
let b: Server
beforeAll(async () => {
  dataDir = await makeDataDir()
  const started = await Promise.allSettled([startServer({ env, dataDir }), startServer({ env, dataDir })])
  const [first, second] = started.map((start) => (start.status === "fulfilled" ? start.value : undefined))
  if (first !== undefined) a = first
  if (second !== undefined) b = second
  expect(started).toMatchObject([{ status: "fulfilled" }, { status: "fulfilled" }])
})
afterAll(async () => {
  await b?.kill()
  await a?.kill()
  await discard(dataDir)
})

const key = () => a.demo.live_key

const channelsOf = async (phone: string) => (await simulated(b, phone)).map(({ channel }) => channel)

const untilRefused = (server: Server, secret: string) =>
  until(
    "the key to be refused",
    async () => {
      const reply = await otp(server, secret).send({ channels: "sms" })
      return reply.status === 200 ? undefined : reply
    },
    10_000
  )

describe("two processes on one data directory", () => {
  it("both serve the same customers", async () => {
    expect(b.demo).toEqual(a.demo)
    await Promise.all([a, b].map((server) => sentCode(server, key())))
  })

  it("make one demo customer between them", async () => {
    expect(await a.cli("customer", "list")).toMatchObject({ data: [{ id: a.demo.customer_id }] })
  })

  it("a verification that one sent is verified by the other, and is verified for both", async () => {
    const { id, code } = await sentCode(a, key())
    expect(await otp(b, key()).outcome(id, code)).toEqual({ verified: true, reason: "ok" })
    expect((await otp(a, key()).status(id)).status).toBe("verified")
  })

  it("the right code given to both at the same time is accepted once", async () => {
    const { id, code } = await sentCode(a, key())
    const outcomes = await Promise.all(
      [a, b, a, b, a, b].map((server) => otp(server, key()).outcome(id, code))
    )
    expect(outcomes.filter(({ reason }) => reason === "ok")).toHaveLength(1)
    expect(outcomes.filter(({ reason }) => reason === "already_verified")).toHaveLength(5)
  })

  it("the next channel, asked of both at the same time from one attempt, is tried once", async () => {
    const api = otp(a, key())
    const phone = newPhone()
    const { verification_id: id } = await api.sent({ phone, channels: ["bale", "eitaa", "sms"] })
    const replies = await Promise.all(
      Array.from({ length: 50 }, (_, nth) =>
        request(nth % 2 === 0 ? a : b, "POST", `/v1/otp/${id}/next`, {
          headers: { "x-api-key": key(), "content-type": "application/json" },
          body: JSON.stringify({ from_sequence: 1 })
        })
      )
    )
    for (const reply of replies) ok(reply)
    expect(await channelsOf(phone)).toEqual(["bale", "eitaa"])
    expect((await api.status(id)).attempts).toHaveLength(2)
  })

  it("one idempotency key given to both at the same time sends once", async () => {
    const phone = newPhone()
    const idempotencyKey = newKey()
    const replies = await Promise.all(
      [a, b, a, b].map((server) =>
        otp(server, key()).postSend({ phone, channels: "sms" }, { "idempotency-key": idempotencyKey })
      )
    )
    for (const reply of replies.filter(({ status }) => status !== 200)) {
      refused(reply, 409, "idempotency_key_in_progress")
    }
    expect(replies.some(({ status }) => status === 200)).toBe(true)
    expect(await channelsOf(phone)).toEqual(["sms"])
  })

  it("a key revoked on the command line is refused by both within seconds", async () => {
    const customer = String(a.demo.customer_id)
    const made = await a.cli("key", "create", "--customer", customer, "--mode", "live")
    const { id, secret } = made as { readonly id: number; readonly secret: string }
    for (const server of [a, b]) await otp(server, secret).sent({ channels: "sms" })
    await a.cli("key", "revoke", "--key", String(id))
    for (const server of [a, b]) refused(await untilRefused(server, secret), 401, "unauthenticated")
  })

  it("an account connected on the command line is used by both within seconds", async () => {
    const customer = await customerWith(a, { bale: {} })
    for (const server of [a, b]) await otp(server, customer.live).sent({ channels: "bale" })
    await newAccount(b, customer.id, "sms")
    for (const server of [a, b]) {
      const reply = await until(
        "the new account to be used",
        async () => {
          const sent = await otp(server, customer.live).send({ channels: "sms" })
          return sent.status === 200 ? sent : undefined
        },
        10_000
      )
      const { attempts } = await otp(server, customer.live).status(ok<Sent>(reply).verification_id)
      expect(attempts).toMatchObject([{ channel: { type: "sms" }, status: "sent" }])
    }
  })

  it("one may leave and come back: the other goes on", async () => {
    const pid = await postmasterPid(dataDir)
    expect(await a.terminate()).toBe(0)
    const { id, code } = await sentCode(b, key())
    a = await a.restart()
    expect(await postmasterPid(dataDir)).toBe(pid)
    expect(await otp(a, key()).outcome(id, code)).toEqual({ verified: true, reason: "ok" })
  }, 60_000)
})

// From here on only one of them is left.
describe("when one of them is killed with -9 during the call to a provider", () => {
  it("the other takes the step over: the next channel is tried exactly once", async () => {
    const customer = await customerWith(b, { bale: { latency_ms: 4_000 }, sms: {} })
    const phone = newPhone()
    const body = { phone, channels: ["bale", "sms"], channel_timeout: 120 }
    const idempotencyKey = newKey()
    const answer: Promise<Reply | undefined> = otp(a, customer.live)
      .postSend(body, { "idempotency-key": idempotencyKey })
      .catch(() => undefined)
    // The phone has it before the provider answers.
    await until("the call to be under way", async () => (await channelsOf(phone)).at(0))
    await a.kill()
    expect(await answer).toBeUndefined()

    const api = otp(b, customer.live)
    const replay = await api.replayed(body, idempotencyKey)
    expect(replay.headers.get("idempotency-replayed")).toBe("true")
    const { verification_id: id } = ok<Sent>(replay)
    expect((await api.attempted(id, 2)).attempts).toMatchObject([
      { sequence: 1, channel: { provider: "bale" }, status: "failed" },
      { sequence: 2, channel: { type: "sms" }, status: "sent" }
    ])
    expect(await channelsOf(phone)).toEqual(["bale", "sms"])
    expect(await api.outcome(id, await codeOf(b, phone))).toEqual({ verified: true, reason: "ok" })
    expect(await channelsOf(phone)).toEqual(["bale", "sms"])
  }, 60_000)

  it("the other goes on: it sends, verifies and takes commands", async () => {
    const { id, code } = await sentCode(b, key())
    expect(await otp(b, key()).outcome(id, code)).toEqual({ verified: true, reason: "ok" })
    const secret = await newSecret(b, String(b.demo.customer_id), "live")
    await sentCode(b, secret)
  })

  it("the other takes PostgreSQL with it when it stops", async () => {
    const pid = await postmasterPid(dataDir)
    if (pid === undefined) throw new Error("there is no PostgreSQL")
    expect(isRunning(pid)).toBe(true)
    expect(await b.terminate()).toBe(0)
    expect(await postmasterPid(dataDir)).toBeUndefined()
    expect(isRunning(pid)).toBe(false)
  }, 60_000)
})
