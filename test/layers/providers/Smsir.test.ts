import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted, Result } from "effect"
import type { DeliveryReport } from "../../../src/domain/account/DeliveryReport.ts"
import { ProviderHttp } from "../../../src/layers/providers/ProviderHttp.ts"
import { smsirAdapter } from "../../../src/layers/providers/SmsirAdapter.ts"
import {
  connected,
  delivery,
  type Expected,
  expectOutcome,
  itSurvives,
  nextTurn,
  ProviderHttpTest
} from "./AdapterTest.ts"
import type { Scripted } from "../../support/fakes/FakeFarEnd.ts"
import { fakeSmsir, SMSIR_KEY, smsirAnswer } from "../../support/fakes/FakeSmsir.ts"

const settings = { api_key: SMSIR_KEY, line_number: 30_007_732_000_000, otp_template_id: 123_456 }

const unknown: Expected = { _tag: "Unknown", error_code: "provider_outcome_unknown" }
const recipient: Expected = { _tag: "Rejected", blame: "recipient", error_code: "recipient_unreachable" }
const request: Expected = { _tag: "Rejected", blame: "request", error_code: "provider_rejected" }
const configuration: Expected = {
  _tag: "Rejected",
  blame: "configuration",
  error_code: "provider_misconfigured"
}
const throttled: Expected = { _tag: "Throttled", error_code: "provider_rate_limited" }

/** The documented codes, and what each comes to. */
const documented: ReadonlyArray<readonly [number, string, Expected]> = [
  [0, "system problem", unknown],
  [10, "key invalid", configuration],
  [11, "key disabled", configuration],
  [12, "key restricted to IPs", configuration],
  [13, "account inactive", configuration],
  [14, "account suspended", configuration],
  [20, "too many requests", throttled],
  [101, "bad line", configuration],
  [102, "insufficient credit", configuration],
  [103, "empty text", request],
  [104, "invalid mobile", recipient],
  [105, "over 100 mobiles", request],
  [106, "over 100 texts", request],
  [107, "no mobiles", request],
  [108, "no texts", request],
  [109, "bad send time", request],
  [110, "lengths differ", request],
  [111, "nothing found", request],
  [112, "nothing to delete", request],
  [113, "template not found", configuration],
  [114, "parameter too long", request],
  [115, "blacklisted", recipient],
  [116, "parameter name empty", request],
  [117, "text not approved", request],
  [118, "message count over limit", request],
  [119, "plan too low", configuration],
  [123, "line needs activation", configuration]
]

const setUp = Effect.gen(function* () {
  const fake = yield* fakeSmsir()
  return { fake, account: connected(smsirAdapter(yield* ProviderHttp, `${fake.url}/v1`), settings) }
})

const sendCodeOver = (http: ProviderHttp["Service"], url: string) =>
  connected(smsirAdapter(http, `${url}/v1`), settings).sendCode(delivery("sms"))

