import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { DeliveryReport } from "../../../../src/domain/ProviderOutcome.ts"
import { ProviderHttp } from "../../../../src/layers/provider/ProviderHttp.ts"
import { ippanelAdapter } from "../../../../src/layers/provider/adapters/Ippanel.ts"
import { CODE, connected, delivery, expectOutcome, ProviderHttpTest, TEXT } from "../kit/AdapterTest.ts"
import { checkOf } from "../kit/CheckOf.ts"
import {
  accepted,
  configuration,
  type ProviderCase,
  recipient,
  request,
  throttled,
  unknown
} from "../kit/ProviderCase.ts"
import { describeProvider } from "../kit/ProviderKit.ts"
import { sentJson } from "../kit/SendTests.ts"
import type { Scripted } from "../../../support/fakes/FakeFarEnd.ts"
import {
  fakeIppanel,
  IPPANEL_KEY,
  IPPANEL_LINE,
  IPPANEL_PATTERN,
  ippanelAnswer
} from "../../../support/fakes/FakeIppanel.ts"

const settings = { api_key: IPPANEL_KEY, from_number: IPPANEL_LINE, otp_pattern: IPPANEL_PATTERN }

const sent = (json: object) =>
  sentJson("POST /v1/api/send", { from_number: IPPANEL_LINE, ...json }, { authorization: IPPANEL_KEY })

const refused = (field: string) => ippanelAnswer(422, "400-2", null, { [field]: ["is invalid"] })
const words = "400-2 message 400-2"

const states: ReadonlyArray<readonly [string | number, DeliveryReport["_tag"]]> = [
  ["0", "InProgress"],
  ["1", "InProgress"],
  ["2", "Delivered"],
  [2, "Delivered"],
  ["3", "Undelivered"],
  ["4", "Undelivered"],
  ["99", "InProgress"],
  ["constructor", "InProgress"]
]

const sms: ProviderCase = {
  name: "ippanel",
  channel: "sms",
  fake: fakeIppanel(),
  adapter: (http, url) => ippanelAdapter(http, `${url}/v1`),
  settings: () => settings,
  credentials: ["api_key"],
  sends: {
    code: sent({
      sending_type: "pattern",
      code: IPPANEL_PATTERN,
      recipients: ["+989123456789"],
      params: { code: CODE }
    }),
    text: sent({ sending_type: "webservice", message: TEXT, params: { recipients: ["+989123456789"] } })
  },
  unlisted: [{ json: { data: null, meta: { status: false, message_code: "400-31" } } }, "request"],
  refusal: (message) => ({
    status: 422,
    json: { data: null, meta: { status: false, message, message_code: "400-2" } }
  }),
  answers: [
    ["a wrong recipient", refused("recipients"), { ...recipient, providerError: words }],
    ["a wrong recipient of a text", refused("params.recipients"), recipient],
    ["a wrong pattern", refused("code"), configuration],
    ["a wrong line", refused("from_number"), configuration],
    ["a wrong variable", refused("params"), request],
    ["a refusal without fields", ippanelAnswer(422, "400-2"), request],
    ["a wrong key", ippanelAnswer(401, "400-1"), { ...configuration, providerError: "400-1 message 400-1" }],
    ["too many requests", ippanelAnswer(429, "429-1"), { ...throttled, retryAfterMillis: null }],
    ["an error of the server", ippanelAnswer(500, "500-1"), unknown],
    [
      "a failure under HTTP 200",
      { json: { data: null, meta: { status: false, message_code: "400-31" } } },
      { ...request, providerError: "400-31" }
    ],
    ["success without ids", ippanelAnswer(200, "200-1", {}), { ...accepted, messageId: null }]
  ],
  wrongSettings: [
    [{ api_key: "SECRET with space" }, "api_key must be"],
    [{ api_key: "k", from_number: "3000505" }, "from_number must begin with +98"],
    [{ api_key: "k", otp_pattern: "SECRET name" }, "otp_pattern must be"]
  ],
  check: { finds: "credit 24810.5", credit: 24_810.5, refuses: { api_key: "wrong-key-0123456789" } },
  reports: states.map(
    ([message_status, tag]) =>
      [`status ${message_status}`, ippanelAnswer(200, "200-1", [{ message_status }]), { _tag: tag }] as const
  )
}

describeProvider(sms)

describeProvider({
  ...sms,
  name: "ippanel, a call",
  channel: "voice",
  settings: () => ({ api_key: IPPANEL_KEY }),
  sends: {
    code: sentJson(
      "POST /v1/api/send",
      { sending_type: "votp", message: CODE, params: { recipients: ["+989123456789"] } },
      { authorization: IPPANEL_KEY }
    )
  }
})

