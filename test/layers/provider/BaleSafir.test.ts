import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { Phone } from "../../../src/domain/Phone.ts"
import { ProviderHttp } from "../../../src/layers/provider/ProviderHttp.ts"
import { baleSafirAdapter } from "../../../src/layers/provider/adapters/BaleSafir.ts"
import { connected, delivery, type Expected, expectOutcome, ProviderHttpTest } from "./kit/AdapterTest.ts"
import { configuration, recipient, request, throttled, unknown } from "./kit/ProviderCase.ts"
import { describeProvider } from "./kit/ProviderKit.ts"
import { sentJson } from "./kit/SendTests.ts"
import {
  fakeBaleSafir,
  SAFIR_KEY,
  safirError,
  safirSuccess,
  STRANGER
} from "../../support/fakes/FakeBaleSafir.ts"
import type { Scripted } from "../../support/fakes/FakeFarEnd.ts"

const settings = { api_key: SAFIR_KEY, bot_id: "1234567890" }

/** The documented codes and their outcomes. */
const documented: ReadonlyArray<readonly [number, string, Expected]> = [
  [2, "InternalServerError", unknown],
  [3, "RateLimitExceeded", { ...throttled, retryAfterMillis: null }],
  [4, "InvalidInput", request],
  [8, "InvalidPhone", recipient],
  [17, "NotBaleUser", recipient],
  [20, "PaymentRequired", configuration],
  [21, "MaximumContactLimitReached", configuration]
]

const connectTo = (http: ProviderHttp["Service"], url: string) =>
  connected(baleSafirAdapter(http, `${url}/api/v3`), settings)

const setUp = Effect.gen(function* () {
  const fake = yield* fakeBaleSafir()
  return { fake, account: connectTo(yield* ProviderHttp, fake.url) }
})

