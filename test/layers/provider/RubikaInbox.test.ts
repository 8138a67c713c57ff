import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import type { BotUpdate } from "../../../src/domain/account/BotConversation.ts"
import { expectOutcome, LONG_WORDS, ProviderHttpTest } from "./kit/AdapterTest.ts"
import { checkOf } from "./kit/CheckOf.ts"
import { accepted, unknown } from "./kit/ProviderCase.ts"
import { settings, setUp, setUpWith, toChat } from "./kit/RubikaSetUp.ts"
import { nextTurn } from "../../support/NextTurn.ts"
import type { Scripted } from "../../support/fakes/FakeFarEnd.ts"
import { RUBIKA_CHAT, RUBIKA_TOKEN, rubikaOk, rubikaRefusal } from "../../support/fakes/FakeRubika.ts"

const chat_id = RUBIKA_CHAT
const PHONE = "989123456789"
const message = (new_message: unknown) => ({
  update: {
    type: "NewMessage",
    chat_id,
    new_message: { message_id: "1", sender_type: "User", ...Object(new_message) }
  }
})
const byButton = { aux_data: { start_id: null, button_id: "share_phone" } }
const pressed = (text: string, more: object = {}) => message({ text, ...byButton, ...more })
const card = (contact_message: unknown, more: object = {}) => message({ contact_message, ...more })

const spoke: BotUpdate = { _tag: "Spoke", chatId: chat_id }
const left: BotUpdate = { _tag: "Left", chatId: chat_id }
const shared = (isOwn: boolean): BotUpdate => ({
  _tag: "SharedContact",
  chatId: chat_id,
  phone: PHONE,
  isOwn,
  isProven: false
})

