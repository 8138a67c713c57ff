import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { DeliveryReport } from "../../../../src/domain/ProviderOutcome.ts"
import { ProviderHttp } from "../../../../src/layers/provider/ProviderHttp.ts"
import { kavenegarAdapter } from "../../../../src/layers/provider/adapters/Kavenegar.ts"
import {
  CODE,
  connected,
  delivery,
  type Expected,
  expectOutcome,
  ProviderHttpTest,
  TEXT
} from "../kit/AdapterTest.ts"
import {
  accepted,
  configuration,
  type Kind,
  type ProviderCase,
  recipient,
  request,
  throttled,
  unknown
} from "../kit/ProviderCase.ts"
import { describeProvider } from "../kit/ProviderKit.ts"
import { sentForm } from "../kit/SendTests.ts"
import type { Scripted } from "../../../support/fakes/FakeFarEnd.ts"
import {
  fakeKavenegar,
  KAVENEGAR_KEY,
  KAVENEGAR_LINE,
  KAVENEGAR_TEMPLATE,
  kavenegarAnswer
} from "../../../support/fakes/FakeKavenegar.ts"

const settings = { api_key: KAVENEGAR_KEY, sender: KAVENEGAR_LINE, otp_template: KAVENEGAR_TEMPLATE }

/** The documented codes, and what each means. */
const documented: ReadonlyArray<readonly [number, Expected]> = [
  [400, request],
  [401, configuration],
  [402, unknown],
  [403, configuration],
  [404, configuration],
  [405, configuration],
  [406, request],
  [407, configuration],
  [409, unknown],
  [411, recipient],
  [412, configuration],
  [413, request],
  [414, request],
  [415, request],
  [416, configuration],
  [417, request],
  [418, configuration],
  [419, request],
  [420, request],
  [422, request],
  [424, configuration],
  [426, configuration],
  [427, configuration],
  [428, request],
  [429, configuration],
  [431, request],
  [432, configuration],
  [451, { ...throttled, retryAfterMillis: null }],
  [501, configuration],
  [607, configuration]
]

const entries = (entry: object) => kavenegarAnswer(200, "ok", [entry])

const answers: ReadonlyArray<readonly [string, Scripted, Expected, Kind?]> = [
  ...documented.flatMap(([status, expected]) => [
    [
      `${status}`,
      kavenegarAnswer(status, "words"),
      { ...expected, providerError: `${status} words` }
    ] as const,
    [`${status} under HTTP 200`, kavenegarAnswer(status, "words", null, 200), expected] as const
  ]),
  ["an entry as an object", kavenegarAnswer(200, "ok", { messageid: 42 }), { ...accepted, messageId: "42" }],
  ["an entry without an id", entries({ status: 5 }), { ...accepted, messageId: null }],
  ["no entries", kavenegarAnswer(200, "ok"), { ...accepted, messageId: null }],
  [
    "an id too long for a number",
    { text: '{"return":{"status":200},"entries":[{"messageid":204215121115944307}]}' },
    { ...accepted, messageId: "204215121115944307" }
  ],
  [
    "a recipient who refuses advertising",
    entries({ messageid: 42, status: 14, statustext: "blocked" }),
    recipient
  ],
  ["success under HTTP 500", kavenegarAnswer(200, "ok", [{ messageid: 42 }], 500), unknown],
  ["a status that no document has", kavenegarAnswer(499, "?"), { ...request, providerError: "499 ?" }],
  ["a status that no document has, under HTTP 200", kavenegarAnswer(499, "?", null, 200), request]
]

const states: ReadonlyArray<readonly [number, DeliveryReport["_tag"]]> = [
  [1, "InProgress"],
  [2, "InProgress"],
  [4, "InProgress"],
  [5, "InProgress"],
  [6, "Undelivered"],
  [10, "Delivered"],
  [11, "Undelivered"],
  [13, "Undelivered"],
  [14, "Undelivered"],
  [99, "InProgress"],
  [100, "NotKnown"]
]