describe("bale_safir: a code", () => {
  it.effect("is sent as Bale's own kind of message, as documented", () =>
    Effect.gen(function* () {
      const { fake, account } = yield* setUp
      expectOutcome(yield* account.sendCode(delivery("bale")), { _tag: "Accepted", messageId: "safir-1" })
      const [sent] = fake.received
      expect(`${sent?.method} ${sent?.path}`).toBe("POST /api/v3/send_message")
      expect(sent?.json).toEqual({
        request_id: "0195f7a0-0000-7000-8000-000000000001-1",
        bot_id: 1_234_567_890,
        phone_number: "989123456789",
        message_data: { otp_message: { otp: "047113" } }
      })
      expect(sent?.headers).toMatchObject({
        "api-access-key": SAFIR_KEY,
        accept: "application/json",
        "content-type": "application/json"
      })
      expect(sent?.headers["traceparent"]).toBeUndefined()
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("is delivered once when its answer was lost and it is sent again", () =>
    Effect.gen(function* () {
      const { fake, account } = yield* setUp
      fake.script((received) => {
        fake.behave(received)
        return "reset"
      })
      expectOutcome(yield* account.sendCode(delivery("bale")), unknown)
      expectOutcome(yield* account.sendCode(delivery("bale")), { _tag: "Accepted", messageId: "safir-1" })
      expect(fake.received.map(({ json }) => json)).toEqual([fake.received[0]?.json, fake.received[0]?.json])
      expect(fake.delivered).toHaveLength(1)
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("of another attempt is delivered too", () =>
    Effect.gen(function* () {
      const { fake, account } = yield* setUp
      yield* account.sendCode(delivery("bale"))
      yield* account.sendCode(delivery("bale", { attemptId: "another-2" }))
      expect(fake.delivered.map(({ messageId }) => messageId)).toEqual(["safir-1", "safir-2"])
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("to a phone that has no Bale names the recipient as the cause", () =>
    Effect.gen(function* () {
      const { fake, account } = yield* setUp
      const outcome = yield* account.sendCode(delivery("bale", { phone: Phone.make(`+${STRANGER}`) }))
      expectOutcome(outcome, { ...recipient, providerError: "17 NotBaleUser" })
      expect(fake.delivered).toEqual([])
    }).pipe(Effect.provide(ProviderHttpTest))
  )
})

describe("bale_safir: a text", () => {
  it.effect("is sent as it is, as documented", () =>
    Effect.gen(function* () {
      const { fake, account } = yield* setUp
      expectOutcome(yield* account.sendText(delivery("bale")), { _tag: "Accepted", messageId: "safir-1" })
      const [sent] = fake.received
      expect(`${sent?.method} ${sent?.path}`).toBe("POST /api/v3/send_message")
      expect(sent?.json).toEqual({
        request_id: "0195f7a0-0000-7000-8000-000000000001-1",
        bot_id: 1_234_567_890,
        phone_number: "989123456789",
        message_data: { message: { text: "کد شما: 047113" } }
      })
    }).pipe(Effect.provide(ProviderHttpTest))
  )
})

describe("bale_safir: an answer", () => {
  const statuses = [200, 400, 401, 500]
  const coded = statuses.flatMap((status) =>
    documented.map(([code, name, expected]) => [code, name, status, expected] as const)
  )
  it.effect.each(coded)("with code %i, %s, means that with HTTP %i", ([code, name, status, expected]) =>
    Effect.gen(function* () {
      const { fake, account } = yield* setUp
      fake.script(safirError(code, name, "989123456789", status))
      const outcome = yield* account.sendCode(delivery("bale"))
      expectOutcome(outcome, { ...expected, providerError: `${code} ${name}` })
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect.each(documented)("to a text means the same: code %i, %s", ([code, name, expected]) =>
    Effect.gen(function* () {
      const { fake, account } = yield* setUp
      fake.script(safirError(code, name))
      expectOutcome(yield* account.sendText(delivery("bale")), expected)
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  const failure = (status: number, headers: Readonly<Record<string, string>> = {}): Scripted => ({
    ...safirError(99, "Surprise", "989123456789", status),
    headers
  })
  const kept = { providerError: "99 Surprise" }
  const others: ReadonlyArray<readonly [string, Scripted, Expected]> = [
    ["success without error_data", { json: { message_id: "m1" } }, { _tag: "Accepted", messageId: "m1" }],
    [
      "success with empty error_data",
      { json: { message_id: "m1", error_data: [] } },
      { _tag: "Accepted", messageId: "m1" }
    ],
    [
      "an id that is a number",
      { text: '{"message_id":12345678901234567890}' },
      { _tag: "Accepted", messageId: "12345678901234567890" }
    ],
    [
      "an id and an error",
      { json: { message_id: "m1", error_data: [{ code: 17, description: "NotBaleUser" }] } },
      recipient
    ],
    ["an error without a description", { json: { message_id: "", error_data: [{ code: 4 }] } }, request],
    ["neither id nor error", { json: { message_id: "", error_data: null } }, unknown],
    ["an empty object", { json: {} }, unknown],
    ["an error without a code", { json: { message_id: "m1", error_data: [{ description: "?" }] } }, unknown],
    ["neither id nor error, and HTTP 400", { status: 400, json: { message_id: "" } }, request],
    ["success with HTTP 500", { ...safirSuccess("m1"), status: 500 }, unknown],
    [
      "code 3 and Retry-After",
      { ...safirError(3, "RateLimitExceeded"), headers: { "retry-after": "12" } },
      { ...throttled, retryAfterMillis: 12_000 }
    ],
    ["an undocumented code", failure(200), { ...recipient, ...kept }],
    ["an undocumented code and HTTP 400", failure(400), { ...recipient, ...kept }],
    ["an undocumented code and HTTP 404", failure(404), { ...recipient, ...kept }],
    ["an undocumented code and HTTP 401", failure(401), { ...configuration, ...kept }],
    ["an undocumented code and HTTP 403", failure(403), { ...configuration, ...kept }],
    ["an undocumented code and HTTP 422", failure(422), { ...request, ...kept }],
    [
      "an undocumented code, HTTP 429 and Retry-After",
      failure(429, { "retry-after": "5" }),
      { ...throttled, ...kept, retryAfterMillis: 5000 }
    ],
    ["an undocumented code and HTTP 500", failure(500), { ...unknown, ...kept }],
    ["a page with 401", { status: 401, text: "" }, configuration],
    ["a page with 403", { status: 403, text: "" }, configuration],
    ["JSON of another shape with 422", { status: 422, json: { detail: [] } }, request],
    ["a page with 503", { status: 503, text: "" }, unknown]
  ]
  it.effect.each(others)("with %s is classified", ([, answer, expected]) =>
    Effect.gen(function* () {
      const { fake, account } = yield* setUp
      fake.script(answer)
      expectOutcome(yield* account.sendCode(delivery("bale")), expected)
    }).pipe(Effect.provide(ProviderHttpTest))
  )
})

const sent = (message_data: object) =>
  sentJson(
    "POST /api/v3/send_message",
    {
      request_id: "0195f7a0-0000-7000-8000-000000000001-1",
      bot_id: 1_234_567_890,
      phone_number: "989123456789",
      message_data
    },
    { "api-access-key": SAFIR_KEY }
  )

describeProvider({
  name: "bale_safir",
  channel: "bale",
  fake: fakeBaleSafir(),
  adapter: (http, url) => baleSafirAdapter(http, `${url}/api/v3`),
  settings: () => settings,
  credentials: ["api_key"],
  sends: {
    code: sent({ otp_message: { otp: "047113" } }),
    text: sent({ message: { text: "کد شما: 047113" } })
  },
  unlisted: [{ json: { message_id: "", error_data: [{ code: 99, description: "?" }] } }, "recipient"],
  idSaysYes: "if there",
  refusal: (words) => safirError(8, words),
  wrongSettings: [
    [{}, "api_key is missing; bot_id is missing"],
    [{ api_key: "SECRET with space", bot_id: 1 }, "api_key must be"],
    [{ api_key: "k", bot_id: "123:SECRET" }, "bot_id must be a positive whole number"],
    [{ api_key: "k", bot_id: 0 }, "bot_id must be a positive whole number"]
  ],
  check: null,
  reports: null
})

describe("bale_safir: the account", () => {
  const adapterOf = Effect.map(ProviderHttp, (http) => baleSafirAdapter(http, "http://127.0.0.1:1/api/v3"))

  it.effect("is misconfigured when its key is wrong", () =>
    Effect.gen(function* () {
      const fake = yield* fakeBaleSafir()
      const adapter = baleSafirAdapter(yield* ProviderHttp, `${fake.url}/api/v3`)
      const account = connected(adapter, { ...settings, api_key: "wrong" })
      expectOutcome(yield* account.sendCode(delivery("bale")), configuration)
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("sends both kinds and de-duplicates, and has nothing to ask or read", () =>
    Effect.gen(function* () {
      const adapter = yield* adapterOf
      expect({ name: adapter.name, channels: adapter.channels }).toEqual({
        name: "bale_safir",
        channels: ["bale"]
      })
      expect(connected(adapter, settings)).toMatchObject({
        traits: {
          sendsCodes: true,
          sendsTexts: true,
          deduplicatesCodes: true,
          deduplicatesTexts: true,
          reportsDelivery: false,
          needsContact: false
        },
        check: null,
        deliveryReport: null,
        inbox: null
      })
    }).pipe(Effect.provide(ProviderHttpTest))
  )
})
