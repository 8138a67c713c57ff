import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { SAFIR_KEY, STRANGER } from "../../support/fakes/FakeBaleSafir.ts"
import { BOT_TOKENS } from "../../support/fakes/FakeBotApi.ts"
import { EITAA_TOKEN } from "../../support/fakes/FakeEitaa.ts"
import { RUBIKA_TOKEN } from "../../support/fakes/FakeRubika.ts"
import { SMSIR_KEY } from "../../support/fakes/FakeSmsir.ts"
import { newKey, newPhone, type Sent, type Status, timestamp, uuidV7 } from "../Client.ts"
import {
  arrived,
  codeIn,
  digits,
  LINE,
  local,
  sendsOf,
  sendsWith,
  TEMPLATE,
  workingSettings
} from "../FarEnds.ts"
import { until } from "../Server.ts"
import { field, only, openProviders, otpOf, parameterOf, type ProviderWorld } from "./ProviderWorld.ts"

/** The bots, and how each addresses a chat. */
const bots = [
  ["bale_bot", "bale", "bale"],
  ["eitaa_app", "eitaa", "eitaa"],
  ["soroushplus_bot", "soroushplus", "soroushplus"],
  ["rubika_bot", "rubika", "rubika"],
  ["telegram_bot", "telegram", "telegram"]
] as const
type Bot = (typeof bots)[number][0]
const codeBots = bots.filter(([provider]) => provider !== "telegram_bot")

const linked = newPhone()
const blocking = newPhone()
/** The chat in which a phone meets a bot; the last four digits make it the phone's own. */
const chatOf = (provider: Bot, phone: string) =>
  provider === "rubika_bot" ? `b0QFtn0C1I${phone.slice(-4)}` : `48484${phone.slice(-4)}`

let world: ProviderWorld | undefined
let ends: ProviderWorld["ends"]
let codes: ProviderWorld["codes"]
let live: ProviderWorld["live"]
let account: ProviderWorld["account"]
let over: ProviderWorld["over"]
/** A message that SMS.ir takes at once, and reports on later. */
let reportedLater: string

beforeAll(async () => {
  world = await openProviders()
  ;({ ends, codes, live, account, over } = world)
  const { connect, server } = world
  await connect("sms", "sms", "smsir", workingSettings.smsir, "--default")
  reportedLater = (await live.delivered({ channels: [over("sms", "sms")] })).message_id
  await Promise.all([
    connect("bale", "bale", "bale_safir", workingSettings.bale_safir, "--default"),
    ...bots.map(([provider, channel]) =>
      connect(
        provider,
        channel,
        provider,
        workingSettings[provider],
        ...(channel === "bale" ? [] : ["--default"])
      )
    )
  ])
  await Promise.all(
    bots.map(async ([provider]) => {
      const lines = [linked, blocking].map((phone) => `${phone},${chatOf(provider, phone)}`)
      const file = ["phone,chat_id", ...lines].join("\n")
      const given = ["contacts", "import", "--account", String(account(provider)), "--file", "-"]
      const { code, err } = await server.feed(file, ...given)
      expect(code, err).toBe(0)
    })
  )
}, 240_000)

afterAll(() => world?.close())

const phone = `+${STRANGER}`
/** The state of a code that SMS.ir sent, before its delivery report. */
let verified: Status

