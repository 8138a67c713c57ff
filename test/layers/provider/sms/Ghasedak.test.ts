import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { DeliveryReport } from "../../../../src/domain/ProviderOutcome.ts"
import { ProviderHttp } from "../../../../src/layers/provider/ProviderHttp.ts"
import { ghasedakAdapter } from "../../../../src/layers/provider/adapters/Ghasedak.ts"
import { CODE, connected, delivery, expectOutcome, ProviderHttpTest, TEXT } from "../kit/AdapterTest.ts"
import { checkOf } from "../kit/CheckOf.ts"
import { accepted, configuration, request, throttled, unknown } from "../kit/ProviderCase.ts"
import { describeProvider } from "../kit/ProviderKit.ts"
import { sentJson } from "../kit/SendTests.ts"
import type { Answer } from "../../../support/fakes/FakeFarEnd.ts"
import {
  fakeGhasedak,
  GHASEDAK_KEY,
  GHASEDAK_LINE,
  GHASEDAK_TEMPLATE,
  ghasedakAnswer
} from "../../../support/fakes/FakeGhasedak.ts"

const BASE = "/rest/api/v1/WebService"
const settings = { api_key: GHASEDAK_KEY, line_number: GHASEDAK_LINE, otp_template: GHASEDAK_TEMPLATE }
const attempt = delivery("sms").attemptId

const states: ReadonlyArray<readonly [number, DeliveryReport["_tag"]]> = [
  [0, "InProgress"],
  [1, "Undelivered"],
  [2, "Undelivered"],
  [3, "InProgress"],
  [4, "Undelivered"],
  [5, "Delivered"],
  [6, "Undelivered"],
  [7, "NotKnown"],
  [8, "NotKnown"],
  [99, "NotKnown"]
]

const capitalized = (json: object): Answer => ({
  json: Object.fromEntries(
    Object.entries(json).map(([name, value]) => [name.charAt(0).toUpperCase() + name.slice(1), value])
  )
})

describeProvider({
  name: "ghasedak",
  channel: "sms",
  fake: fakeGhasedak(),
  adapter: (http, url) => ghasedakAdapter(http, `${url}${BASE}`),
  settings: () => settings,
  credentials: ["api_key"],
  sends: {
    code: sentJson(
      `POST ${BASE}/SendOtpSMS`,
      {
        receptors: [{ mobile: "09123456789", clientReferenceId: attempt }],
        templateName: GHASEDAK_TEMPLATE,
        inputs: [{ param: "Code", value: CODE }],
        udh: false,
        isVoice: false
      },
      { apikey: GHASEDAK_KEY }
    ),
    text: sentJson(
      `POST ${BASE}/SendSingleSMS`,
      {
        lineNumber: GHASEDAK_LINE,
        receptor: "09123456789",
        message: TEXT,
        clientReferenceId: attempt,
        udh: false
      },
      { apikey: GHASEDAK_KEY }
    )
  },
  unlisted: [{ json: { isSuccess: false, statusCode: 9, message: "?" } }, "request"],
  refusal: (words) => ghasedakAnswer(400, words),
  answers: [
    ["a refusal", ghasedakAnswer(400, "words"), { ...request, providerError: "400 words" }],
    ["a wrong key under HTTP 400", ghasedakAnswer(400, "words", null, 401), configuration],
    ["a wrong key", ghasedakAnswer(401, "words"), configuration],
    ["too many requests", ghasedakAnswer(429, "words"), { ...throttled, retryAfterMillis: null }],
    ["too many requests under HTTP 400", ghasedakAnswer(400, "words", null, 429), throttled],
    ["an error of the server", ghasedakAnswer(500, "words"), unknown],
    ["an error of the server under HTTP 400", ghasedakAnswer(400, "words", null, 500), unknown],
    ["a failure under HTTP 200", { json: { isSuccess: false, statusCode: 400, message: "words" } }, request],
    ["a failure that says 200", { json: { isSuccess: false, statusCode: 200 } }, request],
    ["success under HTTP 500", { status: 500, json: { isSuccess: true, data: {} } }, unknown],
    ["success without an id", ghasedakAnswer(200, "", {}), { ...accepted, messageId: null }],
    [
      "a code's id, in capital letters",
      capitalized({ isSuccess: true, data: { Items: [{ MessageId: 42 }] } }),
      { ...accepted, messageId: "42" },
      "code"
    ],
    [
      "a text's id, in capital letters",
      capitalized({ isSuccess: true, data: { MessageId: "42" } }),
      { ...accepted, messageId: "42" },
      "text"
    ]
  ],
  wrongSettings: [
    [{ api_key: "SECRET with space" }, "api_key must be"],
    [{ api_key: "k", line_number: "SECRET" }, "line_number must be 4 to 15 digits"],
    [{ api_key: "k", otp_template: "SECRET name" }, "otp_template must be"]
  ],
  check: { finds: "credit 125000", credit: 125_000, refuses: { api_key: "wrong-key-0123456789" } },
  reports: states.map(
    ([status, tag]) => [`status ${status}`, ghasedakAnswer(200, "", [{ status }]), { _tag: tag }] as const
  )
})

describe("ghasedak: an account", () => {
  const accountWith = (changes: object, base = BASE) =>
    Effect.gen(function* () {
      const fake = yield* fakeGhasedak()
      const adapter = ghasedakAdapter(yield* ProviderHttp, `${fake.url}${base}`)
      return { fake, account: connected(adapter, { ...settings, ...changes }) }
    })

  it.effect("is found wrong when its template, or the variable of it, does not exist", () =>
    Effect.gen(function* () {
      const wrongTemplate = yield* accountWith({ otp_template: "Other" })
      const problem = yield* Effect.flip(checkOf(wrongTemplate.account))
      expect(problem).toMatchObject({
        isDefinite: true,
        message: "template Other: 400 قالب مورد نظر یافت نشد"
      })
      const wrongVariable = yield* accountWith({ otp_parameter: "Token" })
      expect(yield* Effect.flip(checkOf(wrongVariable.account))).toMatchObject({
        isDefinite: true,
        message: "template PeykCode has no variable Token; it has: Code"
      })
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("is reached at the base that the documents name, too", () =>
    Effect.gen(function* () {
      const { account } = yield* accountWith({}, "/rest/api/v1")
      expectOutcome(yield* account.sendCode(delivery("sms")), accepted)
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("sends only what its settings suffice for", () =>
    Effect.gen(function* () {
      const adapter = ghasedakAdapter(yield* ProviderHttp, "http://127.0.0.1:1")
      const traits = (given: object) => connected(adapter, { api_key: "k", ...given }).traits
      expect(traits({ otp_template: "t" })).toMatchObject({ sendsCodes: true, sendsTexts: false })
      expect(traits({ line_number: GHASEDAK_LINE })).toMatchObject({ sendsCodes: false, sendsTexts: true })
    }).pipe(Effect.provide(ProviderHttpTest))
  )
})
