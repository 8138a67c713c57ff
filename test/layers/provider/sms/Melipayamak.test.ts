import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { DeliveryReport } from "../../../../src/domain/ProviderOutcome.ts"
import { ProviderHttp } from "../../../../src/layers/provider/ProviderHttp.ts"
import { melipayamakAdapter } from "../../../../src/layers/provider/adapters/Melipayamak.ts"
import { CODE, connected, type Expected, ProviderHttpTest, TEXT } from "../kit/AdapterTest.ts"
import { checkOf } from "../kit/CheckOf.ts"
import {
  accepted,
  configuration,
  type Kind,
  recipient,
  request,
  throttled,
  unavailable,
  unknown
} from "../kit/ProviderCase.ts"
import { describeProvider } from "../kit/ProviderKit.ts"
import { sentForm } from "../kit/SendTests.ts"
import type { Scripted } from "../../../support/fakes/FakeFarEnd.ts"
import {
  fakeMelipayamak,
  MELIPAYAMAK_BODY_ID,
  MELIPAYAMAK_LINE,
  MELIPAYAMAK_PASSWORD,
  MELIPAYAMAK_USER,
  melipayamakAnswer
} from "../../../support/fakes/FakeMelipayamak.ts"

const login = { username: MELIPAYAMAK_USER, password: MELIPAYAMAK_PASSWORD }
const settings = { ...login, from: MELIPAYAMAK_LINE, otp_body_id: MELIPAYAMAK_BODY_ID }

/** The documented meanings of `Value`. */
const documented: ReadonlyArray<readonly [number, Expected, Kind?]> = [
  [0, configuration],
  [2, configuration],
  [6, unavailable],
  [7, request],
  [10, configuration],
  [11, unknown],
  [12, configuration],
  [16, recipient],
  [17, request],
  [18, recipient],
  [35, recipient],
  [108, configuration],
  [109, configuration],
  [110, configuration],
  [-1, configuration, "code"],
  [-2, request, "code"],
  [-3, configuration, "code"],
  [-4, configuration, "code"],
  [-5, configuration, "code"],
  [-6, unknown, "code"],
  [-7, configuration, "code"],
  [-10, request, "code"],
  [3, throttled, "text"],
  [4, throttled, "text"],
  [5, configuration, "text"],
  [9, configuration, "text"],
  [14, request, "text"],
  [15, request, "text"]
]

const answers: ReadonlyArray<readonly [string, Scripted, Expected, Kind?]> = [
  ...documented.flatMap(([value, expected, ...kind]) => [
    [
      `${value}`,
      melipayamakAnswer(String(value)),
      { ...expected, providerError: `${value} Ok` },
      ...kind
    ] as const,
    [`${value} as a number`, melipayamakAnswer(value), expected, ...kind] as const
  ]),
  [
    "an id as a bare number",
    { text: '{"Value":5243690627088685351,"RetStatus":1,"StrRetStatus":"Ok"}' },
    { ...accepted, messageId: "5243690627088685351" }
  ],
  ["invalid data", melipayamakAnswer("0", 35, "InvalidData"), { ...request, providerError: "0 InvalidData" }],
  ["a wrong login", melipayamakAnswer("0", 0), configuration],
  ["the value 0 of another failure", melipayamakAnswer("0", 2), request],
  ["invalid data with an undocumented value", melipayamakAnswer("99", 35), request],
  ["a blacklisted number, and invalid data", melipayamakAnswer("35", 35), recipient],
  ["an undocumented code", melipayamakAnswer("99"), request],
  ["an undocumented code below zero", melipayamakAnswer("-99"), request],
  ["an undocumented status", melipayamakAnswer("constructor", 7), request],
  ["the name of a method of every object", melipayamakAnswer("constructor"), unknown],
  ["an id without success", melipayamakAnswer("5243690627088685351", 0), unknown],
  ["a short id", melipayamakAnswer("123456"), { ...accepted, messageId: "123456" }],
  ["no value", melipayamakAnswer(null), unknown],
  ["an empty value", melipayamakAnswer(""), unknown],
  ["no value without success", melipayamakAnswer(null, 7), request],
  ["success under HTTP 500", { status: 500, json: { Value: "5243690627088685351", RetStatus: 1 } }, unknown]
]

