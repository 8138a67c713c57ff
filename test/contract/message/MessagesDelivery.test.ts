import { beforeAll, describe, expect, it } from "vitest"
import { type MessageStatus, messages, newPhone, timestamp } from "../Client.ts"
import { type AccountOptions, newAccount, simulated } from "../Operator.ts"
import { type SharedServer, sharedServerWithDemo } from "../SharedServer.ts"

/** Each channel's outcome and what it is called in an attempt. */
const failures = [
  ["rejected", "bale", "provider_rejected"],
  ["unreachable", "eitaa", "recipient_unreachable"],
  ["throttled", "rubika", "provider_rate_limited"],
  ["unknown", "telegram", "provider_outcome_unknown"]
] as const

let server: SharedServer
/** In addition to its working accounts, the customer has one with each of these outcomes. */
let live: ReturnType<typeof messages>
const accounts = { bale: 0, eitaa: 0, rubika: 0, telegram: 0, soroushplus: 0, sms: 0 }
/** The route over the customer's failing account of the channel; over the slow one of sms. */
const bad = (channel: keyof typeof accounts) => ({ channel, account_id: accounts[channel] })
/** Goes to an unavailable route first, which takes a while; made at the beginning, read in the end. */
let retried: { readonly id: string; readonly phone: string }
beforeAll(async () => {
  server = await sharedServerWithDemo()
  live = messages(server, server.demo.live_key)
  const connect = async (channel: keyof typeof accounts, settings: AccountOptions["settings"] = {}) => {
    accounts[channel] = await newAccount(server, String(server.demo.customer_id), channel, { settings })
  }
  await connect("soroushplus", { outcome: "unavailable" })
  const phone = newPhone()
  const { message_id: id } = await live.created({ to: phone, channels: [bad("soroushplus"), "sms"] })
  retried = { id, phone }
  await Promise.all([
    ...failures.map(([outcome, channel]) => connect(channel, { outcome })),
    connect("sms", { latency_ms: 1_500 })
  ])
})

const channelsOf = async (phone: string) => (await simulated(server, phone)).map(({ channel }) => channel)
const epoch = (time: string | null | undefined) => Temporal.Instant.from(time ?? "null").epochMilliseconds

const failed = (sequence: number, channel: object, error_code: string) => ({
  sequence,
  channel: expect.objectContaining(channel),
  status: "failed",
  error_code,
  error_message: expect.stringMatching(/./),
  provider_error: expect.stringMatching(/./),
  due_at: expect.stringMatching(timestamp),
  attempted_at: expect.stringMatching(timestamp),
  finished_at: expect.stringMatching(timestamp)
})

const sent = (sequence: number, channel: object) => ({
  ...failed(sequence, channel, ""),
  status: "sent",
  error_code: null,
  error_message: null,
  provider_error: null
})

const sms = { type: "sms", provider: "simulator" }
const messenger = (provider: string) => ({ type: "messenger", provider })

/** The times of a message that is over are all there and in order. */
const expectOrderedTimes = ({ created_at, completed_at, attempts }: MessageStatus) => {
  const times = attempts.flatMap(({ due_at, attempted_at, finished_at }) => [
    due_at,
    attempted_at,
    finished_at
  ])
  const all = [created_at, ...times, completed_at]
  for (const time of all) expect(time).toMatch(timestamp)
  expect(all.map(epoch)).toEqual(all.map(epoch).toSorted((a, b) => a - b))
}

describe("failover", () => {
  it("stops at the first success", async () => {
    const phone = newPhone()
    const message = await live.delivered({ to: phone, channels: ["eitaa", "sms", "bale"] })
    expect(message).toMatchObject({ status: "sent", successful_attempts: 1, failed_attempts: 0 })
    expect(message.attempts).toEqual([sent(1, messenger("eitaa"))])
    expect(await channelsOf(phone)).toEqual(["eitaa"])
  })

  it.each(failures)("moves on at once when the outcome is %s", async (_, channel, code) => {
    const phone = newPhone()
    const message = await live.delivered({ to: phone, channels: [bad(channel), "sms"] })
    expect(message).toMatchObject({ status: "sent", successful_attempts: 1, failed_attempts: 1 })
    expect(message.attempts).toEqual([failed(1, messenger(channel), code), sent(2, sms)])
    const [one, two] = message.attempts
    expect(two?.due_at).toBe(one?.finished_at)
    const received = await channelsOf(phone)
    expect(received.filter((one) => one === "sms")).toHaveLength(1)
    // The result of an unknown attempt is unknown, but there is never more than one.
    expect(received.filter((one) => one === channel).length).toBeLessThanOrEqual(
      code.endsWith("unknown") ? 1 : 0
    )
    expectOrderedTimes(message)
  })

  it("fails when every route fails", async () => {
    const message = await live.delivered({ channels: [bad("bale"), bad("telegram"), bad("eitaa")] })
    expect(message).toMatchObject({ status: "failed", successful_attempts: 0, failed_attempts: 3 })
    expect(message.attempts).toEqual([
      failed(1, messenger("bale"), "provider_rejected"),
      failed(2, messenger("telegram"), "provider_outcome_unknown"),
      failed(3, messenger("eitaa"), "recipient_unreachable")
    ])
    expectOrderedTimes(message)
  })

  it("fails when its only route fails", async () => {
    const message = await live.delivered({ channels: [bad("eitaa")] })
    expect(message).toMatchObject({ status: "failed", successful_attempts: 0, failed_attempts: 1 })
  })

  it("is sending while the provider is called", async () => {
    const { message_id } = await live.created({ channels: [bad("sms"), "bale"] })
    const sending = await live.reached(message_id, "begun", ({ status }) => status !== "queued")
    expect(sending).toMatchObject({
      status: "sending",
      successful_attempts: 0,
      failed_attempts: 0,
      completed_at: null
    })
    expect(sending.attempts).toEqual([{ ...sent(1, sms), status: "sending", finished_at: null }])
    const message = await live.completed(message_id)
    expect(message.status).toBe("sent")
    const [attempt] = message.attempts
    expect(epoch(attempt?.finished_at) - epoch(attempt?.attempted_at)).toBeGreaterThanOrEqual(1_400)
  })
})

