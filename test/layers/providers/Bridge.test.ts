import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted, Result, Schema } from "effect"
import { TestClock } from "effect/testing"
import { createHmac } from "node:crypto"
import type * as dns from "node:dns"
import { vi } from "vitest"
import { DeliveryReport } from "../../../src/domain/account/DeliveryReport.ts"
import { bridgeAdapter } from "../../../src/layers/providers/BridgeAdapter.ts"
import { ProviderHttp, type ProviderRequest } from "../../../src/layers/providers/ProviderHttp.ts"
import { webhookHeaders, WebhookSecret } from "../../../src/layers/providers/StandardWebhook.ts"
import {
  CODE,
  connected,
  delivery,
  type Expected,
  expectOutcome,
  ProviderHttpTest,
  TEXT
} from "./kit/AdapterTest.ts"
import { fakeFarEnd, type Received, type Scripted } from "../../support/fakes/FakeFarEnd.ts"
import { configuration, recipient, request, throttled, unavailable, unknown } from "./kit/ProviderCase.ts"
import { describeProvider } from "./kit/ProviderKit.ts"
import { sentJson } from "./kit/SendTests.ts"

// To us every name stands for a private address.
vi.mock("../../../src/layers/network/NameResolution.ts", () => ({
  resolveName: (
    _name: string,
    _families: unknown,
    found: (error: null, addresses: ReadonlyArray<dns.LookupAddress>) => void
  ) => found(null, [{ address: "127.0.0.1", family: 4 }])
}))

const KEY = Buffer.from("0123456789abcdef0123456789abcdef")
const SECRET = `whsec_${KEY.toString("base64")}`

/** As a receiver does by the standard: over the bytes that came. */
const isSigned = ({ headers, body }: Pick<Received, "headers" | "body">, key = KEY): boolean => {
  const signed = `${headers["webhook-id"]}.${headers["webhook-timestamp"]}.${body}`
  const expected = createHmac("sha256", key).update(signed).digest("base64")
  return headers["webhook-signature"] === `v1,${expected}`
}

const isReport = ({ json }: Received): boolean => Object(json)["kind"] === "report"

const fakeGateway = fakeFarEnd((received) => {
  if (!isSigned(received)) return { status: 401, json: { error: "not signed" } }
  return { json: isReport(received) ? { status: "delivered" } : { status: "accepted", message_id: "m1" } }
})

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
    [{ status: "rejected" }, unreadable],
    [{ status: "rejected", reason: "somebody" }, unreadable],
    [{ status: "throttled", retry_after: "soon" }, unreadable],
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

