import { freePort } from "../../../bench/FreePort.ts"
import { persianDigits } from "../../../src/domain/text/PastedText.ts"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { Received } from "../../support/fakes/FakeFarEnd.ts"
import { newPhone } from "../Client.ts"
import { BRIDGE_SECRET, lostAnswer, onSends, sendsWith, signatureOf, workingSettings } from "../FarEnds.ts"
import { bridgeAt, field, only, openProviders, type ProviderWorld } from "./ProviderWorld.ts"

let world: ProviderWorld | undefined
let ends: ProviderWorld["ends"]
let codes: ProviderWorld["codes"]
let live: ProviderWorld["live"]
let over: ProviderWorld["over"]
/** Goes to a gateway that nobody runs, which takes a while; made at the beginning, read in the end. */
let retried: string

beforeAll(async () => {
  world = await openProviders()
  ;({ ends, codes, live, over } = world)
  const { connect } = world
  await connect("gone", "rubika", "bridge", bridgeAt(`http://127.0.0.1:${await freePort()}`))
  // Over no far end that tests give answers to: it would take one of them.
  await connect("simulated", "sms", "simulator", {})
  retried = (await live.created({ channels: [over("rubika", "gone"), over("sms", "simulated")] })).message_id
  await Promise.all([
    connect("sms", "sms", "smsir", workingSettings.smsir, "--default"),
    connect("eitaa", "eitaa", "bridge", bridgeAt(ends.bridge.url)),
    connect("sms gateway", "sms", "bridge", bridgeAt(ends.bridge.url))
  ])
}, 240_000)
afterAll(() => world?.close())

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
