import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { BotUpdate } from "../../../src/domain/account/BotConversation.ts"
import { ProviderHttpTest } from "./kit/AdapterTest.ts"
import { inboxSetUp } from "./kit/BotAdapterTest.ts"
import {
  clones,
  distrusted,
  Left,
  NOW,
  others,
  own,
  PHONE_NUMBER,
  platforms,
  Spoke,
  trusted
} from "./kit/BotPlatforms.ts"
import { contactUpdate, membershipUpdate, spokenUpdate } from "../../support/fakes/FakeBotApi.ts"

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
