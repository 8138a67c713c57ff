import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { ProviderHttp } from "../../../../src/layers/provider/ProviderHttp.ts"
import {
  baleBotAdapter,
  soroushplusBotAdapter,
  telegramBotAdapter
} from "../../../../src/layers/provider/adapters/PlatformBots.ts"
import type { BotInbox } from "../../../../src/services/provider/ProviderAdapter.ts"
import { connected, delivery, type Expected, expectOutcome, ProviderHttpTest, TEXT } from "./AdapterTest.ts"
import { checkOf } from "./CheckOf.ts"
import {
  accepted,
  configuration,
  recipient,
  request,
  throttled,
  unavailable,
  unknown
} from "./ProviderCase.ts"
import { describeProvider } from "./ProviderKit.ts"
import { sentJson } from "./SendTests.ts"
import {
  BOT_TOKENS,
  BOT_USERNAMES,
  type BotPlatformName,
  botRefusal,
  botResult,
  fakeBotApi
} from "../../../support/fakes/FakeBotApi.ts"
import type { Scripted } from "../../../support/fakes/FakeFarEnd.ts"

export const botAdapters = {
  bale: baleBotAdapter,
  soroushplus: soroushplusBotAdapter,
  telegram: telegramBotAdapter
} as const

/** A fake platform, and an account of the bot that it knows. */
export const botSetUp = (platform: BotPlatformName, changes: object = {}) =>
  Effect.gen(function* () {
    const fake = yield* fakeBotApi({ platform })
    const adapter = botAdapters[platform](yield* ProviderHttp, fake.url)
    return { fake, account: connected(adapter, { token: BOT_TOKENS[platform], ...changes }) }
  })

const noInbox = Effect.die("no inbox")

/** The same, for what people do with the bot. */
export const inboxSetUp = (platform: BotPlatformName, changes: object = {}) =>
  Effect.flatMap(botSetUp(platform, changes), ({ fake, account: { inbox } }) => {
    if (inbox === null) return noInbox
    const poll: NonNullable<BotInbox["poll"]> = inbox.poll ?? (() => noInbox)
    const announce: NonNullable<BotInbox["announceWebhook"]> = inbox.announceWebhook ?? (() => noInbox)
    return Effect.succeed({ fake, inbox, poll, announce })
  })

export const lost: Expected = { ...recipient, isContactLost: true }
/** Failures as Telegram documents them and its clones repeat them. */
const documented: ReadonlyArray<readonly [number, string, Expected]> = [
  [400, "Bad Request: message text is empty", request],
  [400, "Bad Request: message is too long", request],
  [400, "Bad Request: can't parse entities", request],
  [400, "Bad Request: NOT_SUPPORTED", request],
  [400, "Bad Request: chat not found", lost],
  [400, "Bad Request: user not found", lost],
  [400, "Bad Request: PEER_ID_INVALID", lost],
  [400, "no such group or user", lost],
  [404, "chat not found", lost],
  [404, "Not Found", configuration],
  [401, "Unauthorized", configuration],
  [401, "Unauthorized: chat not found", configuration],
  [403, "Forbidden: bot was blocked by the user", lost],
  [400, "Bad Request: USER_IS_BLOCKED", lost],
  [403, "USER_IS_BLOCKED", lost],
  [400, "YOU_BLOCKED_USER", lost],
  [400, "Bad Request: user has blocked the bot", lost],
  [403, "FORBIDDEN: BOT WAS BLOCKED BY THE USER", lost],
  [403, "INPUT_USER_DEACTIVATED", lost],
  [400, "Bad Request: INPUT_USER_DEACTIVATED", lost],
  [400, "USER_DEACTIVATED_BAN", lost],
  [400, "Bad Request: user is deleted", lost],
  [403, "Forbidden: The specified user was deleted", lost],
  [403, "Forbidden: chat is deactivated", lost],
  [400, "CHAT_ID_INVALID", lost],
  [403, "Forbidden: user stopped the bot", lost],
  [403, "Forbidden: bot has been blocked by this recipient", lost],
  [403, "Forbidden: bot was stopped by the user", lost],
  [403, "Forbidden: the recipient's account is deleted", lost],
  [403, "Forbidden: bot is blocked", recipient],
  [403, "Forbidden: bot has been blocked", recipient],
  [403, "Forbidden: bot stopped", recipient],
  [403, "Forbidden: account is deactivated", recipient],
  [403, "Forbidden: account was deleted", recipient],
  [403, "Forbidden: deactivated account", recipient],
  [400, "Bad Request: message to be deleted not found", request],
  [403, "Forbidden: CHAT_WRITE_FORBIDDEN", recipient],
  [403, "Forbidden: user is deactivated", lost],
  [403, "Forbidden: bot can't initiate conversation with a user", recipient],
  [403, "Forbidden: chat not found", lost],
  [403, "Forbidden", recipient],
  [408, "Request Timeout", unknown],
  [408, "Request Timeout: chat not found", unknown],
  [409, "Conflict: terminated by other getUpdates request", configuration],
  [425, "Too Early", unavailable],
  [429, "Too Many Requests: retry later", { ...throttled, retryAfterMillis: null }],
  [500, "Internal Server Error", unknown],
  [500, "chat not found, or not asked", unknown],
  [502, "Bad Gateway", unknown],
  [503, "Service Unavailable", unknown]
]

