import { assert, describe, expect, it } from "@effect/vitest"
import { Cause, DateTime, Effect, Exit, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { DeliveryReport } from "../../src/domain/ProviderOutcome.ts"
import { bridgeAdapter } from "../../src/layers/provider/adapters/Bridge.ts"
import { ProviderHttp } from "../../src/layers/provider/ProviderHttp.ts"
import {
  connected,
  delivery,
  expectOutcome,
  ProviderHttpTest,
  TEXT
} from "../layers/provider/kit/AdapterTest.ts"
import { exampleServer } from "../support/ExampleServer.ts"
import {
  ESME_RINVDSTADR,
  ESME_RSYSERR,
  ESME_RTHROTTLED,
  type FakeSmsc,
  fakeSmsc,
  SMSC_LOGIN
} from "../support/fakes/FakeSmsc.ts"

const SECRET = `whsec_${Buffer.alloc(32, "good").toString("base64")}`
const LINE = "30001234"

const setUp = Effect.fnUntraced(function* (password: string = SMSC_LOGIN.password) {
  // The example's clock is the real one.
  const now = DateTime.toEpochMillis(yield* DateTime.now.pipe(TestClock.withLive))
  yield* TestClock.setTime(now)
  const smsc = yield* fakeSmsc
  const env = {
    BRIDGE_SECRET: SECRET,
    SMPP_URL: `smpp://127.0.0.1:${smsc.port}`,
    SMPP_SYSTEM_ID: SMSC_LOGIN.system_id,
    SMPP_PASSWORD: password,
    SMPP_FROM: LINE
  }
  const { url } = yield* exampleServer("bridge.md", env, "js", "### SMPP 3.4, with Node")
  if (password === SMSC_LOGIN.password) yield* smsc.bound(1)
  const settings = { url: `${url}/send`, secret: SECRET, reports_delivery: true }
  const account = connected(bridgeAdapter(yield* ProviderHttp), settings)
  const reportOf = (id: string) => account.deliveryReport?.(id) ?? Effect.die("it reports the delivery")
  return { smsc, account, now, reportOf }
})

const textOf = (text: string, attemptId = "a-1") => delivery("sms", { attemptId, text: Redacted.make(text) })

/** What the phone shows: the parts of one message, in the order of their numbers. */
const joined = ({ submitted }: FakeSmsc) => {
  const parts = submitted.map(({ short_message: { message, udh } }) => {
    const [header = Buffer.alloc(0)] = udh ?? []
    const [, , reference, total, number = 0] = header
    return { message, reference, total, number }
  })
  expect(new Set(parts.map(({ reference }) => reference)).size).toBe(1)
  expect(parts.map(({ total }) => total)).toEqual(parts.map(() => parts.length))
  return parts
    .toSorted((one, other) => one.number - other.number)
    .map(({ message }) => message)
    .join("")
}

describe("the SMPP gateway of docs/bridge.md", () => {
  it.effect("does not start without a secret of 24 bytes", () =>
    Effect.gen(function* () {
      const heading = "### SMPP 3.4, with Node"
      const started = yield* Effect.exit(exampleServer("bridge.md", { BRIDGE_SECRET: "" }, "js", heading))
      assert(Exit.isFailure(started))
      expect(Cause.pretty(started.cause)).toContain("BRIDGE_SECRET")
    })
  )

  it.effect("submits a code in Persian as UCS-2, until it ends, and asks for a receipt", () =>
    Effect.gen(function* () {
      const { smsc, account, now } = yield* setUp()
      const expiresAt = now + 120_000
      expectOutcome(yield* account.sendCode(delivery("sms", { expiresAt })), {
        _tag: "Accepted",
        messageId: "m1"
      })
      expect(smsc.submitted).toHaveLength(1)
      expect(smsc.submitted[0]).toMatchObject({
        source_addr: LINE,
        destination_addr: "989123456789",
        dest_addr_ton: 1,
        dest_addr_npi: 1,
        data_coding: 8,
        esm_class: 0,
        registered_delivery: 1,
        short_message: { message: TEXT }
      })
      // SMPP's times have tenths of a second.
      const end = Number(smsc.submitted[0]?.validity_period)
      expect(Math.floor(end / 1000)).toBe(Math.floor(expiresAt / 1000))
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("submits a text of ASCII in the alphabet of GSM", () =>
    Effect.gen(function* () {
      const { smsc, account } = yield* setUp()
      const text = "Your order 1234 left today. Track it: example.com?id=5"
      expectOutcome(yield* account.sendText(textOf(text)), { _tag: "Accepted" })
      expect(smsc.submitted).toMatchObject([{ data_coding: 0, short_message: { message: text } }])
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect.each([
    ["Persian", "سلام! سفارش شما فرستاده شد. ".repeat(9), 8],
    ["Latin", "Your order 1234 left today. ".repeat(12), 0],
    ["emoji, none of them cut in two", `x${"🚚".repeat(70)}`, 8]
  ] as const)("submits a long text of %s in parts that a phone can join", ([, text, coding]) =>
    Effect.gen(function* () {
      const { smsc, account } = yield* setUp()
      const outcome = yield* account.sendText(textOf(text))
      const ids = smsc.submitted.map((_, index) => `m${index + 1}`)
      expect(ids.length).toBeGreaterThan(1)
      expectOutcome(outcome, { _tag: "Accepted", messageId: ids.join(",") })
      expect(joined(smsc)).toBe(text)
      for (const { data_coding, short_message } of smsc.submitted) {
        expect(data_coding).toBe(coding)
        expect(short_message.message.length).toBeLessThanOrEqual(coding === 8 ? 67 : 153)
        expect(short_message.message.isWellFormed()).toBe(true)
      }
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("reports a message as delivered with its last part's receipt", () =>
    Effect.gen(function* () {
      const { smsc, account, reportOf } = yield* setUp()
      yield* account.sendText(textOf("سلام! ".repeat(20)))
      yield* smsc.receipt("m1", "DELIVRD")
      expect(yield* reportOf("m1,m2")).toEqual(DeliveryReport.InProgress())
      yield* smsc.receipt("m2", "DELIVRD")
      expect(yield* reportOf("m1,m2")).toEqual(DeliveryReport.Delivered({ at: null }))
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("reports a message as undelivered, with the center's word", () =>
    Effect.gen(function* () {
      const { smsc, account, reportOf } = yield* setUp()
      yield* account.sendCode(delivery("sms"))
      yield* smsc.receipt("m1", "ENROUTE")
      expect(yield* reportOf("m1")).toEqual(DeliveryReport.InProgress())
      yield* smsc.receipt("m1", "EXPIRED")
      expect(yield* reportOf("m1")).toEqual(DeliveryReport.Undelivered({ providerError: "EXPIRED" }))
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("submits once what arrives again", () =>
    Effect.gen(function* () {
      const { smsc, account } = yield* setUp()
      const first = yield* account.sendText(textOf("Hello"))
      expect(yield* account.sendText(textOf("Hello"))).toEqual(first)
      expect(smsc.submitted).toHaveLength(1)
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect.each([
    ["a wrong number", ESME_RINVDSTADR, { _tag: "Rejected", error_code: "recipient_unreachable" }],
    ["too many messages", ESME_RTHROTTLED, { _tag: "Throttled", error_code: "provider_rate_limited" }],
    ["a system error", ESME_RSYSERR, { _tag: "Unknown", error_code: "provider_outcome_unknown" }],
    ["a broken connection", "close", { _tag: "Unknown", error_code: "provider_outcome_unknown" }],
    ["no response", "silence", { _tag: "Unknown", error_code: "provider_outcome_unknown" }]
  ] as const)("classifies %s", ([, answer, expected]) =>
    Effect.gen(function* () {
      const { smsc, account } = yield* setUp()
      smsc.script(answer)
      expectOutcome(yield* account.sendCode(delivery("sms")), expected)
      expect(smsc.submitted).toHaveLength(1)
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("does not know the outcome if a later part is refused", () =>
    Effect.gen(function* () {
      const { smsc, account } = yield* setUp()
      smsc.script(0, ESME_RTHROTTLED)
      expectOutcome(yield* account.sendText(textOf("سلام! ".repeat(20))), {
        _tag: "Unknown",
        error_code: "provider_outcome_unknown"
      })
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("is unavailable while the center refuses its login", () =>
    Effect.gen(function* () {
      const { smsc, account } = yield* setUp("wrong")
      expectOutcome(yield* account.sendCode(delivery("sms")), {
        _tag: "Unavailable",
        error_code: "provider_unavailable"
      })
      expect(smsc.submitted).toEqual([])
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("binds again after the center hung up", () =>
    Effect.gen(function* () {
      const { smsc, account } = yield* setUp()
      smsc.script("close")
      yield* account.sendCode(delivery("sms", { attemptId: "a-1" }))
      yield* smsc.bound(2)
      expectOutcome(yield* account.sendCode(delivery("sms", { attemptId: "a-2" })), { _tag: "Accepted" })
    }).pipe(Effect.provide(ProviderHttpTest))
  )
})
