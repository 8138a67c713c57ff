import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { BotUpdate } from "../../../src/domain/account/BotUpdate.ts"
import { delivery, expectOutcome, LONG_WORDS, nextTurn, ProviderHttpTest } from "./kit/AdapterTest.ts"
import { botSetUp, inboxSetUp, lost } from "./kit/BotAdapterTest.ts"
import { accepted, unknown } from "./kit/ProviderCase.ts"
import {
  BOT_TOKENS,
  type BotPlatformName,
  botRefusal,
  botResult,
  contactUpdate,
  membershipUpdate,
  spokenUpdate
} from "../../support/fakes/FakeBotApi.ts"
import type { Scripted } from "../../support/fakes/FakeFarEnd.ts"

const platforms: ReadonlyArray<BotPlatformName> = ["bale", "soroushplus", "telegram"]
const clones: ReadonlyArray<BotPlatformName> = ["bale", "soroushplus"]

const NOW = 1_763_000_000_000
const PHONE_NUMBER = "989123456789"
const { Spoke, SharedContact, Left } = BotUpdate
const shared = (isOwn: boolean, isProven: boolean, chatId = "42") =>
  SharedContact({ chatId, phone: PHONE_NUMBER, isOwn, isProven })
/** Named as the sender's, or as somebody else's. */
const own = (chatId = "42") => shared(true, true, chatId)
const others = shared(false, true)
/** Named as nobody's, and believed or not. */
const trusted = shared(true, false)
const distrusted = shared(false, false)

const withMessage = (changes: object) => ({ message: { ...spokenUpdate(42).message, ...changes } })
const withContact = (changes: object) => ({
  message: { ...contactUpdate(42, { phone_number: PHONE_NUMBER, user_id: 42 }).message, ...changes }
})
const LONG_ID = "204215121115944307"

const readable: ReadonlyArray<readonly [string, unknown, BotUpdate | null]> = [
  ["/start", spokenUpdate(42), Spoke({ chatId: "42" })],
  ["a text", spokenUpdate(42, "سلام"), Spoke({ chatId: "42" })],
  ["a picture", withMessage({ text: undefined, photo: [] }), Spoke({ chatId: "42" })],
  ["a text of somebody with a long id", spokenUpdate(LONG_ID), Spoke({ chatId: LONG_ID })],
  ["a text whose chat has no type", withMessage({ chat: { id: 42 } }), Spoke({ chatId: "42" })],
  ["a text with fields of null", withMessage({ contact: null }), Spoke({ chatId: "42" })],
  ["one's own contact", contactUpdate(42, { phone_number: PHONE_NUMBER, user_id: 42 }), own()],
  [
    "one's own contact, with ids as text",
    contactUpdate("42", { phone_number: PHONE_NUMBER, user_id: 42 }),
    own()
  ],
  [
    "one's own contact, with a long id",
    contactUpdate(LONG_ID, { phone_number: PHONE_NUMBER, user_id: LONG_ID }),
    own(LONG_ID)
  ],
  [
    "one's own contact, its number as a number",
    contactUpdate(42, { phone_number: 989_123_456_789, user_id: 42 }),
    own()
  ],
  ["the contact of somebody else", contactUpdate(42, { phone_number: PHONE_NUMBER, user_id: 43 }), others],
  ["a contact of nobody known", contactUpdate(42, { phone_number: PHONE_NUMBER }), distrusted],
  [
    "a contact of a null user",
    withContact({ contact: { phone_number: PHONE_NUMBER, user_id: null } }),
    distrusted
  ],
  [
    "a contact of nobody known from nobody",
    withContact({ from: null, contact: { phone_number: PHONE_NUMBER } }),
    distrusted
  ],
  ["a contact that names the chat, from somebody else", withContact({ from: { id: 43 } }), others],
  ["one's own contact from nobody", withContact({ from: null }), others],
  ["one's own contact, forwarded", withContact({ forward_date: 1_763_000_000 }), own()],
  ["the bot being blocked", membershipUpdate(42, "kicked"), Left({ chatId: "42" })],
  ["the bot being left", membershipUpdate(42, "left"), Left({ chatId: "42" })],
  ["the bot being unblocked", membershipUpdate(42, "member"), null],
  ["a text in a group", withMessage({ chat: { id: -100, type: "group" } }), null],
  ["a text in a supergroup", withMessage({ chat: { id: -100, type: "supergroup" } }), null],
  ["a text in a channel", withMessage({ chat: { id: -100, type: "channel" } }), null],
  ["a contact in a group", withContact({ chat: { id: -100, type: "group" } }), null],
  ["a text in a chat without a type that is not the sender's", withMessage({ chat: { id: -100 } }), null],
  ["a text from nobody in a chat without a type", withMessage({ chat: { id: 42 }, from: undefined }), null],
  [
    "the bot being removed from a group",
    { my_chat_member: { ...membershipUpdate(42, "kicked").my_chat_member, chat: { id: -1, type: "group" } } },
    null
  ],
  ["an edited text", { edited_message: spokenUpdate(42).message }, null],
  ["a pressed button", { callback_query: { id: "1", from: { id: 42 }, data: "x" } }, null],
  ["a text without a chat", withMessage({ chat: undefined }), null],
  ["a chat whose id is a fraction", withMessage({ chat: { id: 4.2, type: "private" } }), null],
  ["a chat whose id is empty", withMessage({ chat: { id: "", type: "private" } }), null],
  ["a chat whose id holds a NUL", withMessage({ chat: { id: "4\u00002", type: "private" } }), null],
  ["a contact without a number", withContact({ contact: { first_name: "Sara", user_id: 42 } }), null],
  ["a contact that is none", withContact({ contact: "Sara" }), null],
  ["a message that is none", { update_id: 1, message: 7 }, null],
  ["an update of nothing", { update_id: 1 }, null],
  ["no update", undefined, null],
  ["null", null, null],
  ["a list", [spokenUpdate(42)], null],
  ["a word", "message", null]
]

