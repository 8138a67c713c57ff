import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { newPhone, otp } from "../../contract/Client.ts"
import { codeOf, simulated } from "../../contract/Operator.ts"
import { type Server, startServer, until } from "../../contract/Server.ts"
import { programFile } from "../../support/Programs.ts"
import { discard, timersIn } from "../store/Postgres.ts"

/** All tests go on with the process that the one before left, as late as its clock is. */
let server: Server
let aheadSeconds = 0
beforeAll(async () => {
  server = await startServer()
})
afterAll(async () => {
  await server?.kill()
  if (server !== undefined) await discard(server.dataDir)
})

const api = () => otp(server, server.demo.live_key)

/** Sends over two channels or more; the first is tried at once, the next 45 seconds later. */
const send = async (...channels: ReadonlyArray<string>) => {
  const phone = newPhone()
  const { verification_id: id, expires_in } = await api().sent({ phone, channels, channel_timeout: 45 })
  expect(expires_in).toBe(300)
  expect((await api().status(id)).attempts).toHaveLength(1)
  return { id, phone }
}

/** `kill -9`, and a new process on the same data, whose clock is `seconds` later. */
const crashAndReturnAfter = async (seconds: number) => {
  await server.kill()
  aheadSeconds += seconds
  server = await startServer({
    dataDir: server.dataDir,
    command: [programFile("ServeAhead")],
    env: { PEYK_TEST_AHEAD_MS: String(aheadSeconds * 1000) }
  })
}

const channelsOf = async (phone: string) => (await simulated(server, phone)).map(({ channel }) => channel)

const untilNothingIsDue = () =>
  until("no timer to be left", async () => ((await timersIn(server.dataDir)) === 0 ? true : undefined))

const secondsBetween = (from: string | null | undefined, to: string | null | undefined) =>
  (Date.parse(to ?? "") - Date.parse(from ?? "")) / 1000

describe("kill -9 during the wait", () => {
  it("the next channel is tried once, after the restart, and never again", async () => {
    const { id, phone } = await send("bale", "sms")
    await crashAndReturnAfter(60)

    const status = await api().attempted(id, 2)
    expect(status).toMatchObject({
      status: "queued",
      current_channel: { type: "sms" },
      current_channel_status: "sent",
      remaining_seconds: null,
      attempts: [
        { sequence: 1, channel: { provider: "bale" }, status: "sent", transition_reason: "timed_out" },
        { sequence: 2, channel: { type: "sms" }, status: "sent", transition_reason: null }
      ]
    })
    const [first, second] = status.attempts
    const elapsed = secondsBetween(first?.dispatched_at, second?.dispatched_at)
    expect(elapsed).toBeGreaterThanOrEqual(60)
    expect(elapsed).toBeLessThan(180)

    const messages = await simulated(server, phone)
    expect(messages.map(({ channel }) => channel)).toEqual(["bale", "sms"])
    expect(new Set(messages.map(({ code }) => code)).size).toBe(1)

    await crashAndReturnAfter(1)
    expect((await api().status(id)).attempts).toHaveLength(2)
    await api().sent({ channels: "eitaa" })
    expect(await channelsOf(phone)).toEqual(["bale", "sms"])
    expect(await api().outcome(id, await codeOf(server, phone))).toEqual({ verified: true, reason: "ok" })
  }, 90_000)

  it("a wait that has not ended at the restart goes on, from when it began", async () => {
    const { id, phone } = await send("bale", "sms")
    const before = (await api().status(id)).remaining_seconds
    expect(before).toBeGreaterThan(30)
    await crashAndReturnAfter(20)
    const { attempts, remaining_seconds } = await api().status(id)
    expect(attempts).toHaveLength(1)
    expect(remaining_seconds).toBeGreaterThan(0)
    expect(remaining_seconds).toBeLessThanOrEqual((before ?? 0) - 20)
    expect(await channelsOf(phone)).toEqual(["bale"])
  }, 90_000)

  it("channels whose times all passed meanwhile are not tried all at once", async () => {
    const { id, phone } = await send("bale", "sms", "eitaa")
    await crashAndReturnAfter(150)
    const status = await api().attempted(id, 2)
    expect(status).toMatchObject({ status: "queued", current_channel: { type: "sms" } })
    expect(status.remaining_seconds).toBeGreaterThan(20)
    expect(status.remaining_seconds).toBeLessThanOrEqual(45)
    expect(status.attempts).toHaveLength(2)
    expect(await channelsOf(phone)).toEqual(["bale", "sms"])
  }, 90_000)

  it("after the end of validity the verification is expired, and no further channel is tried", async () => {
    const { id, phone } = await send("bale", "sms")
    const code = await codeOf(server, phone)
    await crashAndReturnAfter(400)
    await untilNothingIsDue()
    expect(await api().status(id)).toMatchObject({
      status: "expired",
      remaining_seconds: null,
      current_channel: { provider: "bale" },
      attempts: [{ sequence: 1, status: "sent" }]
    })
    expect(await api().outcome(id, code)).toEqual({
      verified: false,
      reason: "expired",
      tries_left: null
    })
    expect(await channelsOf(phone)).toEqual(["bale"])
  }, 90_000)

  it("what was verified before it is tried on no other channel", async () => {
    const verified = await send("bale", "sms")
    const waiting = await send("bale", "sms")
    await api().outcome(verified.id, await codeOf(server, verified.phone))
    await crashAndReturnAfter(60)
    // Both were due at the same time: once the one was tried, so would the other have been.
    await api().attempted(waiting.id, 2)
    expect(await api().status(verified.id)).toMatchObject({
      status: "verified",
      attempts: [{ sequence: 1 }]
    })
    await api().outcome(waiting.id, await codeOf(server, waiting.phone))
    await untilNothingIsDue()
    expect(await channelsOf(verified.phone)).toEqual(["bale"])
  }, 90_000)

  it("the idempotency key of what was sent before it replays, and sends nothing", async () => {
    const phone = newPhone()
    const post = () =>
      api().postSend({ phone, channels: ["bale", "sms"] }, { "idempotency-key": "before-the-crash" })
    const { text } = await post()
    await crashAndReturnAfter(30)
    const replay = await post()
    expect(replay.headers.get("idempotency-replayed")).toBe("true")
    expect(replay.text).toBe(text)
    expect(await channelsOf(phone)).toEqual(["bale"])
  }, 90_000)
})
