import { describe, expect, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import type { BotUpdate } from "../../../src/domain/account/BotUpdate.ts"
import { ProviderHttp } from "../../../src/layers/providers/ProviderHttp.ts"
import { rubikaBotAdapter } from "../../../src/layers/providers/bots/RubikaBotAdapter.ts"
import {
  connected,
  delivery,
  type Expected,
  expectOutcome,
  LONG_WORDS,
  nextTurn,
  ProviderHttpTest,
  TEXT
} from "./kit/AdapterTest.ts"
import type { Scripted } from "../../support/fakes/FakeFarEnd.ts"
import {
  fakeRubika,
  RUBIKA_CHAT,
  RUBIKA_TOKEN,
  rubikaOk,
  rubikaRefusal
} from "../../support/fakes/FakeRubika.ts"
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

const settings = { token: RUBIKA_TOKEN }

const lost: Expected = { ...recipient, isContactLost: true }

const toChat = (changes: Parameters<typeof delivery>[1] = {}) =>
  delivery("rubika", { chatId: RUBIKA_CHAT, ...changes })

const connect = (http: ProviderHttp["Service"], url: string, given: unknown = settings) =>
  connected(rubikaBotAdapter(http, `${url}/v3`), given)

const setUpWith = (updates: ReadonlyArray<unknown>, given: unknown = settings) =>
  Effect.gen(function* () {
    const fake = yield* fakeRubika({ updates })
    const account = connect(yield* ProviderHttp, fake.url, given)
    const inbox = account.inbox ?? (yield* Effect.die("no inbox"))
    return { fake, account, inbox }
  })
const setUp = setUpWith([])

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
    ["another status with HTTP 403", rubikaRefusal("FORBIDDEN", null, 403), configuration],
    ["a forbidden chat", rubikaRefusal("FORBIDDEN", "no permission"), request],
    ["TOO_REQUESTS", rubikaRefusal("TOO_REQUESTS"), { ...throttled, retryAfterMillis: null }],
    [
      "HTTP 429 and when to come back",
      { status: 429, json: { status: "WAIT" }, headers: { "retry-after": "9" } },
      { ...throttled, retryAfterMillis: 9000 }
    ],
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
      expect(yield* account.check ?? Effect.succeed("no check")).toBe("bot @peyk_bot")
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
      const check = account.check ?? Effect.succeed("no check")
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
      expect(yield* Effect.flip(account.check ?? Effect.succeed("no check"))).toMatchObject({
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
      const problem = yield* Effect.flip(account.check ?? Effect.succeed("no check"))
      expect(problem.isDefinite).toBe(isDefinite)
      expect(problem.message).not.toContain(RUBIKA_TOKEN)
    }).pipe(Effect.provide(ProviderHttpTest))
  )
})

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
        account.check ?? Effect.die("no check"),
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
