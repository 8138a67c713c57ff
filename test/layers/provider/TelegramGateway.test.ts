import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { TestClock } from "effect/testing"
import { Phone } from "../../../src/domain/Phone.ts"
import type { DeliveryReport } from "../../../src/domain/ProviderOutcome.ts"
import { ProviderHttp } from "../../../src/layers/provider/ProviderHttp.ts"
import { telegramGatewayAdapter } from "../../../src/layers/provider/adapters/TelegramGateway.ts"
import {
  CODE,
  connected,
  delivery,
  type Expected,
  expectOutcome,
  ProviderHttpTest
} from "./kit/AdapterTest.ts"
import {
  accepted,
  configuration,
  recipient,
  request,
  throttled,
  unavailable,
  unknown
} from "./kit/ProviderCase.ts"
import { describeProvider } from "./kit/ProviderKit.ts"
import { sentJson } from "./kit/SendTests.ts"
import type { Scripted } from "../../support/fakes/FakeFarEnd.ts"
import {
  fakeTelegramGateway,
  GATEWAY_SENDER,
  GATEWAY_STRANGER,
  GATEWAY_TOKEN,
  gatewayError,
  gatewayResult
} from "../../support/fakes/FakeTelegramGateway.ts"

const able = gatewayResult({ request_id: "42", phone_number: "989123456789", request_cost: 0.01 })

const errors: ReadonlyArray<readonly [string, Expected]> = [
  ["ACCESS_TOKEN_INVALID", configuration],
  ["ACCESS_TOKEN_REQUIRED", configuration],
  ["SENDER_USERNAME_INVALID", configuration],
  ["SENDER_NOT_VERIFIED", configuration],
  ["SENDER_NOT_OWNED", configuration],
  ["BALANCE_NOT_ENOUGH", configuration],
  ["CALLBACK_URL_INVALID", configuration],
  ["UNKNOWN_METHOD", configuration],
  ["PHONE_NUMBER_INVALID", recipient],
  ["PHONE_NUMBER_NOT_FOUND", recipient],
  ["PHONE_NUMBER_NOT_AVAILABLE", recipient],
  ["CODE_INVALID", request],
  ["CODE_LENGTH_INVALID", request],
  ["TTL_INVALID", request],
  ["PAYLOAD_INVALID", request],
  ["REQUEST_ID_INVALID", request],
  ["PHONE_NUMBER_MISMATCH", request],
  ["FLOOD_WAIT_17", { ...throttled, retryAfterMillis: 17_000 }],
  ["FLOOD_WAIT", { ...throttled, retryAfterMillis: null }],
  ["INTERNAL_ERROR", unknown],
  ["NEVER_HEARD_OF", recipient],
  ["constructor", recipient]
]

const answers: ReadonlyArray<readonly [string, Scripted, Expected]> = [
  ...errors.map(
    ([name, expected]) => [name, gatewayError(name), { ...expected, providerError: name }] as const
  ),
  ["an unknown error under HTTP 400", gatewayError("NEVER_HEARD_OF", 400), request],
  ["an unknown error under HTTP 401", gatewayError("NEVER_HEARD_OF", 401), configuration],
  ["an unknown error under HTTP 500", gatewayError("NEVER_HEARD_OF", 500), unknown],
  ["success", gatewayResult({ request_id: "43" }), { ...accepted, messageId: "43" }],
  ["success without an id", gatewayResult({}), { ...accepted, messageId: "42" }],
  ["MESSAGE_ALREADY_SENT", gatewayError("MESSAGE_ALREADY_SENT"), { ...accepted, messageId: "42" }]
]

const states: ReadonlyArray<readonly [string, DeliveryReport["_tag"]]> = [
  ["sent", "InProgress"],
  ["delivered", "Delivered"],
  ["read", "Delivered"],
  ["expired", "Undelivered"],
  ["revoked", "Undelivered"],
  ["new_one", "InProgress"]
]

describeProvider({
  name: "telegram_gateway",
  channel: "telegram",
  fake: fakeTelegramGateway(),
  adapter: telegramGatewayAdapter,
  settings: () => ({ token: GATEWAY_TOKEN }),
  credentials: ["token"],
  opening: [able],
  repeats: true,
  success: { ok: true, result: { request_id: "42", request_cost: 0.01 } },
  sends: {
    code: sentJson(
      "POST /sendVerificationMessage",
      { phone_number: "+989123456789", request_id: expect.any(String), code: CODE, ttl: 300 },
      { authorization: `Bearer ${GATEWAY_TOKEN}` }
    )
  },
  unlisted: [{ json: { ok: false, error: "SOMETHING_ELSE" } }, "recipient"],
  refusal: (words) => gatewayError(words),
  answers,
  wrongSettings: [
    [{ token: "SECRET with space" }, "token must be"],
    [{ token: "t", sender_username: "SECRET name" }, "sender_username must be"]
  ],
  check: { finds: "the token is accepted", refuses: { token: "wrong-token-0123456789" } },
  reports: [
    ...states.map(
      ([status, tag]) =>
        [
          `status ${status}`,
          gatewayResult({ request_id: "42", delivery_status: { status } }),
          { _tag: tag }
        ] as const
    ),
    [
      "when it was delivered",
      gatewayResult({ delivery_status: { status: "read", updated_at: 1_763_000_007 } }),
      { _tag: "Delivered", at: 1_763_000_007_000 }
    ],
    ...[1_763_000_007_000, 1_763_000_007_000_000, 1.5, -1, "99999999999999999999", null].map(
      (updated_at) =>
        [
          `no time where it says ${updated_at}`,
          gatewayResult({ delivery_status: { status: "read", updated_at } }),
          { _tag: "Delivered", at: null }
        ] as const
    ),
    ["nothing before it was sent", gatewayResult({ request_id: "42" }), { _tag: "NotKnown" }],
    ["nothing where it refuses", gatewayError("REQUEST_ID_INVALID"), { _tag: "NotKnown" }]
  ]
})

