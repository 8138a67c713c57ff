import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted, Schema } from "effect"
import { TestClock } from "effect/testing"
import { DeliveryReport } from "../../../src/domain/ProviderOutcome.ts"
import { ProviderHttp } from "../../../src/layers/provider/ProviderHttp.ts"
import { bridgeAdapter } from "../../../src/layers/provider/adapters/Bridge.ts"
import { webhookHeaders, WebhookSecret } from "../../../src/layers/webhook/StandardWebhook.ts"
import {
  CODE,
  connected,
  delivery,
  type Expected,
  expectOutcome,
  ProviderHttpTest,
  TEXT
} from "./kit/AdapterTest.ts"
import { fakeGateway, isSigned, KEY, SECRET } from "./kit/BridgeGateway.ts"
import {
  configuration,
  type ProviderCase,
  recipient,
  request,
  throttled,
  unavailable,
  unknown
} from "./kit/ProviderCase.ts"
import { describeProvider } from "./kit/ProviderKit.ts"
import { sentJson } from "./kit/SendTests.ts"
import type { Scripted } from "../../support/fakes/FakeFarEnd.ts"

const connectTo = (http: ProviderHttp["Service"], url: string) =>
  connected(bridgeAdapter(http), { url, secret: SECRET })

const setUp = Effect.gen(function* () {
  const fake = yield* fakeGateway
  return { fake, account: connectTo(yield* ProviderHttp, `${fake.url}/send?tenant=7`) }
})

const ID = "0195f7a0-0000-7000-8000-000000000001-1"

