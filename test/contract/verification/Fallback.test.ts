import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { newPhone, otp, timestamp } from "../Client.ts"
import { codeOf, type Customer, customerWith, simulated } from "../Operator.ts"
import { type Server, startServer } from "../Server.ts"

const definite = {
  bale: { outcome: "rejected" },
  eitaa: { outcome: "unreachable" },
  rubika: { outcome: "throttled" },
  soroushplus: { outcome: "unavailable" }
}
const codeOfOutcome: Readonly<Record<string, string>> = {
  rejected: "provider_rejected",
  unreachable: "recipient_unreachable",
  throttled: "provider_rate_limited",
  unavailable: "provider_unavailable"
}
const outcomes = Object.entries(definite).map(([channel, { outcome }]): [string, string] => [
  outcome,
  channel
])

let server: Server
/** Every messenger fails definitely, sms works. */
let failing: Customer
/** The same accounts again, because some of them begin a cooldown after a failure. */
let lonely: Customer
/** bale and rubika leave the outcome open (rubika by being too slow), eitaa fails, sms works. */
let unclear: Customer
beforeAll(async () => {
  server = await startServer({ env: { PEYK_PROVIDER_TIMEOUT_MS: "1500" } })
  failing = await customerWith(server, { ...definite, sms: { outcome: "accepted" } })
  lonely = await customerWith(server, definite)
  unclear = await customerWith(server, {
    bale: { outcome: "unknown" },
    rubika: { latency_ms: 120_000 },
    eitaa: { outcome: "rejected" },
    sms: {}
  })
})
afterAll(() => server?.stop())

describe("a definite failure", () => {
  it.each(outcomes)("(%s) moves on to the next channel at once, and says why", async (outcome, channel) => {
    const api = otp(server, failing.live)
    const phone = newPhone()
    const sent = await api.sent({ phone, channels: [channel, "sms"], channel_timeout: 120 })
    expect(sent).toMatchObject({ status: "queued", current_attempt_channel: { provider: channel } })
    const status = await api.attempted(sent.verification_id, 2, 10_000)
    expect(status).toMatchObject({
      status: "queued",
      current_channel: { type: "sms" },
      current_channel_status: "sent",
      remaining_seconds: null
    })
    expect(status.attempts).toEqual([
      {
        sequence: 1,
        channel: sent.current_attempt_channel,
        status: "failed",
        dispatched_at: expect.stringMatching(timestamp),
        transition_reason: "failed",
        error_code: codeOfOutcome[outcome],
        delivery: null
      },
      {
        sequence: 2,
        channel: status.current_channel,
        status: "sent",
        dispatched_at: expect.stringMatching(timestamp),
        transition_reason: null,
        error_code: null,
        delivery: null
      }
    ])
    const messages = await simulated(server, phone)
    expect(messages.map((message) => message.channel)).toEqual(["sms"])
    expect(await api.outcome(sent.verification_id, await codeOf(server, phone))).toEqual({
      verified: true,
      reason: "ok"
    })
  })

  it.each(outcomes)("(%s) of the only channel makes the verification failed", async (_, channel) => {
    const api = otp(server, lonely.live)
    const sent = await api.sent({ channels: channel })
    expect(sent).toMatchObject({ status: "failed", current_attempt_channel: { provider: channel } })
    expect(await api.status(sent.verification_id)).toMatchObject({
      status: "failed",
      current_channel: sent.current_attempt_channel,
      current_channel_status: "failed",
      remaining_seconds: null,
      verified_at: null,
      attempts: [{ sequence: 1, status: "failed", transition_reason: null }]
    })
  })

  it("of every channel makes the verification failed, and it stays so", async () => {
    const api = otp(server, failing.live)
    const sent = await api.sent({ channels: ["bale", "eitaa"] })
    const status = await api.attempted(sent.verification_id, 2, 10_000)
    expect(status).toMatchObject({
      status: "failed",
      current_channel: { provider: "eitaa" },
      current_channel_status: "failed",
      remaining_seconds: null,
      attempts: [
        { sequence: 1, status: "failed", transition_reason: "failed" },
        { sequence: 2, status: "failed", transition_reason: null }
      ]
    })
    expect(await api.outcome(sent.verification_id, "123456")).toEqual({
      verified: false,
      reason: "failed",
      tries_left: null
    })
    expect((await api.status(sent.verification_id)).status).toBe("failed")
  })
})

describe("an attempt that was sent", () => {
  it("waits for its time before the next channel is tried", async () => {
    const api = otp(server, failing.live)
    const phone = newPhone()
    const sent = await api.sent({ phone, channels: ["sms", "bale"], channel_timeout: 45 })
    const { attempts, remaining_seconds } = await api.status(sent.verification_id)
    expect(attempts).toHaveLength(1)
    expect(remaining_seconds).toBeGreaterThan(30)
  })

  it("is followed by no other channel once the code was verified", async () => {
    const api = otp(server, failing.live)
    const phone = newPhone()
    const sent = await api.sent({ phone, channels: ["sms", "bale"] })
    await api.outcome(sent.verification_id, await codeOf(server, phone))
    expect(await api.status(sent.verification_id)).toMatchObject({
      status: "verified",
      remaining_seconds: null
    })
  })
})

describe("an unknown outcome", () => {
  it("is a failed attempt, but does not make the verification failed", async () => {
    const api = otp(server, unclear.live)
    const sent = await api.sent({ channels: "bale" })
    expect(sent.status).toBe("queued")
    expect(await api.status(sent.verification_id)).toMatchObject({
      status: "queued",
      current_channel_status: "failed",
      remaining_seconds: null,
      attempts: [{ sequence: 1, status: "failed" }]
    })
    const { reason } = await api.outcome(sent.verification_id, "1")
    expect(reason).toBe("invalid_code")
  })

  it("lets the route go on to the next channel", async () => {
    const api = otp(server, unclear.live)
    const phone = newPhone()
    const sent = await api.sent({ phone, channels: ["bale", "sms"] })
    const status = await api.attempted(sent.verification_id, 2, 10_000)
    expect(status).toMatchObject({
      status: "queued",
      current_channel: { type: "sms" },
      attempts: [
        { sequence: 1, channel: { provider: "bale" }, status: "failed" },
        { sequence: 2, channel: { type: "sms" }, status: "sent" }
      ]
    })
  })

  it("keeps the verification queued also when every later channel definitely fails", async () => {
    const api = otp(server, unclear.live)
    const sent = await api.sent({ channels: ["bale", "eitaa"] })
    const status = await api.attempted(sent.verification_id, 2, 10_000)
    expect(status).toMatchObject({
      status: "queued",
      current_channel_status: "failed",
      remaining_seconds: null
    })
  })

  it("is what a provider leaves that does not answer in time: send does not wait for it", async () => {
    const api = otp(server, unclear.live)
    // The provider takes four times as long as this test may.
    const sent = await api.sent({ channels: ["rubika", "sms"] })
    const status = await api.attempted(sent.verification_id, 2, 10_000)
    expect(status.status).toBe("queued")
    expect(status.attempts).toMatchObject([
      { sequence: 1, channel: { provider: "rubika" }, status: "failed" },
      { sequence: 2, channel: { type: "sms" }, status: "sent" }
    ])
  })
})