describe("telegram_gateway: an account", () => {
  const accountWith = (changes: object = {}) =>
    Effect.gen(function* () {
      const fake = yield* fakeTelegramGateway()
      const adapter = telegramGatewayAdapter(yield* ProviderHttp, fake.url)
      return { fake, account: connected(adapter, { token: GATEWAY_TOKEN, ...changes }) }
    })

  it.effect("asks whether it can send, and sends with the id of that question", () =>
    Effect.gen(function* () {
      const { fake, account } = yield* accountWith()
      const outcome = yield* account.sendCode(delivery("telegram"))
      const [question, sent] = fake.received
      expect(question).toMatchObject({ path: "/checkSendAbility", json: { phone_number: "+989123456789" } })
      const { request_id } = Object(sent?.json)
      expect(outcome).toEqual({ _tag: "Accepted", messageId: request_id })
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  const answerLost: ReadonlyArray<readonly [string, Scripted]> = [
    ["the connection broke", "reset"],
    ["the answer was cut", "cut"],
    ["the server failed", { status: 502, text: "<html>" }]
  ]

  it.effect.each(answerLost)("sends no second code when it went out, and %s", ([, fault]) =>
    Effect.gen(function* () {
      const { fake, account } = yield* accountWith()
      fake.script(fake.behave, (received) => {
        fake.behave(received)
        return fault as Exclude<typeof fault, Function>
      })
      const outcome = yield* account.sendCode(delivery("telegram"))
      expect(outcome._tag).toBe("Accepted")
      expect(fake.sentCount()).toBe(1)
      const ids = fake.received.slice(1).map(({ json }) => Object(json).request_id)
      expect(new Set(ids).size).toBe(1)
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect.each([
    ["an unknown error", "NEVER_HEARD_OF", unknown],
    ["the name of a method of every object", "constructor", unknown],
    ["no credit", "BALANCE_NOT_ENOUGH", unknown],
    ["a number that is not on Telegram", "PHONE_NUMBER_NOT_FOUND", recipient]
  ] as const)(
    "takes a refused repeat of a lost send for its outcome only if the number is the cause: %s",
    ([, error, expected]) =>
      Effect.gen(function* () {
        const { fake, account } = yield* accountWith()
        fake.script(able, "cut", gatewayError(error))
        expectOutcome(yield* account.sendCode(delivery("telegram")), expected)
        expect(fake.received).toHaveLength(3)
      }).pipe(Effect.provide(ProviderHttpTest))
  )

  const questionFailed: ReadonlyArray<readonly [string, Scripted, Expected]> = [
    ["a reset", "reset", unavailable],
    ["a page", { status: 502, text: "<html>" }, unavailable],
    ["nothing of use", gatewayResult({}), unavailable],
    ["a flood wait", gatewayError("FLOOD_WAIT_5"), { ...throttled, retryAfterMillis: 5000 }],
    ["no credit", gatewayError("BALANCE_NOT_ENOUGH"), configuration]
  ]

  it.effect.each(questionFailed)(
    "has sent nothing for certain when its question gets %s",
    ([, answer, expected]) =>
      Effect.gen(function* () {
        const { fake, account } = yield* accountWith()
        fake.script(answer)
        expectOutcome(yield* account.sendCode(delivery("telegram")), expected)
        expect(fake.received).toHaveLength(1)
      }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("does not try a number that is not on Telegram", () =>
    Effect.gen(function* () {
      const { fake, account } = yield* accountWith()
      const stranger = delivery("telegram", { phone: Phone.make(GATEWAY_STRANGER) })
      expectOutcome(yield* account.sendCode(stranger), recipient)
      expect(fake.received).toHaveLength(1)
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  const ttls: ReadonlyArray<readonly [number, number]> = [
    [10_000, 30],
    [90_500, 90],
    [86_400_000, 3600]
  ]

  it.effect.each(ttls)(
    "gives Telegram as long as the code is valid, from 30 seconds to an hour: %i ms",
    ([left, ttl]) =>
      Effect.gen(function* () {
        const { fake, account } = yield* accountWith()
        yield* TestClock.adjust("1 hour")
        yield* account.sendCode(delivery("telegram", { expiresAt: 3_600_000 + left }))
        expect(fake.received[1]?.json).toMatchObject({ ttl })
      }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect.each(["123", "123456789", "12345a"])("refuses the code %j without a call", (code) =>
    Effect.gen(function* () {
      const { fake, account } = yield* accountWith()
      expectOutcome(yield* account.sendCode(delivery("telegram", { code: Redacted.make(code) })), request)
      expect(fake.received).toEqual([])
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("sends from its own channel, with or without the @", () =>
    Effect.gen(function* () {
      const { fake, account } = yield* accountWith({ sender_username: `@${GATEWAY_SENDER}` })
      expectOutcome(yield* account.sendCode(delivery("telegram")), accepted)
      expect(fake.received[1]?.json).toMatchObject({ sender_username: GATEWAY_SENDER })
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("sends no texts", () =>
    Effect.gen(function* () {
      const { fake, account } = yield* accountWith()
      expect(account.traits).toMatchObject({ sendsCodes: true, sendsTexts: false })
      expectOutcome(yield* account.sendText(delivery("telegram")), request)
      expect(fake.received).toEqual([])
    }).pipe(Effect.provide(ProviderHttpTest))
  )
})
