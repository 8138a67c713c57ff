import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { ProviderHttp } from "../../../../src/layers/provider/ProviderHttp.ts"
import { farazsmsAdapter } from "../../../../src/layers/provider/adapters/Farazsms.ts"
import { CODE, connected, delivery, expectOutcome, ProviderHttpTest, TEXT } from "../kit/AdapterTest.ts"
import { checkOf } from "../kit/CheckOf.ts"
import { accepted, configuration, request, throttled, unknown } from "../kit/ProviderCase.ts"
import { describeProvider } from "../kit/ProviderKit.ts"
import { sentJson } from "../kit/SendTests.ts"
import {
  fakeFarazsms,
  FARAZSMS_KEY,
  FARAZSMS_LINE,
  FARAZSMS_PATTERN,
  farazsmsAnswer
} from "../../../support/fakes/FakeFarazsms.ts"

const settings = { api_key: FARAZSMS_KEY, line_number: FARAZSMS_LINE, otp_pattern: FARAZSMS_PATTERN }

const sent = (kind: string, json: object) =>
  sentJson(
    `POST /ws/v1/sms/${kind}`,
    { line_number: FARAZSMS_LINE, number_format: "english", schedule: null, ...json },
    { "api-key": FARAZSMS_KEY }
  )

describeProvider({
  name: "farazsms",
  channel: "sms",
  fake: fakeFarazsms(),
  adapter: farazsmsAdapter,
  settings: () => settings,
  credentials: ["api_key"],
  sends: {
    code: sent("pattern", {
      code: FARAZSMS_PATTERN,
      attributes: { code: CODE },
      recipient: "09123456789"
    }),
    text: sent("simple", { text: TEXT, recipients: ["09123456789"] })
  },
  unlisted: [{ json: { status: "error", data: 0, code: 9 } }, "request"],
  refusal: (words) => farazsmsAnswer(422, words),
  answers: [
    ["a refusal", farazsmsAnswer(422, "words"), { ...request, providerError: "words" }],
    [
      "a refusal that names fields",
      farazsmsAnswer(422, { code: ["wrong"] }),
      { ...request, providerError: '{"code":["wrong"]}' }
    ],
    ["a wrong key", farazsmsAnswer(401, "words"), { ...configuration, providerError: "words" }],
    ["too many requests", farazsmsAnswer(429, "words"), { ...throttled, retryAfterMillis: null }],
    ["an error of the server", farazsmsAnswer(500, "words"), unknown],
    [
      "an error under HTTP 200",
      { json: { status: "error", code: 7, message: "words" } },
      { ...request, providerError: "7 words" }
    ],
    ["success under HTTP 500", { status: 500, json: { status: "success", data: 0 } }, unknown],
    ["success, without any id", farazsmsAnswer(201, "queued", 0), { ...accepted, messageId: null }]
  ],
  wrongSettings: [
    [{ api_key: "SECRET with space" }, "api_key must be"],
    [{ api_key: "k", line_number: "SECRET" }, "line_number must be 4 to 15 digits"],
    [{ api_key: "k", otp_pattern: "SECRET name" }, "otp_pattern must be"]
  ],
  check: { finds: "credit 350000", credit: 350_000, refuses: { api_key: "wrong-key-0123456789" } },
  reports: null
})

describe("farazsms: an account", () => {
  const accountWith = (given: object) =>
    Effect.gen(function* () {
      const fake = yield* fakeFarazsms()
      const adapter = farazsmsAdapter(yield* ProviderHttp, fake.url)
      return { fake, account: connected(adapter, { api_key: FARAZSMS_KEY, ...given }) }
    })

  it.effect("without a line sends codes from the line that all share, and no texts", () =>
    Effect.gen(function* () {
      const { fake, account } = yield* accountWith({ otp_pattern: FARAZSMS_PATTERN })
      expect(account.traits).toMatchObject({ sendsCodes: true, sendsTexts: false })
      expectOutcome(yield* account.sendCode(delivery("sms")), accepted)
      expect(fake.received[0]?.json).toMatchObject({ line_number: "90008361" })
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("is found wrong when its pattern, or the variable of it, does not exist", () =>
    Effect.gen(function* () {
      const wrongPattern = yield* accountWith({ otp_pattern: "other" })
      const problem = yield* Effect.flip(checkOf(wrongPattern.account))
      expect(problem).toMatchObject({ isDefinite: true, message: "pattern other: Not found." })
      const wrongVariable = yield* accountWith({ otp_pattern: FARAZSMS_PATTERN, otp_parameter: "token" })
      expect(yield* Effect.flip(checkOf(wrongVariable.account))).toMatchObject({
        isDefinite: true,
        message: "pattern SJ3FgPrE0C has no variable token; it has: code"
      })
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("reads a balance that is a mere number", () =>
    Effect.gen(function* () {
      const { fake, account } = yield* accountWith({})
      fake.script(farazsmsAnswer(200, null, 1000))
      expect(yield* checkOf(account)).toBe("credit 1000")
    }).pipe(Effect.provide(ProviderHttpTest))
  )
})
