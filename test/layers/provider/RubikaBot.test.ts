import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { ProviderHttp } from "../../../src/layers/provider/ProviderHttp.ts"
import { rubikaBotAdapter } from "../../../src/layers/provider/adapters/RubikaBot.ts"
import { connected, type Expected, expectOutcome, ProviderHttpTest, TEXT } from "./kit/AdapterTest.ts"
import { checkOf } from "./kit/CheckOf.ts"
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
import { connect, lost, settings, setUp, toChat } from "./kit/RubikaSetUp.ts"
import { sentJson } from "./kit/SendTests.ts"
import type { Scripted } from "../../support/fakes/FakeFarEnd.ts"
import {
  fakeRubika,
  RUBIKA_CHAT,
  RUBIKA_TOKEN,
  rubikaOk,
  rubikaRefusal
} from "../../support/fakes/FakeRubika.ts"

describe("rubika: a message", () => {
  it.effect("is sent to the chat, as documented, whether it is a code or a text", () =>
    Effect.gen(function* () {
      const { fake, account } = yield* setUp
      expectOutcome(yield* account.sendCode(toChat()), { ...accepted, messageId: "204215121115944301" })
      expectOutcome(yield* account.sendText(toChat()), { ...accepted, messageId: "204215121115944302" })
      expect(fake.received).toHaveLength(2)
      for (const { method, path, query, json, headers } of fake.received) {
        expect(`${method} ${path}${query}`).toBe(`POST /v3/${RUBIKA_TOKEN}/sendMessage`)
        expect(json).toEqual({ chat_id: RUBIKA_CHAT, text: TEXT })
        expect(headers).toMatchObject({ accept: "application/json", "content-type": "application/json" })
        expect(headers["traceparent"]).toBeUndefined()
      }
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("is not sent to a phone that has no chat with the bot", () =>
    Effect.gen(function* () {
      const { fake, account } = yield* setUp
      expectOutcome(yield* account.sendCode(toChat({ chatId: null })), recipient)
      expectOutcome(yield* account.sendText(toChat({ chatId: null })), recipient)
      expect(fake.received).toHaveLength(0)
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("is not sent when its text is longer than 4000 characters", () =>
    Effect.gen(function* () {
      const { fake, account } = yield* setUp
      const textOf = (length: number) => toChat({ text: Redacted.make("م".repeat(length)) })
      expectOutcome(yield* account.sendText(textOf(4001)), request)
      expect(fake.received).toHaveLength(0)
      expectOutcome(yield* account.sendText(textOf(4000)), accepted)
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  const answers: ReadonlyArray<readonly [string, Scripted, Expected]> = [
    ["an id", rubikaOk({ message_id: "5" }), { ...accepted, messageId: "5" }],
    ["an id that is a number", rubikaOk({ message_id: 5 }), { ...accepted, messageId: "5" }],
    [
      "an id that is too long for a number",
      { text: '{"status":"OK","data":{"message_id":204215121115944301}}' },
      { ...accepted, messageId: "204215121115944301" }
    ],
    ["no id", rubikaOk({}), { ...accepted, messageId: null }],
    ["no data", { json: { status: "OK" } }, { ...accepted, messageId: null }],
    ["success with HTTP 500", { status: 500, json: { status: "OK" } }, unknown],
    ["success with HTTP 400", { status: 400, json: { status: "OK" } }, request],
    ["INVALID_ACCESS", rubikaRefusal("INVALID_ACCESS", "token is not valid."), configuration],
    ["INVALID_AUTH", rubikaRefusal("INVALID_AUTH"), configuration],
    ["NOT_REGISTERED", rubikaRefusal("NOT_REGISTERED"), configuration],
    ["INVALID_INPUT", rubikaRefusal("INVALID_INPUT", "text is empty"), request],
    ["INVALID_INPUT with HTTP 400", rubikaRefusal("INVALID_INPUT", null, 400), request],
    ["INVALID_INPUT with HTTP 401", rubikaRefusal("INVALID_INPUT", null, 401), configuration],
    ["INVALID_INPUT with HTTP 500", rubikaRefusal("INVALID_INPUT", null, 500), unknown],
    ["INVALID_ACCESS with HTTP 408", rubikaRefusal("INVALID_ACCESS", null, 408), unknown],
    ["INVALID_INPUT with HTTP 425", rubikaRefusal("INVALID_INPUT", null, 425), unavailable],
    ["another status with HTTP 403", rubikaRefusal("FORBIDDEN", null, 403), configuration],
    ["a forbidden chat", rubikaRefusal("FORBIDDEN", "no permission"), request],
    ["TOO_REQUESTS", rubikaRefusal("TOO_REQUESTS"), { ...throttled, retryAfterMillis: null }],
    [
      "HTTP 429 and when to come back",
      { status: 429, json: { status: "WAIT" }, headers: { "retry-after": "9" } },
      { ...throttled, retryAfterMillis: 9000 }
    ],
    ["the name of a method of every object", rubikaRefusal("constructor", "?"), request],
    ["an unheard-of status", rubikaRefusal("SERVER_IS_MOODY", "?"), request],
    ["an unheard-of status with HTTP 400", rubikaRefusal("SERVER_IS_MOODY", "?", 400), request],
    ["an unheard-of status with HTTP 404", rubikaRefusal("NOT_FOUND", null, 404), request],
    ["an unheard-of status with HTTP 500", rubikaRefusal("ERROR_GENERIC", "chat not found", 500), unknown],
    ["an unheard-of status with a redirect", rubikaRefusal("ERROR_GENERIC", null, 302), configuration],
    ["HTTP 408", rubikaRefusal("TIMEOUT", null, 408), unknown],
    ["HTTP 408 and a chat not found", rubikaRefusal("CHAT_NOT_FOUND", null, 408), unknown],
    ["HTTP 425", rubikaRefusal("EARLY", null, 425), unavailable],
    ["a chat not found", rubikaRefusal("CHAT_NOT_FOUND"), lost],
    ["a chat that does not exist", rubikaRefusal("ERROR", "chat_id does not exist", 400), lost],
    ["a user not found", rubikaRefusal("ERROR", "User was not found"), lost],
    ["a blocked bot", rubikaRefusal("ERROR", "bot was blocked by the user"), lost],
    ["a user who blocked the bot", rubikaRefusal("USER_BLOCKED", "no"), lost],
    ["a user who has stopped the bot", rubikaRefusal("ERROR", "the user has stopped the bot"), lost],
    ["a status that is no text", { json: { status: 5 } }, unknown]
  ]
  it.effect.each(answers)("that is answered with %s", ([, answer, expected]) =>
    Effect.gen(function* () {
      const { fake, account } = yield* setUp
      fake.script(answer, answer)
      expectOutcome(yield* account.sendCode(toChat()), expected)
      expectOutcome(yield* account.sendText(toChat()), expected)
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("keeps the platform's own words, but not the token in them", () =>
    Effect.gen(function* () {
      const { fake, account } = yield* setUp
      fake.script(rubikaRefusal("NO_METHOD", `/v3/${RUBIKA_TOKEN}/sendMessage`, 400))
      expect(yield* account.sendText(toChat())).toMatchObject({
        providerError: "NO_METHOD /v3/•••/sendMessage"
      })
    }).pipe(Effect.provide(ProviderHttpTest))
  )
})

const sent = sentJson(`POST /v3/${RUBIKA_TOKEN}/sendMessage`, { chat_id: RUBIKA_CHAT, text: TEXT })

describeProvider({
  name: "rubika_bot",
  channel: "rubika",
  fake: fakeRubika(),
  adapter: (http, url) => rubikaBotAdapter(http, `${url}/v3`),
  settings: () => settings,
  credentials: ["token"],
  sends: { code: sent, text: sent },
  unlisted: [{ json: { status: "SOMETHING_ELSE" } }, "request"],
  refusal: (words) => rubikaRefusal("INVALID_INPUT", words),
  chatId: RUBIKA_CHAT,
  wrongSettings: [
    [{ token: "SECRET with space" }, "token must be"],
    [{ token: "SECRET", trust_contacts: "SECRET" }, "trust_contacts Expected boolean"],
    [{ token: "SECRET", receives_updates: "SECRET" }, "receives_updates Expected boolean"]
  ],
  check: { finds: "bot @peyk_bot", refuses: { token: "BDAFJ0WRONGTOKEN0123456789" } },
  reports: null
})

describe("rubika: the account", () => {
  const adapterOf = Effect.map(ProviderHttp, (http) => rubikaBotAdapter(http, "http://127.0.0.1:1/v3"))

  it.effect("sends to people who have met it, and reports nothing", () =>
    Effect.gen(function* () {
      const adapter = yield* adapterOf
      expect(adapter).toMatchObject({ name: "rubika_bot", channels: ["rubika"] })
      expect(connected(adapter, settings)).toMatchObject({
        traits: {
          sendsCodes: true,
          sendsTexts: true,
          deduplicatesCodes: false,
          deduplicatesTexts: false,
          reportsDelivery: false,
          needsContact: true
        },
        deliveryReport: null,
        inbox: { secretHeader: null }
      })
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("leaves the bot's updates alone where its settings say so, and sends all the same", () =>
    Effect.gen(function* () {
      const fake = yield* fakeRubika()
      const account = connect(yield* ProviderHttp, fake.url, { ...settings, receives_updates: false })
      expect(account.inbox).toBeNull()
      expect(account.traits.needsContact).toBe(true)
      expectOutcome(yield* account.sendText(toChat()), accepted)
      expect(yield* checkOf(account)).toBe("bot @peyk_bot")
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("gets the bot's updates where its settings say that it does", () =>
    Effect.gen(function* () {
      const account = connected(yield* adapterOf, { ...settings, receives_updates: true })
      expect(account.inbox).not.toBeNull()
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("stays within its address, whatever its token", () =>
    Effect.gen(function* () {
      const fake = yield* fakeRubika()
      const account = connect(yield* ProviderHttp, fake.url, { token: "../../a?b#c" })
      yield* account.sendText(toChat())
      expect(fake.received[0]?.path).toBe("/v3/..%2F..%2Fa%3Fb%23c/sendMessage")
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("shows its bot when it is checked", () =>
    Effect.gen(function* () {
      const { fake, account } = yield* setUp
      const check = checkOf(account)
      expect(yield* check).toBe("bot @peyk_bot")
      const [sent] = fake.received
      expect(`${sent?.method} ${sent?.path} ${sent?.body}`).toBe(`POST /v3/${RUBIKA_TOKEN}/getMe {}`)
      fake.script(rubikaOk({ bot: { bot_title: "x" } }))
      expect(yield* check).toBe("bot without a username")
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("has a check that reports a wrong token", () =>
    Effect.gen(function* () {
      const fake = yield* fakeRubika()
      const account = connect(yield* ProviderHttp, fake.url, { token: "wrong" })
      expect(yield* Effect.flip(checkOf(account))).toMatchObject({
        isDefinite: true,
        message: "INVALID_ACCESS token is not valid."
      })
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  const problems: ReadonlyArray<readonly [string, Scripted, boolean]> = [
    ["a refusal with 401", rubikaRefusal("ANY", null, 401), true],
    ["a page with 403", { status: 403, text: "<html>" }, true],
    ["a page with 502", { status: 502, text: "<html>" }, false],
    ["success with 500", { status: 500, json: { status: "OK" } }, false],
    ["a time-out", rubikaRefusal("TIMEOUT", null, 408), false],
    ["too many requests", rubikaRefusal("TOO_REQUESTS"), false],
    ["a reset", "reset", false]
  ]
  it.effect.each(problems)("whose check ends as %s says whether that is definite", ([, answer, isDefinite]) =>
    Effect.gen(function* () {
      const { fake, account } = yield* setUp
      fake.script(answer)
      const problem = yield* Effect.flip(checkOf(account))
      expect(problem.isDefinite).toBe(isDefinite)
      expect(problem.message).not.toContain(RUBIKA_TOKEN)
    }).pipe(Effect.provide(ProviderHttpTest))
  )
})