describe("broadcast", () => {
  const broadcast = { strategy: "broadcast" }

  it("sends through every channel, and is sent when all succeed", async () => {
    const phone = newPhone()
    const channels = ["soroushplus", "rubika", "telegram"]
    const message = await live.delivered({ ...broadcast, to: phone, channels })
    expect(message).toMatchObject({ status: "sent", successful_attempts: 3, failed_attempts: 0 })
    expect(message.attempts).toEqual(channels.map((channel, at) => sent(at + 1, messenger(channel))))
    expect((await channelsOf(phone)).toSorted()).toEqual(channels.toSorted())
  })

  it("is partial_failed when some succeed and some fail", async () => {
    const phone = newPhone()
    const channels = [bad("bale"), "sms", bad("eitaa")]
    const message = await live.delivered({ ...broadcast, to: phone, channels })
    expect(message).toMatchObject({ status: "partial_failed", successful_attempts: 1, failed_attempts: 2 })
    expect(message.attempts).toEqual([
      failed(1, messenger("bale"), "provider_rejected"),
      sent(2, sms),
      failed(3, messenger("eitaa"), "recipient_unreachable")
    ])
    expect(message.completed_at).toMatch(timestamp)
    expect(await channelsOf(phone)).toEqual(["sms"])
  })

  it("is failed when all fail", async () => {
    const message = await live.delivered({ ...broadcast, channels: [bad("telegram"), bad("bale")] })
    expect(message).toMatchObject({ status: "failed", successful_attempts: 0, failed_attempts: 2 })
    expect(message.attempts).toEqual([
      failed(1, messenger("telegram"), "provider_outcome_unknown"),
      failed(2, messenger("bale"), "provider_rejected")
    ])
  })

  it("is sending until its slowest route is over, and does not let the others wait for it", async () => {
    const { message_id } = await live.created({ ...broadcast, channels: [bad("sms"), "bale"] })
    const sending = await live.reached(message_id, "half sent", (now) => now.successful_attempts > 0)
    expect(sending).toMatchObject({ status: "sending", successful_attempts: 1, completed_at: null })
    expect(sending.attempts.find(({ channel }) => channel.type === "messenger")?.status).toBe("sent")
    expect(await live.completed(message_id)).toMatchObject({ status: "sent", successful_attempts: 2 })
  })

  it("to one channel is like failover", async () => {
    const message = await live.delivered({ ...broadcast, channels: "bale" })
    expect(message).toMatchObject({ status: "sent", strategy: "broadcast", successful_attempts: 1 })
  })
})

describe("a message that is over", () => {
  it("is listed with its times in order", async () => {
    expectOrderedTimes(await live.delivered({ channels: "sms" }))
  })

  it("stays as it is", async () => {
    const message = await live.delivered({ channels: "eitaa" })
    expect(await live.status(message.message_id)).toEqual(message)
  })
})

describe("an unavailable route", () => {
  it("moves to the next route only after it was tried again with pauses", async () => {
    const message = await live.completed(retried.id, 28_000)
    expect(message).toMatchObject({ status: "sent", successful_attempts: 1 })
    expect(message.attempts.at(-1)).toEqual(sent(message.attempts.length, sms))
    const earlier = message.attempts.slice(0, -1)
    expect(earlier).toEqual(
      earlier.map((_, at) => failed(at + 1, messenger("soroushplus"), "provider_unavailable"))
    )
    expect(earlier.length).toBeGreaterThan(0)
    expect(message.failed_attempts).toBe(earlier.length)
    expect(epoch(message.completed_at) - epoch(message.created_at)).toBeGreaterThan(2_000)
    expect(await channelsOf(retried.phone)).toEqual(["sms"])
  })
})
