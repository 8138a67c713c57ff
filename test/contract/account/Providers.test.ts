import { persianDigits } from "../../../src/domain/text/Digits.ts"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { SAFIR_KEY, STRANGER } from "../../support/fakes/FakeBaleSafir.ts"
import { BOT_TOKENS } from "../../support/fakes/FakeBotApi.ts"
import { EITAA_TOKEN } from "../../support/fakes/FakeEitaa.ts"
import type { Received, Scripted } from "../../support/fakes/FakeFarEnd.ts"
import { RUBIKA_TOKEN } from "../../support/fakes/FakeRubika.ts"
import { SMSIR_KEY, smsirAnswer } from "../../support/fakes/FakeSmsir.ts"
import {
  messages,
  newKey,
  newPhone,
  ok,
  otp,
  refused,
  type Sent,
  type Status,
  timestamp,
  uuidV7
} from "../Client.ts"
import {
  arrived,
  BRIDGE_SECRET,
  codeIn,
  connectAccount,
  digits,
  type FarEnds,
  LINE,
  local,
  lostAnswer,
  onSends,
  openFarEnds,
  sendsOf,
  sendsWith,
  signatureOf,
  TEMPLATE,
  workingSettings
} from "../FarEnds.ts"
import { newCustomer } from "../Operator.ts"
import { freePort, type Server, startServer, until } from "../Server.ts"

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

const TIMEOUT_MS = 2_000

let server: Server
let ends: FarEnds
let codes: ReturnType<typeof otp>
let live: ReturnType<typeof messages>
/** The `credential_id` of every account; those of smsir that are not in order have names of their own. */
const ids = new Map<string, number>()
const account = (name: string) => {
  const id = ids.get(name)
  if (id === undefined) throw new Error(`no account ${name}`)
  return id
}
const over = (channel: string, name: string) => ({ channel, account_id: account(name) })
/** Goes to a gateway that nobody runs, which takes a while; made at the beginning, read in the end. */
let retried: string
/** A message that SMS.ir takes at once, and reports on later. */
let reportedLater: string