describe("ippanel: the check of an account", () => {
  const checked = Effect.fnUntraced(function* (changes: object, ...answers: ReadonlyArray<Scripted>) {
    const fake = yield* fakeIppanel()
    const account = connected(ippanelAdapter(yield* ProviderHttp, `${fake.url}/v1`), {
      ...settings,
      ...changes
    })
    fake.script(...answers)
    return yield* Effect.result(checkOf(account))
  })
  const credit = ippanelAnswer(200, "200-1", { credit: 7 })
  const lines = ippanelAnswer(200, "200-1", [{ number: IPPANEL_LINE }])
  const pattern = (data: object) => ippanelAnswer(200, "200-1", data)

  it.effect("warns of a line that is not in the account's list", () =>
    Effect.gen(function* () {
      expect(yield* checked({ from_number: "+983000999" })).toMatchObject({
        success: "credit 24810.5; line +983000999 is not among the account's: +983000505"
      })
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect.each([
    ["an unknown pattern", { otp_pattern: "another" }, [], "pattern another: 400-1 message 400-1"],
    [
      "a pattern without the variable",
      { otp_parameter: "otp" },
      [],
      `pattern ${IPPANEL_PATTERN} has no variable otp; it has: code`
    ],
    [
      "a pattern that waits for approval",
      {},
      [credit, lines, pattern({ pattern_status: "pending", variable: [{ name: "code" }] })],
      `pattern ${IPPANEL_PATTERN} is pending`
    ]
  ] as const)("names %s", ([, changes, answers, message]) =>
    Effect.gen(function* () {
      expect(yield* checked(changes, ...answers)).toMatchObject({ failure: { message, isDefinite: true } })
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("finds an account wrong that may not ask", () =>
    Effect.gen(function* () {
      const message = "403-1 message 403-1"
      expect(yield* checked({}, ippanelAnswer(403, "403-1"))).toMatchObject({
        failure: { message, isDefinite: true }
      })
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("finds nothing wrong with a pattern that it cannot read", () =>
    Effect.gen(function* () {
      expect(yield* checked({}, credit, lines, pattern([]))).toMatchObject({ success: "credit 7" })
    }).pipe(Effect.provide(ProviderHttpTest))
  )
})

describe("ippanel: an account", () => {
  const reportAfter = Effect.fnUntraced(function* (...answers: ReadonlyArray<Scripted>) {
    const fake = yield* fakeIppanel()
    const account = connected(ippanelAdapter(yield* ProviderHttp, `${fake.url}/v1`), settings)
    fake.script(...answers)
    return yield* account.deliveryReport?.("42") ?? Effect.die("no reports")
  })

  it.effect.each([3, 4, 7, 8, 9])("reports what was accepted, but never sent: state %i", (state_id) =>
    Effect.gen(function* () {
      const bulk = ippanelAnswer(200, "200-1", { state_id })
      expect(yield* reportAfter(ippanelAnswer(200, "200-1", []), bulk)).toMatchObject({
        _tag: "Undelivered",
        providerError: expect.stringContaining(`${state_id}`)
      })
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect.each([
    ["422", ippanelAnswer(422, "400-31")],
    ["400", ippanelAnswer(400, "400-31")],
    ["a page", { status: 404, text: "<html>" }]
  ] as const)("reports that it was rejected if the recipients' report is refused with %s", ([, refusal]) =>
    Effect.gen(function* () {
      const rejected = ippanelAnswer(200, "200-1", { state_id: 3 })
      expect(yield* reportAfter(refusal, rejected)).toMatchObject({ _tag: "Undelivered" })
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("reports nothing if both reports are refused", () =>
    Effect.gen(function* () {
      const refusal = ippanelAnswer(400, "400-31")
      expect(yield* reportAfter(refusal, refusal)).toMatchObject({ _tag: "NotKnown" })
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("puts a code into the variable that it names", () =>
    Effect.gen(function* () {
      const fake = yield* fakeIppanel()
      const adapter = ippanelAdapter(yield* ProviderHttp, `${fake.url}/v1`)
      const account = connected(adapter, { ...settings, otp_parameter: "otp" })
      expectOutcome(yield* account.sendCode(delivery("sms")), request)
      expect(fake.received[0]?.json).toMatchObject({ params: { otp: CODE } })
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("sends only what its settings suffice for", () =>
    Effect.gen(function* () {
      const adapter = ippanelAdapter(yield* ProviderHttp, "http://127.0.0.1:1")
      const traits = (given: object) => connected(adapter, { api_key: "k", ...given }).traits
      expect(traits({ otp_pattern: "p" })).toMatchObject({ sendsCodes: false, sendsTexts: false })
      expect(traits({ from_number: IPPANEL_LINE })).toMatchObject({ sendsCodes: false, sendsTexts: true })
    }).pipe(Effect.provide(ProviderHttpTest))
  )
})