describe("bridge: a code", () => {
  it.effect("is posted with its digits, its text and its end", () =>
    Effect.gen(function* () {
      const { fake, account } = yield* setUp
      yield* TestClock.setTime(1_773_480_600_789)
      const code = delivery("rubika", { expiresAt: 1_773_480_780_000 })
      expectOutcome(yield* account.sendCode(code), { _tag: "Accepted", messageId: "m1" })
      const [sent] = fake.received
      expect(`${sent?.method} ${sent?.path}?${sent?.query}`).toBe("POST /send?tenant=7")
      expect(sent?.json).toEqual({
        id: ID,
        kind: "code",
        channel: "rubika",
        phone: "+989123456789",
        text: "کد شما: 047113",
        code: "047113",
        expires_at: "2026-03-14T09:33:00.000Z"
      })
      expect(sent?.headers).toMatchObject({
        accept: "application/json",
        "content-type": "application/json",
        "idempotency-key": ID,
        "webhook-id": ID,
        "webhook-timestamp": "1773480600",
        "webhook-signature": expect.stringMatching(/^v1,[A-Za-z0-9+/]{43}=$/)
      })
      expect(sent?.headers["traceparent"]).toBeUndefined()
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("comes again with the same id and body, signed again", () =>
    Effect.gen(function* () {
      const { fake, account } = yield* setUp
      fake.script("reset")
      expectOutcome(yield* account.sendCode(delivery("bale")), unknown)
      yield* TestClock.adjust("3 seconds")
      expectOutcome(yield* account.sendCode(delivery("bale")), { _tag: "Accepted" })
      const [first, second] = fake.received
      expect(second?.body).toBe(first?.body)
      expect(second?.headers["idempotency-key"]).toBe(first?.headers["idempotency-key"])
      expect(fake.received.map(({ headers }) => headers["webhook-timestamp"])).toEqual(["0", "3"])
    }).pipe(Effect.provide(ProviderHttpTest))
  )
})

describe("bridge: a text", () => {
  it.effect.each(["eitaa", "bale", "soroushplus", "rubika", "telegram", "sms"] as const)(
    "is posted without a code: over %s",
    (channel) =>
      Effect.gen(function* () {
        const { fake, account } = yield* setUp
        const text = delivery(channel, { text: Redacted.make("سلام") })
        expectOutcome(yield* account.sendText(text), { _tag: "Accepted", messageId: "m1" })
        expect(fake.received[0]?.json).toEqual({
          id: ID,
          kind: "text",
          channel,
          phone: "+989123456789",
          text: "سلام"
        })
      }).pipe(Effect.provide(ProviderHttpTest))
  )
})

describe("bridge: the signature", () => {
  it.effect("does not verify with another secret, nor over a changed body, id or time", () =>
    Effect.gen(function* () {
      const { fake, account } = yield* setUp
      yield* account.sendCode(delivery("bale"))
      const [sent] = fake.received
      if (sent === undefined) return expect.fail("nothing was sent")
      const { headers, body } = sent
      const withHeader = (name: string, value: string) => ({ body, headers: { ...headers, [name]: value } })
      expect(isSigned(sent)).toBe(true)
      expect(isSigned(sent, Buffer.from("another-key-another-key-another-"))).toBe(false)
      expect(isSigned({ headers, body: body.replace("047113", "047114") })).toBe(false)
      expect(isSigned(withHeader("webhook-id", "another"))).toBe(false)
      expect(isSigned(withHeader("webhook-timestamp", "300"))).toBe(false)
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it("is the one of the standard's own example", () => {
    const secret = Schema.decodeSync(WebhookSecret)("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw")
    const message = {
      id: "msg_p5jXN8AQM9LWM0D4loKWxJek",
      sentAtMillis: 1_614_265_330_000,
      body: '{"test": 2432232314}'
    }
    expect(webhookHeaders(message, secret)).toEqual({
      "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
      "webhook-timestamp": "1614265330",
      "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE="
    })
  })

  it.effect("is the same whether the secret has its prefix or not", () =>
    Effect.gen(function* () {
      const fake = yield* fakeGateway
      const secret = KEY.toString("base64")
      const account = connected(bridgeAdapter(yield* ProviderHttp), { url: fake.url, secret })
      expectOutcome(yield* account.sendCode(delivery("bale")), { _tag: "Accepted" })
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("of a wrong secret is refused by the gateway, and the outcome unknown", () =>
    Effect.gen(function* () {
      const fake = yield* fakeGateway
      const secret = Buffer.alloc(24, "x").toString("base64")
      const account = connected(bridgeAdapter(yield* ProviderHttp), { url: fake.url, secret })
      const outcome = yield* account.sendCode(delivery("bale"))
      expectOutcome(outcome, { ...unknown, providerError: "HTTP 401" })
    }).pipe(Effect.provide(ProviderHttpTest))
  )
})

describe("bridge: an answer", () => {
  const unreadable = { ...unknown, providerError: "HTTP 200, and no answer of a bridge" }
  const answers: ReadonlyArray<readonly [unknown, Expected]> = [
    [{ status: "accepted" }, { _tag: "Accepted", messageId: null }],
    [
      { status: "accepted", message_id: "m2" },
      { _tag: "Accepted", messageId: "m2" }
    ],
    [
      { status: "accepted", message_id: 42 },
      { _tag: "Accepted", messageId: "42" }
    ],
    [
      { status: "accepted", message_id: "" },
      { _tag: "Accepted", messageId: null }
    ],
    [
      { status: "accepted", message_id: null, more: true },
      { _tag: "Accepted", messageId: null }
    ],
    [
      { status: "accepted", message_id: { id: 1 } },
      { _tag: "Accepted", messageId: null }
    ],
    [
      { status: "rejected", reason: "recipient" },
      { ...recipient, providerError: "recipient" }
    ],
    [
      { status: "rejected", reason: "recipient", message: "not a member" },
      { ...recipient, providerError: "recipient not a member" }
    ],
    [
      { status: "rejected", reason: "request", message: null },
      { ...request, providerError: "request" }
    ],
    [
      { status: "rejected", reason: "configuration", message: "no credit" },
      { ...configuration, providerError: "configuration no credit" }
    ],
    [
      { status: "throttled", retry_after: 30 },
      { ...throttled, retryAfterMillis: 30_000 }
    ],
    [
      { status: "throttled", retry_after: 0.5 },
      { ...throttled, retryAfterMillis: 500 }
    ],
    [{ status: "throttled" }, { ...throttled, retryAfterMillis: null, providerError: "throttled" }],
    [
      { status: "throttled", retry_after: null },
      { ...throttled, retryAfterMillis: null }
    ],
    [{ status: "unavailable" }, { ...unavailable, providerError: "unavailable" }],
    [{ status: "rejected" }, { ...request, providerError: "refused without a reason" }],
    [
      { status: "rejected", reason: "somebody" },
      { ...request, providerError: "somebody" }
    ],
    [
      { status: "throttled", retry_after: "soon" },
      { ...throttled, retryAfterMillis: null }
    ],
    [
      { status: "throttled", retry_after: "30" },
      { ...throttled, retryAfterMillis: 30_000 }
    ],
    [{ status: "queued" }, unreadable],
    [{ message_id: "m2" }, unreadable],
    ["accepted", unreadable]
  ]
  it.effect.each(answers)("of %j is classified", ([json, expected]) =>
    Effect.gen(function* () {
      const { fake, account } = yield* setUp
      fake.script({ json }, { json })
      expectOutcome(yield* account.sendCode(delivery("bale")), expected)
      expectOutcome(yield* account.sendText(delivery("bale")), expected)
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect.each([201, 202, 204, 400, 401, 404, 408, 409, 422, 425, 429, 500, 502, 503, 504])(
    "with HTTP %i says nothing of the message, whatever its body",
    (status) =>
      Effect.gen(function* () {
        const { fake, account } = yield* setUp
        const answer: Scripted =
          status === 204 ? { status, text: "" } : { status, json: { status: "rejected", reason: "request" } }
        fake.script(answer)
        const outcome = yield* account.sendCode(delivery("bale"))
        expectOutcome(outcome, { ...unknown, providerError: `HTTP ${status}` })
      }).pipe(Effect.provide(ProviderHttpTest))
  )
})

const sent = (json: object) =>
  sentJson(
    "POST /send",
    { id: ID, channel: "rubika", phone: "+989123456789", text: TEXT, ...json },
    { "idempotency-key": ID, "webhook-id": ID }
  )

const messenger: ProviderCase = {
  name: "bridge",
  channel: "rubika",
  fake: fakeGateway,
  adapter: bridgeAdapter,
  settings: (url) => ({ url: `${url}/send`, secret: SECRET, reports_delivery: true }),
  credentials: ["secret"],
  sends: {
    code: sent({ kind: "code", code: CODE, expires_at: "1970-01-01T00:05:00.000Z" }),
    text: sent({ kind: "text" })
  },
  unlisted: [{ json: { status: "rejected", reason: 7 } }, "request"],
  refusal: (message) => ({ json: { status: "rejected", reason: "request", message } }),
  survives: {
    "a page with 503 and Retry-After": unknown,
    "a page with 429": unknown,
    "a page with 429 and Retry-After in seconds": unknown,
    "a page with 429 and Retry-After twice": unknown,
    "a page with 429 and Retry-After as a date": unknown,
    "a page with 403": unknown,
    "a redirect, which is not followed": unknown,
    "a page with 400": unknown,
    "a page with 425": unknown
  },
  wrongSettings: [[{ url: "SECRET", secret: "SECRET" }, "url must be an http or https address"]],
  check: null,
  reports: [
    [
      "a delivery and its time",
      { json: { status: "delivered", at: "2026-03-14T09:30:05Z" } },
      DeliveryReport.Delivered({ at: 1_773_480_605_000 })
    ],
    [
      "a delivery whose time cannot be read",
      { json: { status: "delivered", at: "yesterday" } },
      DeliveryReport.Delivered({ at: null })
    ],
    [
      "a failure and its reason",
      { json: { status: "undelivered", message: "EXPIRED" } },
      DeliveryReport.Undelivered({ providerError: "EXPIRED" })
    ],
    ["a message on its way", { json: { status: "in_progress" } }, { _tag: "InProgress" }],
    ["nothing by a status that is not documented", { json: { status: "perhaps" } }, { _tag: "NotKnown" }],
    [
      "nothing by a report under HTTP 500",
      { status: 500, json: { status: "delivered" } },
      { _tag: "NotKnown" }
    ]
  ]
}

describeProvider(messenger)

describeProvider({
  ...messenger,
  name: "bridge, a call",
  channel: "voice",
  sends: {
    code: sent({ kind: "call", channel: "voice", code: CODE, expires_at: "1970-01-01T00:05:00.000Z" })
  }
})

describe("bridge: delivery reports", () => {
  it.effect("are asked for with the gateway's id of the message, signed", () =>
    Effect.gen(function* () {
      const fake = yield* fakeGateway
      const settings = { url: fake.url, secret: SECRET, reports_delivery: true }
      const { deliveryReport } = connected(bridgeAdapter(yield* ProviderHttp), settings)
      yield* deliveryReport?.("پیام 7") ?? Effect.die("it reports the delivery")
      const [asked] = fake.received
      expect(asked?.json).toEqual({
        id: "report-%D9%BE%DB%8C%D8%A7%D9%85%207",
        kind: "report",
        message_id: "پیام 7"
      })
      expect(asked === undefined ? false : isSigned(asked)).toBe(true)
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("are not asked for unless the account says so", () =>
    Effect.gen(function* () {
      const { account } = yield* setUp
      expect(account.deliveryReport).toBeNull()
      expect(account.traits.reportsDelivery).toBe(false)
    }).pipe(Effect.provide(ProviderHttpTest))
  )
})