describeProvider({
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
  refusal: (message) => ({ json: { status: "rejected", reason: "request", message } }),
  survives: {
    "a page with 503 and Retry-After": unknown,
    "a page with 429": unknown,
    "a page with 429 and Retry-After in seconds": unknown,
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

describe("bridge: the account", () => {
  const unused: ProviderHttp["Service"] = { call: () => Effect.die("nothing is sent here") }
  const problemOf = (settings: unknown, allowsPrivateAddresses = true) =>
    Result.getOrThrow(Result.flip(bridgeAdapter(unused).connect(settings, { allowsPrivateAddresses })))
      .message

  const url = "https://gateway.example.com/send"
  const wrongUrl = "url must be an http or https address of at most 2048 characters"
  const wrongSecret = "secret must be 24 to 64 bytes in base64"
  const base64 = (bytes: number) => Buffer.alloc(bytes, "SECRET").toString("base64")
  const wrong: ReadonlyArray<readonly [string, unknown, string]> = [
    ["nothing", {}, "url is missing; secret is missing"],
    ["no secret", { url }, "secret is missing"],
    ["another setting", { url, secret: SECRET, token: "SECRET" }, "token is not a setting of this provider"],
    ["an address without a scheme", { url: "SECRET.example.com", secret: SECRET }, wrongUrl],
    ["a relative address", { url: "/SECRET", secret: SECRET }, wrongUrl],
    ["an ftp address", { url: "ftp://SECRET.example.com", secret: SECRET }, wrongUrl],
    ["a javascript address", { url: "javascript:SECRET", secret: SECRET }, wrongUrl],
    ["a user name", { url: "https://SECRET@example.com", secret: SECRET }, wrongUrl],
    ["a password", { url: "https://:SECRET@example.com", secret: SECRET }, wrongUrl],
    ["a fragment", { url: `${url}#SECRET`, secret: SECRET }, wrongUrl],
    ["an empty fragment", { url: `${url}#`, secret: SECRET }, wrongUrl],
    ["an address of 2049 characters", { url: url.padEnd(2049, "x"), secret: SECRET }, wrongUrl],
    ["an address that is no text", { url: 42, secret: SECRET }, "url"],
    [
      "a secret that is not base64",
      { url, secret: "SECRET-SECRET-SECRET-SECRET-SECRET-SECRET" },
      wrongSecret
    ],
    ["a secret with a space", { url, secret: `${base64(32)} ` }, wrongSecret],
    ["a secret without padding", { url, secret: base64(32).replace("=", "") }, wrongSecret],
    ["a secret of 23 bytes", { url, secret: `whsec_${base64(23)}` }, wrongSecret],
    ["a secret of 65 bytes", { url, secret: `whsec_${base64(65)}` }, wrongSecret],
    ["an empty secret", { url, secret: "whsec_" }, wrongSecret],
    ["two mistakes", { url: "SECRET", secret: "SECRET" }, `${wrongUrl}`]
  ]
  it.each(wrong)("is refused with %s, in words that repeat no value", (_, given, message) => {
    const problem = problemOf(given)
    expect(problem).toContain(message)
    expect(problem).not.toContain("SECRET")
    // The first characters of the given secrets.
    expect(problem).not.toContain(base64(24).slice(0, 8))
  })

  const good: ReadonlyArray<readonly [string, unknown]> = [
    ["a secret of 24 bytes", { url, secret: `whsec_${base64(24)}` }],
    ["a secret of 64 bytes", { url, secret: base64(64) }],
    ["an address of 2048 characters", { url: url.padEnd(2048, "x"), secret: SECRET }],
    ["plain http in a private network", { url: "http://10.0.0.7:8090/send", secret: SECRET }]
  ]
  it.each(good)("is connected with %s", (_, given) => {
    expect(connected(bridgeAdapter(unused), given).traits).toEqual({
      sendsCodes: true,
      sendsTexts: true,
      deduplicatesCodes: true,
      deduplicatesTexts: true,
      reportsDelivery: false,
      needsContact: false
    })
  })

  it("is for every channel, and has nothing to ask or read", () => {
    const adapter = bridgeAdapter(unused)
    expect({ name: adapter.name, channels: adapter.channels }).toEqual({
      name: "bridge",
      channels: ["eitaa", "bale", "soroushplus", "rubika", "telegram", "sms"]
    })
    expect(connected(adapter, { url, secret: SECRET })).toMatchObject({
      check: null,
      deliveryReport: null,
      inbox: null
    })
  })
})

describe("bridge: an account that may not lead into a private network", () => {
  const guarded = { allowsPrivateAddresses: false }
  const refused: ReadonlyArray<readonly [string, string]> = [
    ["https://127.0.0.1", "url must not lead into a private network"],
    ["https://2130706433", "url must not lead into a private network"],
    ["https://0x7f.1", "url must not lead into a private network"],
    ["https://017700000001", "url must not lead into a private network"],
    ["https://0177.0.0.1", "url must not lead into a private network"],
    ["https://127.1", "url must not lead into a private network"],
    ["https://127.0.0.1.", "url must not lead into a private network"],
    ["https://１２７.0.0.1", "url must not lead into a private network"],
    ["https://0.0.0.0", "url must not lead into a private network"],
    ["https://[::1]", "url must not lead into a private network"],
    ["https://[::]", "url must not lead into a private network"],
    ["https://[::ffff:127.0.0.1]", "url must not lead into a private network"],
    ["https://[::ffff:8.8.8.8]", "url must not lead into a private network"],
    ["https://[64:ff9b::7f00:1]", "url must not lead into a private network"],
    ["https://[fe80::1]", "url must not lead into a private network"],
    ["https://[fd00::1]", "url must not lead into a private network"],
    ["https://10.0.0.1:8443/send", "url must not lead into a private network"],
    ["https://172.16.0.1", "url must not lead into a private network"],
    ["https://192.168.1.1", "url must not lead into a private network"],
    ["https://100.64.0.1", "url must not lead into a private network"],
    ["https://169.254.169.254/latest/meta-data", "url must not lead into a private network"],
    ["https://localhost", "url must not lead into a private network"],
    ["https://LOCALHOST.", "url must not lead into a private network"],
    ["https://gateway.localhost", "url must not lead into a private network"],
    ["https://printer.local", "url must not lead into a private network"],
    ["https://metadata.google.internal", "url must not lead into a private network"],
    ["https://intranet/", "url must not lead into a private network"],
    ["https://x.lan/", "url must not lead into a private network"],
    ["https://gateway.home.arpa.", "url must not lead into a private network"],
    ["http://gateway.example.com", "url must begin with https://"],
    ["http://127.0.0.1", "url must begin with https://"]
  ]
  it.effect.each(refused)("is refused at %s", ([url, message]) =>
    Effect.gen(function* () {
      const adapter = bridgeAdapter(yield* ProviderHttp)
      const problem = Result.getOrThrow(Result.flip(adapter.connect({ url, secret: SECRET }, guarded)))
      expect(problem.message).toBe(message)
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect.each([
    "https://gateway.example.com/send",
    "https://8.8.8.8/send",
    "https://[2606:4700::1111]:8443",
    "https://localhost.example.com",
    "https://gateway.mylocal"
  ])("is connected at %s", (url) =>
    Effect.gen(function* () {
      const adapter = bridgeAdapter(yield* ProviderHttp)
      expect(Result.isSuccess(adapter.connect({ url, secret: SECRET }, guarded))).toBe(true)
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect.each([true, false])(
    "reaches the public internet only, and others anything: allowed %s",
    (allowsPrivateAddresses) =>
      Effect.gen(function* () {
        const requests: Array<ProviderRequest> = []
        const recording: ProviderHttp["Service"] = {
          call: (made) => {
            requests.push(made)
            return Effect.succeed({ status: 200, retryAfterMillis: null, json: { status: "accepted" } })
          }
        }
        const settings = { url: "https://gateway.example.com/send", secret: SECRET }
        const account = connected(bridgeAdapter(recording), settings, { allowsPrivateAddresses })
        yield* account.sendCode(delivery("bale"))
        yield* account.sendText(delivery("bale"))
        const reach = allowsPrivateAddresses ? "any" : "public"
        expect(requests.map((made) => made.reach)).toEqual([reach, reach])
      })
  )

  it.effect("does not connect where its name turns out to stand for a private address", () =>
    Effect.gen(function* () {
      const fake = yield* fakeGateway
      const url = `https://gateway.example.com:${new URL(fake.url).port}/send`
      const account = connected(bridgeAdapter(yield* ProviderHttp), { url, secret: SECRET }, guarded)
      expectOutcome(yield* account.sendCode(delivery("bale")), {
        ...unavailable,
        providerError: "not sent: gateway.example.com is not a public address"
      })
    }).pipe(Effect.provide(ProviderHttpTest))
  )
})