describe("smsir: a code", () => {
  it.effect("is sent by the template, as documented", () =>
    Effect.gen(function* () {
      const { fake, account } = yield* setUp
      expectOutcome(yield* account.sendCode(delivery("sms")), { _tag: "Accepted", messageId: "876240001" })
      const [sent] = fake.received
      expect(`${sent?.method} ${sent?.path}`).toBe("POST /v1/send/verify")
      expect(sent?.json).toEqual({
        mobile: "09123456789",
        templateId: 123_456,
        parameters: [{ name: "CODE", value: "047113" }]
      })
      expect(sent?.headers).toMatchObject({
        "x-api-key": SMSIR_KEY,
        accept: "application/json",
        "content-type": "application/json"
      })
      expect(sent?.headers["traceparent"]).toBeUndefined()
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("goes into the parameter that the account names", () =>
    Effect.gen(function* () {
      const fake = yield* fakeSmsir()
      const adapter = smsirAdapter(yield* ProviderHttp, `${fake.url}/v1`)
      yield* connected(adapter, { ...settings, otp_parameter: "TOKEN" }).sendCode(delivery("sms"))
      expect(fake.received[0]?.json).toMatchObject({ parameters: [{ name: "TOKEN", value: "047113" }] })
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect.each(documented)("that is answered with status %i, %s", ([status, message, expected]) =>
    Effect.gen(function* () {
      const { fake, account } = yield* setUp
      fake.script(smsirAnswer(status, message, null, 400))
      const outcome = yield* account.sendCode(delivery("sms"))
      expectOutcome(outcome, { ...expected, providerError: `${status} ${message}` })
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  const others: ReadonlyArray<readonly [string, Scripted, Expected]> = [
    ["success without data", smsirAnswer(1, "ok"), { _tag: "Accepted", messageId: null }],
    ["success with HTTP 500", smsirAnswer(1, "ok", { messageId: 5 }, 500), unknown],
    ["an undocumented status with 400", smsirAnswer(999, "?", null, 400), request],
    ["an undocumented status with 200", smsirAnswer(999, "?", null, 200), unknown],
    ["an undocumented status with 401", smsirAnswer(999, "?", null, 401), configuration],
    ["an undocumented status with 500", smsirAnswer(999, "?", null, 500), unknown],
    ["too many requests with 429", smsirAnswer(20, "?", null, 429), { ...throttled, retryAfterMillis: null }],
    ["a status that is no number", { json: { status: "1", message: "ok" } }, unknown]
  ]
  it.effect.each(others)("that is answered with %s", ([, answer, expected]) =>
    Effect.gen(function* () {
      const { fake, account } = yield* setUp
      fake.script(answer)
      expectOutcome(yield* account.sendCode(delivery("sms")), expected)
    }).pipe(Effect.provide(ProviderHttpTest))
  )
})

describe("smsir: a text", () => {
  it.effect("is sent from the line, as documented", () =>
    Effect.gen(function* () {
      const { fake, account } = yield* setUp
      expectOutcome(yield* account.sendText(delivery("sms")), { _tag: "Accepted", messageId: "876240001" })
      const [sent] = fake.received
      expect(`${sent?.method} ${sent?.path}`).toBe("POST /v1/send/bulk")
      expect(sent?.json).toEqual({
        lineNumber: 30_007_732_000_000,
        messageText: "کد شما: 047113",
        mobiles: ["09123456789"],
        sendDateTime: null
      })
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  const packs: ReadonlyArray<readonly [string, unknown, Expected]> = [
    ["an id", { messageIds: [42] }, { _tag: "Accepted", messageId: "42" }],
    ["id 0: blacklisted", { messageIds: [0] }, recipient],
    ["a null id: invalid", { messageIds: [null] }, recipient],
    ["no ids", { packId: "x" }, unknown],
    ["two ids", { messageIds: [1, 2] }, unknown],
    ["no data", null, unknown]
  ]
  it.effect.each(packs)("whose pack comes back with %s", ([, data, expected]) =>
    Effect.gen(function* () {
      const { fake, account } = yield* setUp
      fake.script(smsirAnswer(1, "ok", data))
      expectOutcome(yield* account.sendText(delivery("sms", { text: Redacted.make("hi") })), expected)
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect.each(documented)("that is answered with status %i, %s", ([status, message, expected]) =>
    Effect.gen(function* () {
      const { fake, account } = yield* setUp
      fake.script(smsirAnswer(status, message, null, 400))
      expectOutcome(yield* account.sendText(delivery("sms")), expected)
    }).pipe(Effect.provide(ProviderHttpTest))
  )
})

describe("smsir: whatever goes wrong", () => {
  itSurvives(fakeSmsir(), sendCodeOver, {
    "a page with 503 and Retry-After": { _tag: "Unavailable", error_code: "provider_unavailable" }
  })
})

describe("smsir: the account", () => {
  const adapterOf = Effect.map(ProviderHttp, (http) => smsirAdapter(http, "http://127.0.0.1:1/v1"))

  const wrong: ReadonlyArray<readonly [unknown, string]> = [
    [{}, "api_key is missing"],
    [{ api_key: "SECRET with space" }, "api_key must be"],
    [{ api_key: "k", line_number: "SECRET" }, "line_number must be a positive whole number"],
    [{ api_key: "k", otp_template_id: 0 }, "otp_template_id must be a positive whole number"],
    [{ api_key: "k", otp_parameter: "#CODE#" }, "otp_parameter must be"],
    [{ api_key: "k", line: 3000 }, "line is not a setting of this provider"]
  ]
  it.effect.each(wrong)("is refused with %j", ([given, message]) =>
    Effect.gen(function* () {
      const refused = (yield* adapterOf).connect(given, { allowsPrivateAddresses: true })
      const problem = Result.getOrThrow(Result.flip(refused))
      expect(problem.message).toContain(message)
      expect(problem.message).not.toContain("SECRET")
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("sends only what its settings suffice for", () =>
    Effect.gen(function* () {
      const adapter = yield* adapterOf
      const traits = (given: unknown) => connected(adapter, given).traits
      expect(traits({ api_key: "k" })).toMatchObject({ sendsCodes: false, sendsTexts: false })
      expect(traits({ api_key: "k", line_number: "30007" })).toMatchObject({
        sendsCodes: false,
        sendsTexts: true
      })
      expect(traits({ api_key: "k", otp_template_id: 7 })).toMatchObject({
        sendsCodes: true,
        sendsTexts: false
      })
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("shows its credit when it is checked", () =>
    Effect.gen(function* () {
      const { account } = yield* setUp
      expect(yield* account.check ?? Effect.succeed("no check")).toBe("credit 18450.5")
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("is told when its key is wrong, and when that could not be asked", () =>
    Effect.gen(function* () {
      const fake = yield* fakeSmsir()
      const adapter = smsirAdapter(yield* ProviderHttp, `${fake.url}/v1`)
      const check = connected(adapter, { api_key: "wrong" }).check ?? Effect.succeed("no check")
      expect(yield* Effect.flip(check)).toMatchObject({
        isDefinite: true,
        message: expect.stringContaining("10 ")
      })
      fake.script("reset")
      expect(yield* Effect.flip(check)).toMatchObject({ isDefinite: false })
      fake.script({ status: 502, text: "<html>" })
      expect(yield* Effect.flip(check)).toMatchObject({ isDefinite: false })
    }).pipe(Effect.provide(ProviderHttpTest))
  )
})

describe("smsir: a delivery report", () => {
  const states: ReadonlyArray<readonly [number | null, DeliveryReport["_tag"]]> = [
    [1, "Delivered"],
    [2, "Undelivered"],
    [3, "InProgress"],
    [4, "Undelivered"],
    [5, "InProgress"],
    [6, "Undelivered"],
    [7, "Undelivered"],
    [null, "InProgress"],
    [99, "InProgress"]
  ]
  it.effect.each(states)("with state %s is %s", ([deliveryState, tag]) =>
    Effect.gen(function* () {
      const { fake, account } = yield* setUp
      fake.script(smsirAnswer(1, "ok", { deliveryState, deliveryDateTime: null }))
      const report = yield* account.deliveryReport?.("42") ?? Effect.die("no reports")
      expect(report._tag).toBe(tag)
      expect(fake.received[0]?.path).toBe("/v1/send/42")
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("says when the message was delivered", () =>
    Effect.gen(function* () {
      const { fake, account } = yield* setUp
      fake.script(smsirAnswer(1, "ok", { deliveryState: 1, deliveryDateTime: 1_763_000_007 }))
      expect(yield* account.deliveryReport?.("42") ?? Effect.die("no reports")).toEqual({
        _tag: "Delivered",
        at: 1_763_000_007_000
      })
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  const untimely: ReadonlyArray<readonly [string, object]> = [
    ["an ISO text", { deliveryDateTime: "2025-11-13T02:13:27Z" }],
    ["seconds as a text", { deliveryDateTime: "1763000007" }],
    ["an empty text", { deliveryDateTime: "" }],
    ["a fraction", { deliveryDateTime: 1_763_000_007.5 }],
    ["zero", { deliveryDateTime: 0 }],
    ["a negative number", { deliveryDateTime: -1 }],
    ["an object", { deliveryDateTime: { seconds: 1_763_000_007 } }],
    ["null", { deliveryDateTime: null }],
    ["nothing", {}]
  ]
  it.effect.each(untimely)("is read where its time is %s", ([, time]) =>
    Effect.gen(function* () {
      const { fake, account } = yield* setUp
      const report = account.deliveryReport?.("42") ?? Effect.die("no reports")
      fake.script(
        smsirAnswer(1, "ok", { deliveryState: 1, ...time }),
        smsirAnswer(1, "ok", { deliveryState: 2, ...time })
      )
      expect(yield* report).toEqual({ _tag: "Delivered", at: null })
      expect((yield* report)._tag).toBe("Undelivered")
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("is fetched, as credit is, over another connection than a send's", () =>
    Effect.gen(function* () {
      const { fake, account } = yield* setUp
      const calls: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
        account.sendCode(delivery("sms")),
        account.deliveryReport?.("42") ?? Effect.die("no reports"),
        account.check ?? Effect.die("no check"),
        account.sendText(delivery("sms"))
      ]
      yield* Effect.forEach(calls, (call) => Effect.andThen(call, nextTurn))
      expect(fake.received.map(({ path, connection }) => [path, connection])).toEqual([
        ["/v1/send/verify", 1],
        ["/v1/send/42", 2],
        ["/v1/credit", 2],
        ["/v1/send/bulk", 1]
      ])
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  const broken: ReadonlyArray<readonly [string, Scripted]> = [
    ["is not found", smsirAnswer(111, "?", null, 400)],
    ["is a page", { status: 500, text: "<html>" }],
    ["is broken off", "reset"]
  ]
  it.effect.each(broken)("that %s says nothing", ([, answer]) =>
    Effect.gen(function* () {
      const { fake, account } = yield* setUp
      fake.script(answer)
      const report = yield* account.deliveryReport?.("42") ?? Effect.die("no reports")
      expect(report._tag).toBe("NotKnown")
    }).pipe(Effect.provide(ProviderHttpTest))
  )
})