describe("rubika: an update", () => {
  const official = {
    update: {
      type: "NewMessage",
      chat_id,
      new_message: {
        message_id: 204_215_121_115_944_300,
        text: "custom text",
        time: "1643122902",
        is_edited: false,
        sender_type: "User",
        sender_id: "u0QFtn0abcded727585c77b8e116cd79",
        aux_data: { start_id: null, button_id: "61f6" }
      }
    }
  }
  const updates: ReadonlyArray<readonly [string, unknown, BotUpdate | null]> = [
    ["the documented sample", official, spoke],
    ["one that is not wrapped", official.update, spoke],
    ["the start of the bot", { update: { type: "StartedBot", chat_id } }, spoke],
    [
      "the start by a link",
      { type: "StartedBot", chat_id, new_message: { aux_data: { start_id: "x" } } },
      spoke
    ],
    ["the end of the bot", { update: { type: "StoppedBot", chat_id } }, left],
    ["a pressed button", pressed(PHONE), shared(false)],
    ["a pressed button, in Persian digits", pressed("۹۸۹۱۲۳۴۵۶۷۸۹"), shared(false)],
    [
      "a pressed button, with marks of direction",
      pressed("\u206698 912\u2011345\u20116789\u2069"),
      shared(false)
    ],
    ["a pressed button whose text is no phone", pressed("share"), spoke],
    ["another button with a phone", message({ text: PHONE, aux_data: { button_id: "x" } }), spoke],
    ["a typed phone", message({ text: PHONE }), spoke],
    ["a contact card", card({ phone_number: PHONE, first_name: "x" }), shared(false)],
    ["a contact card with a number", card({ phone_number: 989_123_456_789 }), shared(false)],
    ["a contact card by the button", card({ phone_number: PHONE }, byButton), shared(false)],
    ["a photo", message({ file: {} }), spoke],
    ["a message of the bot itself", message({ text: "x", sender_type: "Bot" }), null],
    ["a message that cannot be read", message({ text: 5 }), null],
    ["a message that is missing", { type: "NewMessage", chat_id }, null],
    ["a changed message", { type: "UpdatedMessage", chat_id, updated_message: {} }, null],
    ["a removed message", { type: "RemovedMessage", chat_id, removed_message_id: "1" }, null],
    ["a payment", { type: "UpdatedPayment", chat_id, updated_payment: {} }, null],
    ["a group", { type: "NewMessage", chat_id: "g0Q", new_message: { text: "x" } }, null],
    ["a channel", { type: "StoppedBot", chat_id: "c0Q" }, null],
    ["a press inside a message", { inline_message: { chat_id, text: PHONE, message_id: "1" } }, null],
    ["no object", "update", null],
    ["null", null, null]
  ]
  it.effect.each(updates)("is read: %s", ([, posted, expected]) =>
    Effect.gen(function* () {
      const { inbox } = yield* setUp
      expect(inbox.read(posted, 0)).toEqual(expected)
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  const trusted: ReadonlyArray<readonly [string, unknown, boolean]> = [
    ["a pressed button", pressed(PHONE), true],
    ["a pressed button, in Persian digits", pressed("۹۸۹۱۲۳۴۵۶۷۸۹"), true],
    ["a contact card by the button", card({ phone_number: PHONE }, byButton), true],
    ["a contact card", card({ phone_number: PHONE }), false],
    [
      "a contact card by another button",
      card({ phone_number: PHONE }, { aux_data: { start_id: null, button_id: "x" } }),
      false
    ],
    ["a contact card by a null button", card({ phone_number: PHONE }, { aux_data: null }), false],
    ["a forwarded button text", pressed(PHONE, { forwarded_from: { type_from: "User" } }), false],
    [
      "a forwarded card by the button",
      card({ phone_number: PHONE }, { ...byButton, forwarded_from: { type_from: "User" } }),
      false
    ],
    ["a forwarded card", card({ phone_number: PHONE }, { forwarded_no_link: { from_title: "x" } }), false]
  ]
  it.effect.each(trusted)(
    "is believed where contacts are trusted, if it came by the button and is not forwarded: %s",
    ([, posted, isOwn]) =>
      Effect.gen(function* () {
        const { inbox } = yield* setUpWith([], { ...settings, trust_contacts: true })
        expect(inbox.read(posted, 0)).toEqual(shared(isOwn))
      }).pipe(Effect.provide(ProviderHttpTest))
  )
})

describe("rubika: polling", () => {
  const polled = (count: number) =>
    Array.from({ length: count }, (_, at) => ({ type: "StartedBot", chat_id: `b0${at}` }))
  const pollOf = ({ inbox }: Effect.Success<typeof setUp>) => inbox.poll ?? (() => Effect.die("no polling"))

  it.effect("goes on where the last batch ended", () =>
    Effect.gen(function* () {
      const account = yield* setUpWith(polled(150))
      const first = yield* pollOf(account)(null, 1000)
      const second = yield* pollOf(account)(first.cursor, 1000)
      const third = yield* pollOf(account)(second.cursor, 1000)
      expect([first, second, third].map(({ updates, cursor }) => [updates.length, cursor])).toEqual([
        [100, "100"],
        [50, "150"],
        [0, "150"]
      ])
      expect(account.fake.received.map(({ path, json }) => [path, json])).toEqual([
        [`/v3/${RUBIKA_TOKEN}/getUpdates`, { limit: 100 }],
        [`/v3/${RUBIKA_TOKEN}/getUpdates`, { limit: 100, offset_id: "100" }],
        [`/v3/${RUBIKA_TOKEN}/getUpdates`, { limit: 100, offset_id: "150" }]
      ])
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("leaves out what has nothing for us", () =>
    Effect.gen(function* () {
      const account = yield* setUpWith([
        { type: "RemovedMessage", chat_id },
        pressed(PHONE).update,
        "?",
        { type: "StoppedBot", chat_id }
      ])
      const { updates } = yield* pollOf(account)(null, 1000)
      expect(updates).toEqual([shared(false), left])
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  const cursors: ReadonlyArray<readonly [string, Scripted, string | null]> = [
    ["is missing", rubikaOk({ updates: [] }), "7"],
    ["is null", rubikaOk({ updates: [], next_offset_id: null }), "7"],
    ["is empty", rubikaOk({ updates: [], next_offset_id: "" }), "7"],
    ["and all the rest are missing", { json: { status: "OK" } }, "7"],
    ["is a number", rubikaOk({ updates: [], next_offset_id: 8 }), "8"],
    [
      "is too long for a number",
      { text: '{"status":"OK","data":{"updates":[],"next_offset_id":204215121115944301}}' },
      "204215121115944301"
    ]
  ]
  it.effect.each(cursors)("keeps its place where the next one %s", ([, answer, cursor]) =>
    Effect.gen(function* () {
      const account = yield* setUp
      account.fake.script(answer)
      expect(yield* pollOf(account)("7", 1000)).toEqual({ updates: [], cursor })
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("says what is wrong", () =>
    Effect.gen(function* () {
      const account = yield* setUp
      account.fake.script(rubikaRefusal("INVALID_ACCESS"), "reset", rubikaOk({ updates: 5 }))
      const problem = Effect.flip(pollOf(account)(null, 1000))
      expect(yield* problem).toMatchObject({ isDefinite: true, message: "INVALID_ACCESS" })
      expect(yield* problem).toMatchObject({ isDefinite: false })
      expect(yield* problem).toMatchObject({ isDefinite: false })
    }).pipe(Effect.provide(ProviderHttpTest))
  )
})

describe("rubika: the webhook", () => {
  const announceOf = ({ inbox }: Effect.Success<typeof setUp>) =>
    inbox.announceWebhook ?? (() => Effect.die("no webhook"))

  it.effect("is announced for what people write to the bot", () =>
    Effect.gen(function* () {
      const account = yield* setUp
      yield* announceOf(account)({ url: "https://peyk.example/in/abc", secret: "s" })
      expect(account.fake.received.map(({ method, path, json }) => [`${method} ${path}`, json])).toEqual([
        [
          `POST /v3/${RUBIKA_TOKEN}/updateBotEndpoints`,
          { url: "https://peyk.example/in/abc", type: "ReceiveUpdate" }
        ]
      ])
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("may be refused", () =>
    Effect.gen(function* () {
      const account = yield* setUp
      const refused = announceOf(account)({ url: "http://peyk.example/in", secret: "s" })
      expect(yield* Effect.flip(refused)).toMatchObject({
        isDefinite: true,
        message: "INVALID_INPUT url is not valid"
      })
    }).pipe(Effect.provide(ProviderHttpTest))
  )
})

describe("rubika: a reply", () => {
  it.effect("offers the button that shares one's number", () =>
    Effect.gen(function* () {
      const { fake, inbox } = yield* setUp
      expectOutcome(yield* inbox.reply(chat_id, { text: "سلام", shareButton: "شماره من" }), accepted)
      expect(fake.received[0]?.json).toEqual({
        chat_id,
        text: "سلام",
        chat_keypad: {
          rows: [{ buttons: [{ id: "share_phone", type: "AskMyPhoneNumber", button_text: "شماره من" }] }],
          resize_keyboard: true,
          on_time_keyboard: false
        },
        chat_keypad_type: "New"
      })
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("takes the button away", () =>
    Effect.gen(function* () {
      const { fake, inbox } = yield* setUp
      expectOutcome(yield* inbox.reply(chat_id, { text: "ممنون", shareButton: null }), accepted)
      expect(fake.received[0]?.json).toEqual({ chat_id, text: "ممنون", chat_keypad_type: "Remove" })
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("goes, as questions do, over another connection than a send", () =>
    Effect.gen(function* () {
      const { fake, account, inbox } = yield* setUp
      const calls: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
        account.sendCode(toChat()),
        inbox.reply(chat_id, { text: "ممنون", shareButton: null }),
        checkOf(account),
        inbox.poll?.(null, 1000) ?? Effect.die("no polling"),
        account.sendText(toChat())
      ]
      yield* Effect.forEach(calls, (call) => Effect.andThen(call, nextTurn))
      expect(fake.received.map(({ path, connection }) => [path.split("/").at(-1), connection])).toEqual([
        ["sendMessage", 1],
        ["sendMessage", 2],
        ["getMe", 2],
        ["getUpdates", 2],
        ["sendMessage", 1]
      ])
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("may, as questions may, be answered at greater length than a send", () =>
    Effect.gen(function* () {
      const { fake, account, inbox } = yield* setUp
      const long = rubikaOk({ message_id: "5", text: LONG_WORDS })
      fake.script(long, long, rubikaOk({ updates: [{ type: "StoppedBot", chat_id, text: LONG_WORDS }] }))
      expectOutcome(yield* inbox.reply(chat_id, { text: "ممنون", shareButton: null }), {
        ...accepted,
        messageId: "5"
      })
      expectOutcome(yield* account.sendText(toChat()), {
        ...unknown,
        providerError: expect.stringContaining("exceeded max size")
      })
      const polled = yield* inbox.poll?.(null, 1000) ?? Effect.die("no polling")
      expect(polled.updates).toEqual([left])
    }).pipe(Effect.provide(ProviderHttpTest))
  )
})