const refusal = (json: object, status = 200, headers = {}): Scripted => ({
  status,
  headers,
  json: { ok: false, ...json }
})

const others: ReadonlyArray<readonly [string, Scripted, Expected]> = [
  ["a success whose message has no id", botResult({ date: 1 }), { ...accepted, messageId: null }],
  ["a success without a message", { json: { ok: true } }, { ...accepted, messageId: null }],
  [
    "an id too long for a number",
    { text: '{"ok":true,"result":{"message_id":204215121115944307}}' },
    {
      ...accepted,
      messageId: "204215121115944307"
    }
  ],
  ["a success with HTTP 500", { status: 500, json: { ok: true, result: { message_id: 5 } } }, unknown],
  ["a success with HTTP 400", { status: 400, json: { ok: true } }, unknown],
  [
    "429 and how long to wait",
    botRefusal(429, "Too Many Requests: retry after 17", { retry_after: 17 }),
    {
      ...throttled,
      retryAfterMillis: 17_000
    }
  ],
  [
    "429 and how long to wait in a header",
    refusal({ error_code: 429 }, 429, { "retry-after": "9" }),
    {
      ...throttled,
      retryAfterMillis: 9000
    }
  ],
  [
    "429 and parameters that are none",
    botRefusal(429, "slow", { retry_after: "soon" }),
    {
      ...throttled,
      retryAfterMillis: null
    }
  ],
  ["403 without a word", refusal({ error_code: 403 }, 403), recipient],
  ["403 under HTTP 200", refusal({ error_code: 403, description: "Forbidden" }), recipient],
  ["408 under HTTP 200", refusal({ error_code: 408 }), unknown],
  ["a refusal without a code, with HTTP 408", refusal({}, 408), unknown],
  ["429 under HTTP 200", refusal({ error_code: 429 }), throttled],
  ["503 and when to try again", refusal({ error_code: 503 }, 503, { "retry-after": "7" }), unavailable],
  ["401 under HTTP 200", refusal({ error_code: 401, description: "Unauthorized" }), configuration],
  ["a blocked bot, without a code", refusal({ description: "Bot was blocked by the user" }), lost],
  ["a blocked bot, without a code, with HTTP 500", refusal({ description: "bot was blocked" }, 500), lost],
  [
    "a blocked bot, under a code that is none of HTTP's",
    refusal({ error_code: 13, description: "bot was blocked" }),
    lost
  ],
  ["a refusal without a code, with HTTP 403", refusal({ description: "Forbidden" }, 403), recipient],
  [
    "a blocked bot, without a code, with HTTP 403",
    refusal({ description: "Forbidden: bot was blocked by the user" }, 403),
    lost
  ],
  ["a refusal without a code, with HTTP 401", refusal({ description: "invalid token" }, 401), configuration],
  ["a refusal without a word", refusal({}), { ...request, providerError: "refused without a reason" }],
  ["a code that is no number", refusal({ error_code: "E1" }, 400), request]
]

/** Settings that every bot refuses, and what is said of them. */
const wrongSettings: ReadonlyArray<readonly [unknown, string]> = [
  [{}, "token is missing"],
  [{ token: "" }, "token must be 1 to 500 printable ASCII characters without spaces"],
  [{ token: "SECRET with space" }, "token must be"],
  [{ token: 123_456 }, "token"],
  [{ token: "t", receives_updates: "SECRET" }, "receives_updates Expected boolean"],
  [{ token: "t", bot: "SECRET" }, "bot is not a setting of this provider"],
  ["SECRET", "Expected object"]
]