beforeAll(async () => {
  ends = await openFarEnds()
  server = await startServer({
    env: {
      ...ends.env,
      PEYK_PROVIDER_TIMEOUT_MS: String(TIMEOUT_MS),
      // Several failures in a row are wanted here.
      PEYK_COOLDOWN_FAILURES: "1000"
    }
  })
  const customer = await newCustomer(server)
  codes = otp(server, customer.live)
  live = messages(server, customer.live)
  const connect = async (
    name: string,
    channel: string,
    provider: string,
    settings: object,
    ...flags: ReadonlyArray<string>
  ) => ids.set(name, await connectAccount(server, customer.id, channel, provider, settings, ...flags))
  const { api_key, line_number, otp_template_id } = workingSettings.smsir
  const bridge = (url: string) => ({ url, secret: BRIDGE_SECRET })
  await connect("gone", "rubika", "bridge", bridge(`http://127.0.0.1:${await freePort()}/send`))
  await connect("sms", "sms", "smsir", workingSettings.smsir, "--default")
  // Over no far end that tests give answers to: it would take one of them.
  await connect("simulated", "sms", "simulator", {})
  retried = (await live.created({ channels: [over("rubika", "gone"), over("sms", "simulated")] })).message_id
  reportedLater = (await live.delivered({ channels: [over("sms", "sms")] })).message_id
  await Promise.all([
    connect("no template", "sms", "smsir", { api_key, line_number }),
    connect("no line", "sms", "smsir", { api_key, otp_template_id }),
    connect("bad key", "sms", "smsir", { ...workingSettings.smsir, api_key: "wrong-key" }, "--no-check"),
    connect("busy", "sms", "smsir", workingSettings.smsir),
    connect("busy too", "sms", "smsir", workingSettings.smsir),
    connect("bale", "bale", "bale_safir", workingSettings.bale_safir, "--default"),
    connect("eitaa", "eitaa", "bridge", bridge(`${ends.bridge.url}/send`)),
    connect("sms gateway", "sms", "bridge", bridge(`${ends.bridge.url}/send`)),
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
afterAll(async () => {
  await server?.stop()
  await ends?.close()
})

const only = <A>(all: ReadonlyArray<A>): A => {
  const [one] = all
  expect(all).toHaveLength(1)
  if (one === undefined) throw new Error("none")
  return one
}

const field = (received: Received | undefined, ...path: ReadonlyArray<string | number>): unknown =>
  path.reduce<unknown>((value, name) => Object(value)[name], received?.json)

const otpOf = (received: Received | undefined) =>
  String(field(received, "message_data", "otp_message", "otp"))
const parameterOf = (received: Received | undefined) => String(field(received, "parameters", 0, "value"))

const smsirRefuses = (status: number, http = 400): Scripted => smsirAnswer(status, "نشد", null, http)

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

describe("an account of SMS.ir that lacks a setting", () => {
  it("refuses codes without a template, and keeps nothing of the request", async () => {
    const phone = newPhone()
    const key = { "idempotency-key": newKey() }
    const reply = await codes.postSend({ phone, channels: [over("sms", "no template")] }, key)
    refused(reply, 422, "sms_message_config_missing")
    expect(sendsWith(ends.smsir, local(phone))).toEqual([])
    // The key is free: another body may use it.
    expect(ok<Sent>(await codes.postSend({ phone, channels: "sms" }, key)).status).toBe("queued")
  })

  it("sends messages without a template", async () => {
    const message = await live.delivered({ channels: [over("sms", "no template")] })
    expect(message.status).toBe("sent")
  })

  it("refuses messages without a line, and keeps nothing of the request", async () => {
    const to = newPhone()
    const key = { "idempotency-key": newKey() }
    const reply = await live.send({ to, channels: [over("sms", "no line")] }, key)
    refused(reply, 422, "sms_message_config_missing")
    expect(sendsWith(ends.smsir, local(to))).toEqual([])
    expect((await live.send({ to, channels: "sms" }, key)).status).toBe(201)
  })

  it("sends codes without a line", async () => {
    expect((await codes.sent({ channels: [over("sms", "no line")] })).status).toBe("queued")
  })
})

describe("what a provider answers", () => {
  const failed = (error_code: string, provider_error = expect.stringMatching(/./)) => ({
    status: "failed",
    error_code,
    error_message: expect.stringMatching(/./),
    provider_error
  })
  /** A message over this account of sms, and then over Bale, where it has to arrive. */
  const sendOver = async (name: string) => {
    const to = newPhone()
    const message = await live.delivered({ to, channels: [over("sms", name), "bale"] })
    expect(message).toMatchObject({ status: "sent", successful_attempts: 1, failed_attempts: 1 })
    expect(sendsWith(ends.smsir, local(to))).toHaveLength(1)
    expect(sendsWith(ends.safir, digits(to))).toHaveLength(1)
    expect(message.attempts[1]).toMatchObject({ status: "sent", channel: { provider: "bale" } })
    return message.attempts[0]
  }

  it("is provider_misconfigured when the key is wrong", async () => {
    expect(await sendOver("bad key")).toMatchObject(
      failed("provider_misconfigured", expect.stringContaining("10"))
    )
  })

  it("is provider_rate_limited when SMS.ir says so by its status", async () => {
    onSends(ends.smsir, smsirRefuses(20))
    expect(await sendOver("busy")).toMatchObject(
      failed("provider_rate_limited", expect.stringContaining("20"))
    )
  })

  it("is provider_rate_limited when a gateway says so by HTTP", async () => {
    onSends(ends.smsir, { status: 429, text: "<html>Too Many Requests</html>" })
    expect(await sendOver("busy too")).toMatchObject(
      failed("provider_rate_limited", expect.stringContaining("429"))
    )
  })

  it("is provider_outcome_unknown when SMS.ir has a problem, and is not repeated", async () => {
    onSends(ends.smsir, smsirRefuses(0, 500))
    expect(await sendOver("sms")).toMatchObject(
      failed("provider_outcome_unknown", expect.stringContaining("0"))
    )
  })

  it("is provider_outcome_unknown when SMS.ir breaks the connection, and is not repeated", async () => {
    onSends(ends.smsir, "reset")
    expect(await sendOver("sms")).toMatchObject(failed("provider_outcome_unknown"))
  })

  it("is provider_outcome_unknown when SMS.ir says nothing in time, and is not repeated", async () => {
    onSends(ends.smsir, "silence")
    expect(await sendOver("sms")).toMatchObject(failed("provider_outcome_unknown"))
  })

  it("is recipient_unreachable when the number is blacklisted", async () => {
    onSends(ends.smsir, smsirAnswer(1, "موفق", { packId: "x", messageIds: [0], cost: 0 }))
    expect(await sendOver("sms")).toMatchObject(failed("recipient_unreachable"))
  })

  it("sends a code whose SMS was lost to the next channel, and never to SMS again", async () => {
    const phone = newPhone()
    onSends(ends.smsir, "reset")
    const { verification_id: id } = await codes.sent({ phone, channels: ["sms", "bale"] })
    const status = await codes.attempted(id, 2)
    expect(status).toMatchObject({
      status: "queued",
      attempts: [
        { channel: { provider: "smsir" }, status: "failed", transition_reason: "failed" },
        { channel: { provider: "bale" }, status: "sent" }
      ]
    })
    expect(sendsWith(ends.smsir, local(phone))).toHaveLength(1)
    const code = otpOf(only(sendsWith(ends.safir, digits(phone))))
    expect(code).toBe(parameterOf(only(sendsWith(ends.smsir, local(phone)))))
  })

  it("does not fail a code that may have arrived", async () => {
    onSends(ends.smsir, lostAnswer(ends.smsir))
    const phone = newPhone()
    const sent = await codes.sent({ phone, channels: "sms" })
    expect(sent.status).toBe("queued")
    expect(await codes.status(sent.verification_id)).toMatchObject({
      status: "queued",
      current_channel_status: "failed",
      attempts: [{ sequence: 1, status: "failed" }]
    })
    const code = parameterOf(only(sendsWith(ends.smsir, local(phone))))
    expect(await codes.outcome(sent.verification_id, code)).toEqual({ verified: true, reason: "ok" })
  })
})

describe("a send to Bale's Safir whose answer is lost", () => {
  const requestId = (received: Received) => field(received, "request_id")
  const deliveredTo = (phone: string) => ends.safir.delivered.filter((one) => one.phone === digits(phone))

  it.each([["lost", "reset"] as const, ["missing", "silence"] as const])(
    "as a code: is repeated once with the same id and delivered once (%s: %s)",
    async (_, fault) => {
      const phone = newPhone()
      onSends(ends.safir, lostAnswer(ends.safir, fault))
      const sent = await codes.sent({ phone, channels: ["bale", "sms"] })
      expect(sent.status).toBe("queued")
      await arrived(ends.safir, digits(phone), 2)
      const status = await until("the repeat to be taken", async () => {
        const now = await codes.status(sent.verification_id)
        return now.attempts.some((attempt) => attempt.status === "sent") ? now : undefined
      })
      expect(status).toMatchObject({ status: "queued", current_channel_status: "sent" })
      expect(status.attempts).toMatchObject([{ sequence: 1, status: "sent", transition_reason: null }])
      const [one, two, ...more] = sendsWith(ends.safir, digits(phone))
      expect(more).toEqual([])
      expect(two?.json).toEqual(one?.json)
      expect(deliveredTo(phone)).toHaveLength(1)
      expect(sendsWith(ends.smsir, local(phone))).toEqual([])
      expect(await codes.outcome(sent.verification_id, otpOf(one))).toEqual({ verified: true, reason: "ok" })
    }
  )

  it("twice: has failed, and the code goes to the next channel", async () => {
    const phone = newPhone()
    onSends(ends.safir, "reset", "reset")
    const { verification_id: id } = await codes.sent({ phone, channels: ["bale", "sms"] })
    const status = await codes.attempted(id, 2)
    expect(status).toMatchObject({
      status: "queued",
      attempts: [
        { channel: { provider: "bale" }, status: "failed", transition_reason: "failed" },
        { channel: { provider: "smsir" }, status: "sent" }
      ]
    })
    const calls = sendsWith(ends.safir, digits(phone))
    expect(calls).toHaveLength(2)
    expect(new Set(calls.map(requestId)).size).toBe(1)
    expect(parameterOf(only(sendsWith(ends.smsir, local(phone))))).toBe(otpOf(calls[0]))
  })

  it("as a message: is repeated once with the same id and delivered once", async () => {
    const to = newPhone()
    onSends(ends.safir, lostAnswer(ends.safir))
    const message = await live.delivered({ to, channels: ["bale", "sms"] })
    expect(message).toMatchObject({ status: "sent", successful_attempts: 1 })
    const [one, two, ...more] = sendsWith(ends.safir, digits(to))
    expect(more).toEqual([])
    expect(two?.json).toEqual(one?.json)
    expect(deliveredTo(to)).toHaveLength(1)
    expect(sendsWith(ends.smsir, local(to))).toEqual([])
  })

  it("twice as a message: is unknown, and the message goes to the next route", async () => {
    const to = newPhone()
    onSends(ends.safir, "reset", "reset")
    const message = await live.delivered({ to, channels: ["bale", "sms"] })
    expect(message).toMatchObject({
      status: "sent",
      attempts: [{ status: "failed", error_code: "provider_outcome_unknown" }, { status: "sent" }]
    })
    expect(sendsWith(ends.safir, digits(to))).toHaveLength(2)
    expect(sendsWith(ends.smsir, local(to))).toHaveLength(1)
  })

  it("is another send with another id when the next code is sent", async () => {
    const phone = newPhone()
    await codes.sent({ phone, channels: "bale" })
    await codes.sent({ phone, channels: "bale" })
    const calls = sendsWith(ends.safir, digits(phone))
    expect(new Set(calls.map(requestId)).size).toBe(2)
    expect(deliveredTo(phone)).toHaveLength(2)
  })
})

describe("a bridge", () => {
  const route = () => [over("eitaa", "eitaa")]
  const idsOf = (calls: ReadonlyArray<Received>) =>
    new Set(
      calls.flatMap(({ headers, json }) => [
        headers["idempotency-key"],
        headers["webhook-id"],
        Object(json).id
      ])
    )

  it("gets a code as documented, signed", async () => {
    const phone = newPhone()
    const sent = await codes.sent({ phone, channels: route() })
    const received = only(sendsWith(ends.bridge, phone))
    const { expires_at } = await codes.status(sent.verification_id)
    const code = String(field(received, "code"))
    expect(received.json).toEqual({
      id: expect.stringMatching(/./),
      kind: "code",
      channel: "eitaa",
      phone,
      text: expect.stringContaining(persianDigits(code)),
      code,
      expires_at
    })
    expect(idsOf([received]).size).toBe(1)
    expect(received.headers["content-type"]).toMatch(/^application\/json/)
    expect(received.headers["webhook-signature"]).toBe(signatureOf(received, BRIDGE_SECRET))
    expect(await codes.outcome(sent.verification_id, code)).toEqual({ verified: true, reason: "ok" })
  })

  it("of sms gets codes and messages, and is named by its provider", async () => {
    const channels = [over("sms", "sms gateway")]
    const phone = newPhone()
    const { current_attempt_channel } = await codes.sent({ phone, channels })
    expect(current_attempt_channel).toMatchObject({ type: "sms", provider: "bridge" })
    expect((await live.delivered({ to: phone, message: "سلام", channels })).status).toBe("sent")
    const received = sendsWith(ends.bridge, phone).map(({ json }) => json)
    expect(received).toMatchObject([
      { kind: "code", channel: "sms" },
      { kind: "text", channel: "sms" }
    ])
  })

  it("gets a message as documented, signed", async () => {
    const phone = newPhone()
    expect((await live.delivered({ to: phone, message: "سلام", channels: route() })).status).toBe("sent")
    const received = only(sendsWith(ends.bridge, phone))
    expect(received.json).toEqual({
      id: expect.stringMatching(/./),
      kind: "text",
      channel: "eitaa",
      phone,
      text: "سلام"
    })
    expect(received.headers["webhook-signature"]).toBe(signatureOf(received, BRIDGE_SECRET))
  })

  it.each(["reset", "silence"] as const)(
    "that ends in %s gets the message once more with the same key, and delivers it once",
    async (fault) => {
      const phone = newPhone()
      onSends(ends.bridge, lostAnswer(ends.bridge, fault))
      const message = await live.delivered({ to: phone, channels: route() })
      expect(message).toMatchObject({ status: "sent", successful_attempts: 1, failed_attempts: 0 })
      const calls = sendsWith(ends.bridge, phone)
      expect(calls).toHaveLength(2)
      expect(idsOf(calls).size).toBe(1)
      expect(calls[1]?.body).toBe(calls[0]?.body)
      expect(sendsWith({ received: ends.bridge.delivered }, phone)).toHaveLength(1)
      for (const call of calls) {
        expect(call.headers["webhook-signature"]).toBe(signatureOf(call, BRIDGE_SECRET))
      }
    }
  )

  it("that ends in two resets is unknown, and the code goes to the next channel", async () => {
    const phone = newPhone()
    onSends(ends.bridge, "reset", "reset")
    const { verification_id: id } = await codes.sent({ phone, channels: [...route(), "sms"] })
    expect(await codes.attempted(id, 2)).toMatchObject({
      status: "queued",
      attempts: [{ status: "failed" }, { status: "sent" }]
    })
    expect(sendsWith(ends.bridge, phone)).toHaveLength(2)
  })

  it("stays unknown when the second request is not taken", async () => {
    const phone = newPhone()
    onSends(ends.bridge, "reset", { json: { status: "unavailable" } })
    const message = await live.delivered({ to: phone, channels: [...route(), "sms"] })
    expect(message).toMatchObject({
      status: "sent",
      attempts: [{ status: "failed", error_code: "provider_outcome_unknown" }, { status: "sent" }]
    })
    expect(sendsWith(ends.bridge, phone)).toHaveLength(2)
  })

  const rejections = [
    ["recipient", "recipient_unreachable"],
    ["request", "provider_rejected"],
    ["configuration", "provider_misconfigured"]
  ] as const
  it.each(rejections)("that rejects for %s is asked once, and its words are kept", async (reason, code) => {
    const phone = newPhone()
    onSends(ends.bridge, { json: { status: "rejected", reason, message: "not today" } })
    const message = await live.delivered({ to: phone, channels: [...route(), "sms"] })
    expect(message).toMatchObject({
      status: "sent",
      attempts: [
        { status: "failed", error_code: code, provider_error: expect.stringContaining("not today") },
        { status: "sent" }
      ]
    })
    expect(sendsWith(ends.bridge, phone)).toHaveLength(1)
  })

  it("that nobody runs is unavailable to a code, which goes to the next channel at once", async () => {
    const { verification_id: id } = await codes.sent({ channels: [over("rubika", "gone"), "sms"] })
    const status = await codes.attempted(id, 2)
    expect(status).toMatchObject({
      status: "queued",
      attempts: [{ channel: { provider: "rubika" }, status: "failed" }, { status: "sent" }]
    })
  })

  it("that nobody runs is tried again with pauses by a message, before the next route", async () => {
    const message = await live.completed(retried, 28_000)
    expect(message.status).toBe("sent")
    // The tries over one route are one attempt.
    expect(message.attempts).toMatchObject([
      { channel: { provider: "rubika" }, status: "failed", error_code: "provider_unavailable" },
      { channel: { provider: "simulator" }, status: "sent", error_code: null }
    ])
    const [from, to] = [message.created_at, message.completed_at ?? ""].map(
      (time) => Temporal.Instant.from(time).epochMilliseconds
    )
    expect(Number(to) - Number(from)).toBeGreaterThan(9_500)
    expect(Number(to) - Number(from)).toBeLessThan(20_000)
  })
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