describe.each(platforms)("%s bot: an update", (platform) => {
  it.effect.each(readable)("of %s", ([, update, expected]) =>
    Effect.gen(function* () {
      const { inbox } = yield* inboxSetUp(platform)
      expect(inbox.read(update, NOW)).toEqual(expected)
    }).pipe(Effect.provide(ProviderHttpTest))
  )
})

describe.each(clones)("%s bot: a shared contact", (platform) => {
  const unnamed = { contact: { phone_number: PHONE_NUMBER } }
  const contacts: ReadonlyArray<readonly [string, unknown, BotUpdate]> = [
    ["that names the sender", withContact({}), own()],
    ["that names nobody", withContact(unnamed), trusted],
    [
      "that names a null user",
      withContact({ contact: { phone_number: PHONE_NUMBER, user_id: null } }),
      trusted
    ],
    [
      "that names nobody and was not forwarded",
      withContact({ ...unnamed, forward_origin: null, forward_from: null, forward_date: null }),
      trusted
    ],
    ["that names the sender and was forwarded", withContact({ forward_from: { id: 43 } }), own()]
  ]
  it.effect.each(contacts)(
    "%s is taken for their own where the account trusts contacts",
    ([, update, taken]) =>
      Effect.gen(function* () {
        const trusting = yield* inboxSetUp(platform, { trust_contacts: true })
        expect(trusting.inbox.read(update, NOW)).toEqual(taken)
      }).pipe(Effect.provide(ProviderHttpTest))
  )

  const forwards: ReadonlyArray<readonly [string, object]> = [
    ["origin", { forward_origin: { type: "hidden_user", sender_user_name: "Ali", date: 1_763_000_000 } }],
    ["sender", { forward_from: { id: 43, is_bot: false, first_name: "Ali" } }],
    ["date", { forward_date: 1_763_000_000 }]
  ]
  it.effect.each(forwards)(
    "that names nobody is never taken for their own when it was forwarded, as its %s shows",
    ([, forward]) =>
      Effect.gen(function* () {
        const { inbox } = yield* inboxSetUp(platform, { trust_contacts: true })
        expect(inbox.read(withContact({ ...unnamed, ...forward }), NOW)).toEqual(distrusted)
      }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("that names somebody else is never taken for their own", () =>
    Effect.gen(function* () {
      const { inbox } = yield* inboxSetUp(platform, { trust_contacts: true })
      const update = contactUpdate(42, { phone_number: PHONE_NUMBER, user_id: 43 })
      expect(inbox.read(update, NOW)).toEqual(others)
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("that names nobody is not taken for their own where the account says so", () =>
    Effect.gen(function* () {
      const { inbox } = yield* inboxSetUp(platform, { trust_contacts: false })
      expect(inbox.read(contactUpdate(42, { phone_number: PHONE_NUMBER }), NOW)).toEqual(distrusted)
    }).pipe(Effect.provide(ProviderHttpTest))
  )
})

describe.each(platforms)("%s bot: polling", (platform) => {
  const kinds = platform === "telegram" ? { allowed_updates: ["message", "my_chat_member"] } : {}
  const getUpdates = `/bot${BOT_TOKENS[platform]}/getUpdates`

  it.effect("asks from the start at first, and then from behind the last update", () =>
    Effect.gen(function* () {
      const { fake, poll } = yield* inboxSetUp(platform)
      const { update_id: first } = fake.push(spokenUpdate(42))
      fake.push({ edited_message: spokenUpdate(43).message })
      fake.push(contactUpdate(44, { phone_number: PHONE_NUMBER, user_id: 44 }))
      const batch = yield* poll(null, 25_900)
      expect(batch).toEqual({
        updates: [Spoke({ chatId: "42" }), own("44")],
        cursor: String(first + 3)
      })
      expect(yield* poll(batch.cursor, 0)).toEqual({ updates: [], cursor: batch.cursor })
      expect(fake.waiting()).toEqual([])
      expect(fake.received.map(({ method, path, json }) => ({ method, path, json }))).toEqual([
        { method: "POST", path: getUpdates, json: { limit: 100, timeout: 25, ...kinds } },
        { method: "POST", path: getUpdates, json: { offset: first + 3, limit: 100, timeout: 0, ...kinds } }
      ])
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("passes over what it cannot read", () =>
    Effect.gen(function* () {
      const { fake, poll } = yield* inboxSetUp(platform)
      fake.script(botResult([null, "x", { update_id: 9, message: 7 }, { update_id: 8, ...spokenUpdate(42) }]))
      expect(yield* poll("3", 0)).toEqual({ updates: [Spoke({ chatId: "42" })], cursor: "10" })
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("keeps its place when nothing has come", () =>
    Effect.gen(function* () {
      const { poll } = yield* inboxSetUp(platform)
      expect(yield* poll(null, 0)).toEqual({ updates: [], cursor: null })
      expect(yield* poll("7", 0)).toEqual({ updates: [], cursor: "7" })
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("forgets a webhook that stands in its way, once", () =>
    Effect.gen(function* () {
      const { fake, poll, announce } = yield* inboxSetUp(platform)
      yield* announce({ url: "https://peyk.example/updates/1", secret: "s3cret" })
      fake.push(spokenUpdate(42))
      expect(yield* poll("0", 0)).toEqual({ updates: [], cursor: "0" })
      expect(fake.webhook()).toBeNull()
      expect(fake.received.map(({ path }) => path.split("/").at(-1))).toEqual([
        "setWebhook",
        "getUpdates",
        "deleteWebhook"
      ])
      expect((yield* poll("0", 0)).updates).toEqual([Spoke({ chatId: "42" })])
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("leaves the webhook alone when it is another poller that stands in its way", () =>
    Effect.gen(function* () {
      const { fake, poll } = yield* inboxSetUp(platform)
      fake.script(botRefusal(409, "Conflict: terminated by other getUpdates request"))
      expect((yield* Effect.flip(poll(null, 0))).message).toContain("terminated by other")
      expect(fake.received).toHaveLength(1)
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("reads a whole batch of the longest messages", () =>
    Effect.gen(function* () {
      const { fake, poll } = yield* inboxSetUp(platform)
      for (let count = 0; count < 100; count += 1) fake.push(spokenUpdate(42, "پیام".repeat(1024)))
      expect((yield* poll(null, 0)).updates).toEqual(
        Array.from({ length: 100 }, () => Spoke({ chatId: "42" }))
      )
      expect(fake.received.map(({ json }) => json)).toMatchObject([{ limit: 100 }])
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("fetches one update at a time when a batch is too large to be read", () =>
    Effect.gen(function* () {
      const { fake, poll } = yield* inboxSetUp(platform)
      const pushed = Array.from({ length: 100 }, () => fake.push(spokenUpdate(42, "پیام".repeat(6000))))
      expect(yield* poll(null, 0)).toEqual({
        updates: [Spoke({ chatId: "42" })],
        cursor: String(pushed[1]?.update_id)
      })
      expect(fake.received.map(({ json }) => json)).toMatchObject([{ limit: 100 }, { limit: 1 }])
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("never keeps a send waiting, however many polls wait", () =>
    Effect.gen(function* () {
      const polls = 64
      const { fake, account } = yield* botSetUp(platform)
      const poll = account.inbox?.poll ?? (() => Effect.die("no polling"))
      fake.script(...Array.from({ length: polls }, () => "silence" as const))
      const polling = yield* Effect.forEach(Array.from({ length: polls }), () =>
        Effect.forkChild(poll(null, 30_000))
      )
      yield* fake.arrived(polls)
      expect(new Set(fake.received.map(({ connection }) => connection)).size).toBe(polls)
      expectOutcome(yield* account.sendText(delivery(platform)), { ...accepted, messageId: "4101" })
      expect(polling.map((fiber) => fiber.pollUnsafe())).toEqual(polling.map(() => undefined))
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("waits ten seconds longer than the platform was asked to", () =>
    Effect.gen(function* () {
      const { fake, poll } = yield* inboxSetUp(platform)
      fake.script("silence")
      const polling = yield* Effect.forkChild(Effect.flip(poll(null, 30_000)))
      yield* fake.arrived(1)
      yield* TestClock.adjust("39 seconds")
      expect(polling.pollUnsafe()).toBeUndefined()
      yield* TestClock.adjust("1 second")
      expect(yield* Fiber.join(polling)).toMatchObject({ isDefinite: false })
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  const failures: ReadonlyArray<readonly [string, ReadonlyArray<Scripted>, boolean]> = [
    ["a wrong token", [botRefusal(401, "Unauthorized")], true],
    ["too many requests", [botRefusal(429, "Too Many Requests", { retry_after: 3 })], false],
    ["a time-out of the platform", [botRefusal(408, "Request Timeout")], false],
    ["a failure of the platform", [botRefusal(500, "Internal Server Error")], false],
    ["a page", [{ status: 502, text: "<html>" }], false],
    ["a broken connection", ["reset"], false],
    ["success without updates", [botResult({ updates: [] })], false],
    ["a webhook that stays", [botRefusal(409, "Conflict"), botRefusal(500, "Internal Server Error")], false]
  ]
  it.effect.each(failures)("fails after %s", ([, answers, isDefinite]) =>
    Effect.gen(function* () {
      const { fake, poll } = yield* inboxSetUp(platform)
      fake.script(...answers)
      const problem = yield* Effect.flip(poll(null, 0))
      expect(problem).toMatchObject({ isDefinite })
      expect(problem.message).not.toContain(BOT_TOKENS[platform])
    }).pipe(Effect.provide(ProviderHttpTest))
  )
})

describe.each(platforms)("%s bot: a webhook", (platform) => {
  const webhook = { url: "https://peyk.example/updates/1", secret: "s3cret" }
  const announced =
    platform === "telegram"
      ? { url: webhook.url, secret_token: "s3cret", allowed_updates: ["message", "my_chat_member"] }
      : { url: webhook.url }

  it.effect("is announced with as much as the platform takes", () =>
    Effect.gen(function* () {
      const { fake, inbox, announce } = yield* inboxSetUp(platform)
      yield* announce(webhook)
      expect(fake.received.map(({ method, path, json }) => ({ method, path, json }))).toEqual([
        { method: "POST", path: `/bot${BOT_TOKENS[platform]}/setWebhook`, json: announced }
      ])
      expect(fake.webhook()).toEqual(announced)
      expect(inbox.secretHeader).toBe(platform === "telegram" ? "x-telegram-bot-api-secret-token" : null)
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  const failures: ReadonlyArray<readonly [string, Scripted, boolean]> = [
    ["a refused address", botRefusal(400, "Bad Request: bad webhook"), true],
    ["a wrong token", botRefusal(401, "Unauthorized"), true],
    ["too many requests", botRefusal(429, "Too Many Requests"), false],
    ["a failure of the platform", botRefusal(500, "Internal Server Error"), false],
    ["a broken connection", "reset", false]
  ]
  it.effect.each(failures)("is not set after %s", ([, answer, isDefinite]) =>
    Effect.gen(function* () {
      const { fake, announce } = yield* inboxSetUp(platform)
      fake.script(answer)
      expect(yield* Effect.flip(announce(webhook))).toMatchObject({ isDefinite })
    }).pipe(Effect.provide(ProviderHttpTest))
  )
})

describe.each(platforms)("%s bot: its connections", (platform) => {
  const reply = { text: "سلام", shareButton: null }

  it.effect("are others for sends than for replies and questions", () =>
    Effect.gen(function* () {
      const { fake, account } = yield* botSetUp(platform)
      const { inbox, check } = account
      const webhook = { url: "https://peyk.example/updates/1", secret: "s3cret" }
      const calls: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
        account.sendText(delivery(platform)),
        inbox?.reply("42", reply) ?? Effect.die("no inbox"),
        check ?? Effect.die("no check"),
        inbox?.poll?.(null, 0) ?? Effect.die("no polling"),
        inbox?.announceWebhook?.(webhook) ?? Effect.die("no webhook"),
        account.sendCode(delivery(platform))
      ]
      yield* Effect.forEach(calls, (call) => Effect.andThen(call, nextTurn))
      expect(fake.received.map(({ path, connection }) => [path.split("/").at(-1), connection])).toEqual([
        ["sendMessage", 1],
        ["sendMessage", 2],
        ["getMe", 2],
        ["getUpdates", 2],
        ["setWebhook", 2],
        ["sendMessage", 1]
      ])
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("bring a longer answer to a reply or a question than to a send", () =>
    Effect.gen(function* () {
      const { fake, account } = yield* botSetUp(platform)
      const sent = botResult({ message_id: 5, text: LONG_WORDS })
      fake.script(sent, sent, botResult({ username: "sara_bot", description: LONG_WORDS }))
      expectOutcome(yield* account.sendText(delivery(platform)), {
        ...unknown,
        providerError: expect.stringContaining("exceeded max size")
      })
      const replied = account.inbox?.reply("42", reply) ?? Effect.die("no inbox")
      expectOutcome(yield* replied, { ...accepted, messageId: "5" })
      expect(yield* account.check ?? Effect.die("no check")).toBe("bot @sara_bot")
    }).pipe(Effect.provide(ProviderHttpTest))
  )
})

describe.each(platforms)("%s bot: a reply", (platform) => {
  const markups: ReadonlyArray<readonly [string, string | null, object]> = [
    [
      "offers the button that shares a contact",
      "ارسال شماره",
      {
        keyboard: [[{ text: "ارسال شماره", request_contact: true }]],
        resize_keyboard: true,
        one_time_keyboard: true
      }
    ],
    ["takes the button away", null, { remove_keyboard: true }]
  ]
  it.effect.each(markups)("%s", ([, shareButton, reply_markup]) =>
    Effect.gen(function* () {
      const { fake, inbox } = yield* inboxSetUp(platform)
      expectOutcome(yield* inbox.reply("42", { text: "سلام", shareButton }), accepted)
      expect(fake.received[0]?.path).toBe(`/bot${BOT_TOKENS[platform]}/sendMessage`)
      expect(fake.received[0]?.json).toEqual({ chat_id: 42, text: "سلام", reply_markup })
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("to somebody who has blocked the bot says that the contact is lost", () =>
    Effect.gen(function* () {
      const { fake, inbox } = yield* inboxSetUp(platform)
      fake.block("42")
      expectOutcome(yield* inbox.reply("42", { text: "سلام", shareButton: null }), lost)
    }).pipe(Effect.provide(ProviderHttpTest))
  )
})