export interface BotAdapterCase {
  readonly platform: BotPlatformName
  readonly maxTextLength: number
  readonly wrongSettings: ReadonlyArray<readonly [unknown, string]>
}

/** The rules for every bot, whatever its platform. */
export const describeBotAdapter = (given: BotAdapterCase) => {
  const { platform, maxTextLength } = given
  const token = BOT_TOKENS[platform]

  describe(`${platform} bot: a message`, () => {
    it.effect("is sent as documented, a code in its text", () =>
      Effect.gen(function* () {
        const { fake, account } = yield* botSetUp(platform)
        expectOutcome(yield* account.sendCode(delivery(platform)), { ...accepted, messageId: "4101" })
        expectOutcome(yield* account.sendText(delivery(platform)), { ...accepted, messageId: "4102" })
        for (const sent of fake.received) {
          expect(`${sent.method} ${sent.path}`).toBe(`POST /bot${token}/sendMessage`)
          expect(sent.json).toEqual({ chat_id: 484848, text: TEXT })
          expect(sent.headers).toMatchObject({
            accept: "application/json",
            "content-type": "application/json"
          })
          expect(sent.headers["traceparent"]).toBeUndefined()
        }
      }).pipe(Effect.provide(ProviderHttpTest))
    )

    const chatIds: ReadonlyArray<readonly [string, number | string]> = [
      ["9007199254740991", 9_007_199_254_740_991],
      ["9007199254740993", "9007199254740993"],
      ["-100123", -100_123],
      ["007", "007"],
      ["1e3", "1e3"],
      ["@sara", "@sara"]
    ]
    it.effect.each(chatIds)("to chat %s names it as %j", ([chatId, expected]) =>
      Effect.gen(function* () {
        const { fake, account } = yield* botSetUp(platform)
        yield* account.sendText(delivery(platform, { chatId }))
        expect(fake.received[0]?.json).toMatchObject({ chat_id: expected })
      }).pipe(Effect.provide(ProviderHttpTest))
    )

    it.effect("is not sent where there is no chat, or where it is longer than the platform takes", () =>
      Effect.gen(function* () {
        const { fake, account } = yield* botSetUp(platform)
        const ofLength = (length: number) => delivery(platform, { text: Redacted.make("😀".repeat(length)) })
        expectOutcome(yield* account.sendCode(delivery(platform, { chatId: null })), recipient)
        expectOutcome(yield* account.sendText(ofLength(maxTextLength + 1)), request)
        expect(fake.received).toHaveLength(0)
        expectOutcome(yield* account.sendText(ofLength(maxTextLength)), accepted)
      }).pipe(Effect.provide(ProviderHttpTest))
    )

    it.effect.each(documented)("that is answered with %i %s", ([code, description, expected]) =>
      Effect.gen(function* () {
        const { fake, account } = yield* botSetUp(platform)
        fake.script(botRefusal(code, description))
        const outcome = yield* account.sendText(delivery(platform))
        expectOutcome(outcome, { ...expected, providerError: `${code} ${description}` })
      }).pipe(Effect.provide(ProviderHttpTest))
    )

    it.effect.each(others)("that is answered with %s", ([, answer, expected]) =>
      Effect.gen(function* () {
        const { fake, account } = yield* botSetUp(platform)
        fake.script(answer)
        expectOutcome(yield* account.sendText(delivery(platform)), expected)
      }).pipe(Effect.provide(ProviderHttpTest))
    )

    it.effect("to somebody who has blocked the bot says that the contact is lost", () =>
      Effect.gen(function* () {
        const { fake, account } = yield* botSetUp(platform)
        fake.block("484848")
        expectOutcome(yield* account.sendText(delivery(platform)), lost)
      }).pipe(Effect.provide(ProviderHttpTest))
    )

    it.effect("whose refusal repeats the token is kept without it", () =>
      Effect.gen(function* () {
        const { fake, account } = yield* botSetUp(platform)
        fake.script(botRefusal(404, `no route for /bot${token}/sendMessage`))
        expectOutcome(yield* account.sendText(delivery(platform)), {
          ...configuration,
          providerError: "404 no route for /bot•••/sendMessage"
        })
      }).pipe(Effect.provide(ProviderHttpTest))
    )

    it.effect("over a token with anything in it stays under that token's path", () =>
      Effect.gen(function* () {
        const { fake, account } = yield* botSetUp(platform, { token: "1:a/../b?c#d%" })
        expectOutcome(yield* account.sendText(delivery(platform)), configuration)
        expect(fake.received[0]?.path).toBe("/bot1:a%2F..%2Fb%3Fc%23d%25/sendMessage")
      }).pipe(Effect.provide(ProviderHttpTest))
    )
  })

  const sent = sentJson(`POST /bot${token}/sendMessage`, { chat_id: 484_848, text: TEXT })
  describeProvider({
    name: `${platform}_bot`,
    channel: platform,
    fake: fakeBotApi({ platform }),
    adapter: botAdapters[platform],
    settings: () => ({ token }),
    credentials: ["token"],
    sends: platform === "telegram" ? { text: sent } : { code: sent, text: sent },
    unlisted: [{ json: { ok: false, error_code: 7, description: "?" } }, "request"],
    refusal: (words) => botRefusal(400, words),
    wrongSettings: [...wrongSettings, ...given.wrongSettings],
    check: { finds: `bot @${BOT_USERNAMES[platform]}`, refuses: { token: "7:wrong-token-0123456789" } },
    reports: null
  })

  describe(`${platform} bot: the account`, () => {
    it.effect("leaves the bot's updates alone where its settings say so, and sends all the same", () =>
      Effect.gen(function* () {
        const { fake, account } = yield* botSetUp(platform, { receives_updates: false })
        expect(account.inbox).toBeNull()
        expect(account.traits.needsContact).toBe(true)
        expectOutcome(yield* account.sendText(delivery(platform)), accepted)
        expect(yield* checkOf(account)).toBe(`bot @${BOT_USERNAMES[platform]}`)
        expect(fake.received.map(({ path }) => path)).toEqual([
          `/bot${token}/sendMessage`,
          `/bot${token}/getMe`
        ])
      }).pipe(Effect.provide(ProviderHttpTest))
    )

    it.effect.each([{}, { receives_updates: true }])("gets the bot's updates with %j", (settings) =>
      Effect.gen(function* () {
        expect((yield* botSetUp(platform, settings)).account.inbox).not.toBeNull()
      }).pipe(Effect.provide(ProviderHttpTest))
    )

    const bots: ReadonlyArray<readonly [string, unknown]> = [
      ["bot @sara_bot", { id: 7, username: "sara_bot", first_name: "Sara" }],
      ["bot Sara", { id: 7, first_name: "Sara" }],
      ["bot 7", { id: 7 }],
      ["bot", true]
    ]
    it.effect.each(bots)("is shown as %s when it is checked", ([expected, me]) =>
      Effect.gen(function* () {
        const { fake, account } = yield* botSetUp(platform)
        expect(yield* checkOf(account)).toBe(`bot @${BOT_USERNAMES[platform]}`)
        expect(fake.received[0]?.path).toBe(`/bot${token}/getMe`)
        fake.script(botResult(me))
        expect(yield* checkOf(account)).toBe(expected)
      }).pipe(Effect.provide(ProviderHttpTest))
    )

    it.effect("has a check that reports a wrong token, and a check that failed", () =>
      Effect.gen(function* () {
        const { fake, account } = yield* botSetUp(platform, { token: "7:wrong" })
        const check = checkOf(account)
        const [code, description] = platform === "telegram" ? [404, "Not Found"] : [401, "Unauthorized"]
        expect(yield* Effect.flip(check)).toMatchObject({
          isDefinite: true,
          message: `${code} ${description}`
        })
        const indefinite: ReadonlyArray<Scripted> = [
          "reset",
          { status: 502, text: "<html>" },
          botRefusal(500, "Internal Server Error"),
          botRefusal(429, "Too Many Requests: retry after 3", { retry_after: 3 })
        ]
        fake.script(...indefinite)
        for (const _ of indefinite) {
          const problem = yield* Effect.flip(check)
          expect(problem).toMatchObject({ isDefinite: false })
          expect(problem.message).not.toContain("7:wrong")
        }
      }).pipe(Effect.provide(ProviderHttpTest))
    )
  })
}