describe("a code over bale, eitaa and sms", () => {
  let sent: Sent

  it("goes to the first channel that takes it, and the status shows the whole way", async () => {
    const earlier = ends.eitaa.received.length
    sent = await codes.sent({ phone, channels: ["bale", "eitaa", "sms"] })
    const label = (provider: string, channel: string) => `${provider} of ${channel}`
    const bale = {
      type: "messenger",
      provider: "bale",
      credential_id: account("bale"),
      label: label("bale_safir", "bale")
    }
    const eitaa = {
      type: "messenger",
      provider: "eitaa",
      credential_id: account("eitaa_app"),
      label: label("eitaa_app", "eitaa")
    }
    const sms = {
      type: "sms",
      provider: "smsir",
      credential_id: account("sms"),
      label: label("smsir", "sms")
    }
    expect(sent).toEqual({
      verification_id: expect.stringMatching(uuidV7),
      status: "queued",
      code_length: 6,
      risk: { level: "low", reasons: [] },
      current_attempt_channel: bale,
      expires_in: 300
    })
    const status = await codes.attempted(sent.verification_id, 3)
    const dispatched_at = expect.stringMatching(timestamp)
    const unreachable = {
      status: "failed",
      dispatched_at,
      transition_reason: "failed",
      error_code: "recipient_unreachable",
      delivery: null
    }
    expect(status).toEqual({
      verification_id: sent.verification_id,
      status: "queued",
      phone,
      current_channel: sms,
      current_channel_status: "sent",
      remaining_seconds: null,
      expires_at: expect.stringMatching(timestamp),
      verified_at: null,
      attempts: [
        { ...unreachable, sequence: 1, channel: bale },
        { ...unreachable, sequence: 2, channel: eitaa },
        {
          sequence: 3,
          channel: sms,
          status: "sent",
          dispatched_at,
          transition_reason: null,
          error_code: null,
          delivery: null
        }
      ]
    })
    expect(ends.eitaa.received).toHaveLength(earlier)
  })

  it("arrives by the template of the SMS provider, and was offered to Bale as a code", () => {
    const bale = only(sendsWith(ends.safir, STRANGER))
    expect(`${bale.method} ${bale.path}`).toBe("POST /api/v3/send_message")
    expect(bale.headers).toMatchObject({
      "api-access-key": SAFIR_KEY,
      "content-type": expect.stringMatching("json")
    })
    const code = otpOf(bale)
    expect(code).toMatch(/^\d{6}$/)
    expect(bale.json).toEqual({
      request_id: expect.stringMatching(/./),
      bot_id: 1,
      phone_number: STRANGER,
      message_data: { otp_message: { otp: code } }
    })
    const sms = only(sendsWith(ends.smsir, local(phone)))
    expect(`${sms.method} ${sms.path}`).toBe("POST /v1/send/verify")
    expect(sms.headers).toMatchObject({
      "x-api-key": SMSIR_KEY,
      "content-type": expect.stringMatching("json")
    })
    expect(sms.json).toEqual({
      mobile: local(phone),
      templateId: TEMPLATE,
      parameters: [{ name: "CODE", value: code }]
    })
  })

  it("is the one that verifies", async () => {
    const code = parameterOf(only(sendsWith(ends.smsir, local(phone))))
    expect(await codes.outcome(sent.verification_id, code)).toEqual({ verified: true, reason: "ok" })
    verified = await codes.status(sent.verification_id)
    expect(verified).toMatchObject({ status: "verified", remaining_seconds: null })
    expect(verified.attempts).toHaveLength(3)
  })
})

describe("a phone that has met the bot", () => {
  it.each(codeBots)("gets a code over %s, and verifies with it", async (provider, channel, name) => {
    const chat = chatOf(provider, linked)
    const earlier = sendsWith(ends[name], chat).length
    const sent = await codes.sent({ phone: linked, channels: [over(channel, provider)] })
    expect(sent).toMatchObject({ status: "queued", current_attempt_channel: { provider: channel } })
    const received = only((await arrived(ends[name], chat, earlier + 1)).slice(earlier))
    expect(await codes.outcome(sent.verification_id, codeIn(field(received, "text")))).toEqual({
      verified: true,
      reason: "ok"
    })
  })

  const addresses: Readonly<Record<Bot, readonly [path: string, body: object]>> = {
    bale_bot: [`/bot${BOT_TOKENS.bale}/sendMessage`, {}],
    eitaa_app: ["/api/app/sendMessage", { token: EITAA_TOKEN }],
    soroushplus_bot: [`/bot${BOT_TOKENS.soroushplus}/sendMessage`, {}],
    rubika_bot: [`/v3/${RUBIKA_TOKEN}/sendMessage`, {}],
    telegram_bot: [`/bot${BOT_TOKENS.telegram}/sendMessage`, {}]
  }
  it.each(bots)("gets a message over %s, as it is", async (provider, channel, name) => {
    const text = `سلام ${newKey()} *_[`
    const message = await live.delivered({ to: linked, message: text, channels: [over(channel, provider)] })
    expect(message).toMatchObject({ status: "sent", successful_attempts: 1, failed_attempts: 0 })
    expect(message.attempts).toMatchObject([
      {
        channel: { type: "messenger", provider: channel, credential_id: account(provider) },
        status: "sent",
        error_code: null,
        error_message: null,
        provider_error: null
      }
    ])
    const [path, body] = addresses[provider]
    const received = only(sendsWith(ends[name], text))
    expect(`${received.method} ${received.path}`).toBe(`POST ${path}`)
    const { chat_id, ...rest } = Object(received.json)
    expect(rest).toEqual({ ...body, text })
    expect(String(chat_id)).toBe(chatOf(provider, linked))
  })
})

