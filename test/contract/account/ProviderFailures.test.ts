import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Received, Scripted } from "../../support/fakes/FakeFarEnd.ts"
import { smsirAnswer } from "../../support/fakes/FakeSmsir.ts"
import { newKey, newPhone, ok, refused, type Sent } from "../Client.ts"
import { arrived, digits, local, lostAnswer, onSends, sendsWith, workingSettings } from "../FarEnds.ts"
import { until } from "../Server.ts"
import { field, only, openProviders, otpOf, parameterOf, type ProviderWorld } from "./ProviderWorld.ts"

let world: ProviderWorld | undefined
let ends: ProviderWorld["ends"]
let codes: ProviderWorld["codes"]
let live: ProviderWorld["live"]
let over: ProviderWorld["over"]

beforeAll(async () => {
  world = await openProviders()
  ;({ ends, codes, live, over } = world)
  const { connect } = world
  const { api_key, line_number, otp_template_id } = workingSettings.smsir
  await connect("sms", "sms", "smsir", workingSettings.smsir, "--default")
  await Promise.all([
    connect("no template", "sms", "smsir", { api_key, line_number }),
    connect("no line", "sms", "smsir", { api_key, otp_template_id }),
    connect("bad key", "sms", "smsir", { ...workingSettings.smsir, api_key: "wrong-key" }, "--no-check"),
    connect("busy", "sms", "smsir", workingSettings.smsir),
    connect("busy too", "sms", "smsir", workingSettings.smsir),
    connect("bale", "bale", "bale_safir", workingSettings.bale_safir, "--default")
  ])
}, 240_000)
afterAll(() => world?.close())

const smsirRefuses = (status: number, http = 400): Scripted => smsirAnswer(status, "نشد", null, http)

describe("an account of SMS.ir that lacks a setting", () => {
  it("refuses codes without a template, and keeps nothing of the request", async () => {
    const phone = newPhone()
    const key = { "idempotency-key": newKey() }
    const reply = await codes.postSend({ phone, channels: [over("sms", "no template")] }, key)
    const { message, details } = refused(reply, 422, "sms_message_config_missing")
    expect(message).toContain("otp_template_id")
    expect(details).toMatchObject({ settings: ["otp_template_id"] })
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
    const { message, details } = refused(reply, 422, "sms_message_config_missing")
    expect(message).toContain("line_number")
    expect(details).toMatchObject({ settings: ["line_number"] })
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
