import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { DeliveryReport } from "../../../../src/domain/ProviderOutcome.ts"
import { ProviderHttp } from "../../../../src/layers/provider/ProviderHttp.ts"
import { smsirAdapter } from "../../../../src/layers/provider/adapters/Smsir.ts"
import { CODE, connected, delivery, type Expected, ProviderHttpTest, TEXT } from "../kit/AdapterTest.ts"
import { accepted, configuration, recipient, request, throttled, unknown } from "../kit/ProviderCase.ts"
import { describeProvider } from "../kit/ProviderKit.ts"
import { sentJson } from "../kit/SendTests.ts"
import type { Scripted } from "../../../support/fakes/FakeFarEnd.ts"
import { fakeSmsir, SMSIR_KEY, smsirAnswer } from "../../../support/fakes/FakeSmsir.ts"

const settings = { api_key: SMSIR_KEY, line_number: 30_007_732_000_000, otp_template_id: 123_456 }

/** The documented codes and their outcomes. */
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

const others: ReadonlyArray<readonly [string, Scripted, Expected, "code"]> = [
  ["success without data", smsirAnswer(1, "ok"), { ...accepted, messageId: null }, "code"],
  ["success with HTTP 500", smsirAnswer(1, "ok", { messageId: 5 }, 500), unknown, "code"],
  ["an undocumented status with 400", smsirAnswer(999, "?", null, 400), request, "code"],
  ["an undocumented status with 200", smsirAnswer(999, "?", null, 200), request, "code"],
  ["an undocumented status with 401", smsirAnswer(999, "?", null, 401), configuration, "code"],
  ["an undocumented status with 500", smsirAnswer(999, "?", null, 500), unknown, "code"],
  [
    "too many requests with 429",
    smsirAnswer(20, "?", null, 429),
    { ...throttled, retryAfterMillis: null },
    "code"
  ],
  ["a status that is a text", { json: { status: "1", message: "ok" } }, accepted, "code"],
  ["a status that is no number", { json: { status: "one", message: "ok" } }, unknown, "code"]
]

const pack = (data: unknown) => smsirAnswer(1, "ok", data)
const packs: ReadonlyArray<readonly [string, Scripted, Expected, "text"]> = [
  ["a pack with an id", pack({ messageIds: [42] }), { ...accepted, messageId: "42" }, "text"],
  ["a pack with id 0: blacklisted", pack({ messageIds: [0] }), recipient, "text"],
  ["a pack with a null id: invalid", pack({ messageIds: [null] }), recipient, "text"],
  ["a pack with the text 0: blacklisted", pack({ messageIds: ["0"] }), recipient, "text"],
  ["a pack with an id as a text", pack({ messageIds: ["876"] }), { ...accepted, messageId: "876" }, "text"],
  [
    "a pack with an id too long for a number",
    { text: '{"status":1,"message":"ok","data":{"messageIds":[9007199254740993]}}' },
    { ...accepted, messageId: "9007199254740993" },
    "text"
  ],
  ["a pack with no ids", pack({ messageIds: [] }), { ...accepted, messageId: null }, "text"],
  ["a pack without ids", pack({ packId: "x" }), { ...accepted, messageId: null }, "text"],
  ["a pack with two ids", pack({ messageIds: [1, 2] }), { ...accepted, messageId: "1" }, "text"],
  ["a success without a pack", pack(null), { ...accepted, messageId: null }, "text"]
]

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

describeProvider({
  name: "smsir",
  channel: "sms",
  fake: fakeSmsir(),
  adapter: (http, url) => smsirAdapter(http, `${url}/v1`),
  settings: () => settings,
  credentials: ["api_key"],
  sends: {
    code: sentJson(
      "POST /v1/send/verify",
      { mobile: "09123456789", templateId: 123_456, parameters: [{ name: "CODE", value: CODE }] },
      { "x-api-key": SMSIR_KEY }
    ),
    text: sentJson(
      "POST /v1/send/bulk",
      { lineNumber: 30_007_732_000_000, messageText: TEXT, mobiles: ["09123456789"], sendDateTime: null },
      { "x-api-key": SMSIR_KEY }
    )
  },
  unlisted: [{ json: { status: 150, message: "?", data: null } }, "request"],
  refusal: (words) => smsirAnswer(104, words, null, 400),
  answers: [
    ...documented.map(
      ([status, message, expected]) =>
        [
          `status ${status}, ${message}`,
          smsirAnswer(status, message, null, 400),
          { ...expected, providerError: `${status} ${message}` }
        ] as const
    ),
    ...others,
    ...packs
  ],
  wrongSettings: [
    [{ api_key: "SECRET with space" }, "api_key must be"],
    [{ api_key: "k", line_number: "SECRET" }, "line_number must be a positive whole number"],
    [{ api_key: "k", otp_template_id: 0 }, "otp_template_id must be a positive whole number"],
    [{ api_key: "k", otp_parameter: "#CODE#" }, "otp_parameter must be"]
  ],
  check: { finds: "credit 18450.5", credit: 18_450.5, refuses: { api_key: "wrong-key-0123456789" } },
  reports: [
    ...states.map(
      ([deliveryState, tag]) =>
        [
          `state ${deliveryState}`,
          smsirAnswer(1, "ok", { deliveryState, deliveryDateTime: null }),
          { _tag: tag }
        ] as const
    ),
    [
      "when it was delivered",
      smsirAnswer(1, "ok", { deliveryState: 1, deliveryDateTime: 1_763_000_007 }),
      { _tag: "Delivered", at: 1_763_000_007_000 }
    ],
    ...untimely.map(
      ([name, time]) =>
        [
          `a delivery whose time is ${name}`,
          smsirAnswer(1, "ok", { deliveryState: 1, ...time }),
          { _tag: "Delivered", at: null }
        ] as const
    ),
    ["nothing of a message that it does not find", smsirAnswer(111, "?", null, 400), { _tag: "NotKnown" }]
  ]
})

describe("smsir: an account", () => {
  const adapterOf = Effect.map(ProviderHttp, (http) => smsirAdapter(http, "http://127.0.0.1:1/v1"))

  it.effect("puts a code into the parameter that it names", () =>
    Effect.gen(function* () {
      const fake = yield* fakeSmsir()
      const adapter = smsirAdapter(yield* ProviderHttp, `${fake.url}/v1`)
      yield* connected(adapter, { ...settings, otp_parameter: "TOKEN" }).sendCode(delivery("sms"))
      expect(fake.received[0]?.json).toMatchObject({ parameters: [{ name: "TOKEN", value: CODE }] })
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
})