describe("a phone that no bot knows", () => {
  it("gets a code and a message over Bale's Safir", async () => {
    const phone = newPhone()
    const sent = await codes.sent({ phone, channels: "bale" })
    const code = otpOf(only(sendsWith(ends.safir, digits(phone))))
    expect(await codes.outcome(sent.verification_id, code)).toEqual({ verified: true, reason: "ok" })
    const message = await live.delivered({ to: phone, message: "سلام", channels: "bale" })
    expect(message.status).toBe("sent")
    const [, text] = sendsWith(ends.safir, digits(phone))
    expect(field(text, "message_data")).toEqual({ message: { text: "سلام" } })
  })

  it("gets a message from the account's line over SMS.ir", async () => {
    const to = newPhone()
    const message = await live.delivered({ to, message: "سلام", channels: "sms" })
    expect(message).toMatchObject({
      status: "sent",
      attempts: [{ channel: { type: "sms", provider: "smsir" }, status: "sent" }]
    })
    const received = only(sendsWith(ends.smsir, local(to)))
    expect(received.path).toBe("/v1/send/bulk")
    expect(received.json).toMatchObject({ lineNumber: LINE, messageText: "سلام", mobiles: [local(to)] })
  })

  it.each(bots)("is unreachable over %s, which is not called", async (provider, channel, name) => {
    const earlier = sendsOf(ends[name]).length
    const message = await live.delivered({ channels: [over(channel, provider)] })
    expect(message).toMatchObject({ status: "failed", successful_attempts: 0, failed_attempts: 1 })
    expect(message.attempts).toMatchObject([
      {
        status: "failed",
        error_code: "recipient_unreachable",
        error_message: expect.stringMatching(/./),
        provider_error: expect.stringMatching(/./)
      }
    ])
    expect(sendsOf(ends[name])).toHaveLength(earlier)
  })

  it("fails a code whose only channel is a bot", async () => {
    const sent = await codes.sent({ channels: "rubika" })
    expect(sent.status).toBe("failed")
    expect(await codes.status(sent.verification_id)).toMatchObject({
      status: "failed",
      attempts: [{ sequence: 1, status: "failed" }]
    })
  })
})

describe("a phone that has blocked the bot", () => {
  it.each(["bale", "soroushplus", "telegram"] as const)(
    "is unreachable over %s, and not called the next time",
    async (channel) => {
      const provider = `${channel}_bot` as const
      const chat = chatOf(provider, blocking)
      const send = () => live.delivered({ to: blocking, channels: [over(channel, provider)] })
      ends[channel].block(chat)
      const first = await send()
      expect(first).toMatchObject({
        status: "failed",
        attempts: [
          { error_code: "recipient_unreachable", provider_error: expect.stringContaining("blocked") }
        ]
      })
      expect(sendsWith(ends[channel], chat)).toHaveLength(1)
      expect(await send()).toMatchObject({
        status: "failed",
        attempts: [{ error_code: "recipient_unreachable" }]
      })
      expect(sendsWith(ends[channel], chat)).toHaveLength(1)
    }
  )
})

describe("a delivery report of SMS.ir", () => {
  it("is shown as the attempt's delivery, and changes nothing else in the status", async () => {
    const sms = verified.attempts.at(-1)
    expect(sms).toMatchObject({ channel: { provider: "smsir" }, status: "sent" })
    const reported = await until(
      "the delivery of the first SMS to be reported",
      async () => {
        const status = await codes.status(verified.verification_id)
        return status.attempts.at(-1)?.delivery === null ? undefined : status
      },
      25_000
    )
    const attempts = verified.attempts.map((attempt) => ({
      ...attempt,
      delivery: attempt === sms ? "delivered" : null
    }))
    expect(reported).toEqual({ ...verified, attempts })
    expect((await live.status(reportedLater)).status).toBe("sent")
  }, 40_000)
})