const states: ReadonlyArray<readonly [string, DeliveryReport["_tag"]]> = [
  ["0", "InProgress"],
  ["1", "Delivered"],
  ["2", "Undelivered"],
  ["3", "Undelivered"],
  ["5", "NotKnown"],
  ["8", "InProgress"],
  ["16", "Undelivered"],
  ["35", "Undelivered"],
  ["100", "NotKnown"],
  ["200", "InProgress"],
  ["300", "Undelivered"],
  ["400", "InProgress"],
  ["500", "Undelivered"]
]

describeProvider({
  name: "melipayamak",
  channel: "sms",
  fake: fakeMelipayamak(),
  adapter: (http, url) => melipayamakAdapter(http, `${url}/api`),
  settings: () => settings,
  credentials: ["password"],
  idSaysYes: "as a number",
  sends: {
    code: sentForm("POST /api/SendSMS/BaseServiceNumber", {
      ...login,
      to: "09123456789",
      bodyId: String(MELIPAYAMAK_BODY_ID),
      text: CODE
    }),
    text: sentForm("POST /api/SendSMS/SendSMS", {
      ...login,
      to: "09123456789",
      from: MELIPAYAMAK_LINE,
      text: TEXT,
      isFlash: "false"
    })
  },
  unlisted: [{ json: { Value: "0", RetStatus: 77, StrRetStatus: "?" } }, "request"],
  refusal: (words) => melipayamakAnswer("18", 1, words),
  answers,
  wrongSettings: [
    [{ password: "p" }, "username is missing"],
    [{ ...login, password: "SECRET with space" }, "password must be"],
    [{ ...login, from: "SECRET" }, "from must be 4 to 15 digits"],
    [{ ...login, otp_body_id: "SECRET" }, "otp_body_id must be a positive whole number"]
  ],
  check: { finds: "credit 1204.5", credit: 1204.5, refuses: { password: "wrong-password-0123456789" } },
  reports: [
    ...states.map(([value, tag]) => [`code ${value}`, melipayamakAnswer(value), { _tag: tag }] as const),
    ["nothing by the name of a method", melipayamakAnswer("constructor"), { _tag: "NotKnown" }],
    ["nothing where it refuses", melipayamakAnswer("0", 0), { _tag: "NotKnown" }]
  ]
})

describe("melipayamak: an account", () => {
  it.effect.each([
    [MELIPAYAMAK_LINE, "credit 1204.5"],
    ["50009999", "credit 1204.5; line 50009999 is not among the account's: 50004001, 50004002"]
  ] as const)("with the line %s is found to have: %s", ([from, found]) =>
    Effect.gen(function* () {
      const fake = yield* fakeMelipayamak()
      const adapter = melipayamakAdapter(yield* ProviderHttp, `${fake.url}/api`)
      expect(yield* checkOf(connected(adapter, { ...login, from }))).toBe(found)
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("sends only what its settings suffice for", () =>
    Effect.gen(function* () {
      const adapter = melipayamakAdapter(yield* ProviderHttp, "http://127.0.0.1:1")
      const traits = (given: object) => connected(adapter, { ...login, ...given }).traits
      expect(traits({})).toMatchObject({ sendsCodes: false, sendsTexts: false })
      expect(traits({ from: "5000" })).toMatchObject({ sendsCodes: false, sendsTexts: true })
      expect(traits({ otp_body_id: 7 })).toMatchObject({ sendsCodes: true, sendsTexts: false })
    }).pipe(Effect.provide(ProviderHttpTest))
  )
})