const sms: ProviderCase = {
  name: "kavenegar",
  channel: "sms",
  fake: fakeKavenegar(),
  adapter: (http, url) => kavenegarAdapter(http, `${url}/v1`),
  settings: () => settings,
  credentials: ["api_key"],
  sends: {
    code: sentForm(`POST /v1/${KAVENEGAR_KEY}/verify/lookup.json`, {
      receptor: "09123456789",
      template: KAVENEGAR_TEMPLATE,
      token: CODE
    }),
    text: sentForm(`POST /v1/${KAVENEGAR_KEY}/sms/send.json`, {
      receptor: "09123456789",
      message: TEXT,
      sender: KAVENEGAR_LINE,
      localid: "7326227498208195812"
    })
  },
  unlisted: [{ json: { return: { status: 999, message: "?" }, entries: null } }, "request"],
  refusal: (words) => kavenegarAnswer(411, words),
  answers,
  wrongSettings: [
    [{ api_key: "SECRET with space" }, "api_key must be"],
    [{ api_key: "k", sender: "SECRET" }, "sender must be 4 to 15 digits"],
    [{ api_key: "k", otp_template: "SECRET name" }, "otp_template must be"],
    [{ api_key: "k", otp_token: "SECRET" }, "otp_token Expected"]
  ],
  check: { finds: "credit 1500000", credit: 1_500_000, refuses: { api_key: "wrong-key-0123456789" } },
  reports: [
    ...states.map(
      ([status, tag]) => [`status ${status}`, entries({ messageid: 42, status }), { _tag: tag }] as const
    ),
    ["nothing where it refuses", kavenegarAnswer(414, "?"), { _tag: "NotKnown" }]
  ]
}

describeProvider(sms)

describeProvider({
  ...sms,
  name: "kavenegar, a call that reads the template",
  channel: "voice",
  sends: {
    code: sentForm(`POST /v1/${KAVENEGAR_KEY}/verify/lookup.json`, {
      receptor: "09123456789",
      template: KAVENEGAR_TEMPLATE,
      token: CODE,
      type: "call"
    })
  }
})

describeProvider({
  ...sms,
  name: "kavenegar, a call that reads our text",
  channel: "voice",
  settings: () => ({ api_key: KAVENEGAR_KEY }),
  sends: {
    code: sentForm(`POST /v1/${KAVENEGAR_KEY}/call/maketts.json`, { receptor: "09123456789", message: TEXT })
  }
})

describe("kavenegar: an account", () => {
  const accountWith = (changes: object) =>
    Effect.gen(function* () {
      const fake = yield* fakeKavenegar()
      const adapter = kavenegarAdapter(yield* ProviderHttp, `${fake.url}/v1`)
      const fields = () => Object.fromEntries(new URLSearchParams(fake.received.at(-1)?.body))
      return { fields, account: connected(adapter, { ...settings, ...changes }) }
    })

  it.effect("puts a code into the variable that it names, and into the one that is demanded", () =>
    Effect.gen(function* () {
      const { account, fields } = yield* accountWith({ otp_token: "token20" })
      expectOutcome(yield* account.sendCode(delivery("sms")), accepted)
      expect(fields()).toMatchObject({ token: CODE, token20: CODE })
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("without a sender leaves the line to the panel", () =>
    Effect.gen(function* () {
      const fake = yield* fakeKavenegar()
      const adapter = kavenegarAdapter(yield* ProviderHttp, `${fake.url}/v1`)
      const account = connected(adapter, { api_key: KAVENEGAR_KEY })
      expect(account.traits).toMatchObject({ sendsCodes: false, sendsTexts: true })
      expectOutcome(yield* account.sendText(delivery("sms")), accepted)
      expect(new URLSearchParams(fake.received[0]?.body).has("sender")).toBe(false)
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("de-duplicates texts, and no codes", () =>
    Effect.gen(function* () {
      const { account } = yield* accountWith({})
      expect(account.traits).toMatchObject({
        deduplicatesCodes: false,
        deduplicatesTexts: true,
        cooldownByKind: true
      })
      const first = yield* account.sendText(delivery("sms", { attemptId: "a-1" }))
      const another = yield* account.sendText(delivery("sms", { attemptId: "a-2" }))
      expect(another).not.toEqual(first)
    }).pipe(Effect.provide(ProviderHttpTest))
  )
})
