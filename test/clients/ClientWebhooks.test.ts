// @effect-diagnostics globalDate:off
import { Webhook } from "standardwebhooks"
import { describe, expect, expectTypeOf, it } from "vitest"
import {
  verifyWebhook,
  type WebhookEvent,
  WebhookVerificationError
} from "../../packages/client/src/index.ts"
import type { TEST_EVENT, WebhookEventType } from "../../src/domain/Webhook.ts"

describe("a webhook", () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`
  const event = { type: "verification.verified", mode: "live", timestamp: "t", data: {} }
  const payload = JSON.stringify(event)
  const signed = (at: Date, text = payload) => ({
    "webhook-id": "msg_1",
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": new Webhook(secret).sign("msg_1", at, text)
  })
  const now = () => new Date(performance.timeOrigin + performance.now())

  it("has a type for each event that Peyk posts", () => {
    expectTypeOf<WebhookEvent["type"]>().toEqualTypeOf<typeof WebhookEventType.Type | typeof TEST_EVENT>()
  })

  it("returns the event of a request that is signed, with headers in any case", async () => {
    expect(await verifyWebhook({ payload, headers: signed(now()), secret })).toEqual(event)
    const upper = Object.fromEntries(
      Object.entries(signed(now())).map(([name, value]) => [name.toUpperCase(), value])
    )
    for (const each of [
      { payload: Buffer.from(payload), headers: upper },
      { payload, headers: new Headers(signed(now())) }
    ]) {
      expect(await verifyWebhook({ ...each, secret })).toEqual(event)
    }
  })

  it("takes each header from a list of one, as some frameworks pass it", async () => {
    const headers = Object.fromEntries(
      Object.entries(signed(now())).map(([name, value]) => [name, [value]] as const)
    )
    expect(await verifyWebhook({ payload, headers, secret })).toEqual(event)
  })

  it("refuses a header that came twice", async () => {
    const headers = signed(now())
    const twice = { ...headers, "webhook-id": [headers["webhook-id"], "msg_2"] }
    await expect(verifyWebhook({ payload, headers: twice, secret })).rejects.toThrow(WebhookVerificationError)
  })

  it.each([
    ["bytes", Buffer.from(`\uFEFF${payload}`)],
    ["text", `\uFEFF${payload}`]
  ])("returns the event of %s that begin with a byte order mark", async (_, marked) => {
    const headers = signed(now(), `\uFEFF${payload}`)
    expect(await verifyWebhook({ payload: marked, headers, secret })).toMatchObject({
      type: "verification.verified"
    })
  })

  it.each([
    ["a body that a framework parsed", { payload: JSON.parse(payload) as string }, /payload .* not parsed/],
    ["no body", { payload: undefined as unknown as string }, /payload .* not parsed/],
    ["a secret that is not set", { secret: undefined as unknown as string }, /secret is not the whsec_/]
  ])("refuses %s with an error that says so", async (_, change, message) => {
    const verified = verifyWebhook({ payload, headers: signed(now()), secret, ...change })
    await expect(verified).rejects.toThrow(TypeError)
    await expect(verified).rejects.toThrow(message)
  })

  it("accepts one of two signatures, while a secret is replaced", async () => {
    const headers = signed(now())
    const both = { ...headers, "webhook-signature": `v1,${"A".repeat(44)} ${headers["webhook-signature"]}` }
    expect(await verifyWebhook({ payload, headers: both, secret })).toEqual(event)
  })

  it.each([
    ["another body", { payload: `${payload} ` }],
    ["another secret", { secret: `whsec_${Buffer.alloc(32, 8).toString("base64")}` }],
    ["no signature", { headers: { ...signed(now()), "webhook-signature": "" } }],
    ["a signature that is no base64", { headers: { ...signed(now()), "webhook-signature": "v1,%%%" } }],
    ["a time long ago", { headers: signed(new Date(now().getTime() - 301_000)) }],
    ["a time to come", { headers: signed(new Date(now().getTime() + 310_000)) }]
  ])("refuses %s", async (_, change) => {
    await expect(verifyWebhook({ payload, headers: signed(now()), secret, ...change })).rejects.toThrow(
      WebhookVerificationError
    )
  })
})
