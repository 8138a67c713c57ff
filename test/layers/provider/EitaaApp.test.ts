import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { BotUpdate, converse } from "../../../src/domain/account/BotConversation.ts"
import { ProviderHttp } from "../../../src/layers/provider/ProviderHttp.ts"
import { eitaaAppAdapter } from "../../../src/layers/provider/adapters/EitaaApp.ts"
import {
  CHAT_ID,
  connected,
  delivery,
  type Expected,
  expectOutcome,
  LONG_WORDS,
  ProviderHttpTest,
  TEXT
} from "./kit/AdapterTest.ts"
import { configuration, recipient, request, throttled, unavailable, unknown } from "./kit/ProviderCase.ts"
import { describeProvider } from "./kit/ProviderKit.ts"
import { sentJson } from "./kit/SendTests.ts"
import { nextTurn } from "../../support/NextTurn.ts"
import { EITAA_TOKEN, eitaaRefusal, fakeEitaa, signedByEitaa } from "../../support/fakes/FakeEitaa.ts"
import type { Scripted } from "../../support/fakes/FakeFarEnd.ts"

const settings = { token: EITAA_TOKEN }

const accepted: Expected = { _tag: "Accepted", messageId: null }
const lost: Expected = { ...recipient, isContactLost: true }

const connect = (http: ProviderHttp["Service"], url: string, given: unknown = settings) =>
  connected(eitaaAppAdapter(http, `${url}/api`), given)

const setUpWith = (given: unknown) =>
  Effect.gen(function* () {
    const fake = yield* fakeEitaa()
    const account = connect(yield* ProviderHttp, fake.url, given)
    const inbox = account.inbox ?? (yield* Effect.die("no inbox"))
    return { fake, account, inbox }
  })
const setUp = setUpWith(settings)

describe("eitaa: a message", () => {
  it.effect("is sent to the person, as documented, whether it is a code or a text", () =>
    Effect.gen(function* () {
      const { fake, account } = yield* setUp
      expectOutcome(yield* account.sendCode(delivery("eitaa")), accepted)
      expectOutcome(yield* account.sendText(delivery("eitaa")), accepted)
      expect(fake.received).toHaveLength(2)
      for (const { method, path, query, json, headers } of fake.received) {
        expect(`${method} ${path}${query}`).toBe("POST /api/app/sendMessage")
        expect(json).toEqual({ token: EITAA_TOKEN, chat_id: 484_848, text: TEXT })
        expect(headers).toMatchObject({ accept: "application/json", "content-type": "application/json" })
        expect(headers["traceparent"]).toBeUndefined()
      }
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("goes to an id that is too long for a number as its digits", () =>
    Effect.gen(function* () {
      const { fake, account } = yield* setUp
      yield* account.sendText(delivery("eitaa", { chatId: "204215121115944301" }))
      expect(fake.received[0]?.json).toMatchObject({ chat_id: "204215121115944301" })
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("is not sent to a phone that has not met the app", () =>
    Effect.gen(function* () {
      const { fake, account } = yield* setUp
      expectOutcome(yield* account.sendCode(delivery("eitaa", { chatId: null })), recipient)
      expectOutcome(yield* account.sendText(delivery("eitaa", { chatId: null })), recipient)
      expect(fake.received).toHaveLength(0)
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  const answers: ReadonlyArray<readonly [string, Scripted, Expected]> = [
    ["success", { json: { ok: true, result: "success" } }, accepted],
    ["success and no result", { json: { ok: true } }, accepted],
    [
      "success and a message",
      { json: { ok: true, result: { message_id: 7 } } },
      { ...accepted, messageId: "7" }
    ],
    [
      "success and a long id",
      { text: '{"ok":true,"result":{"message_id":204215121115944301}}' },
      { ...accepted, messageId: "204215121115944301" }
    ],
    ["success and an unreadable id", { json: { ok: true, result: { message_id: null } } }, accepted],
    ["success with HTTP 500", { status: 500, json: { ok: true } }, unknown],
    ["success with HTTP 400", { status: 400, json: { ok: true } }, request],
    ["a failure and no more", eitaaRefusal(), recipient],
    ["a failure of nulls", { json: { ok: false, error_code: null, description: null } }, recipient],
    ["a failure and no more with HTTP 400", eitaaRefusal(undefined, undefined, 400), recipient],
    ["401", eitaaRefusal(401, "Unauthorized"), configuration],
    ["HTTP 401", eitaaRefusal(undefined, "Unauthorized", 401), configuration],
    ["400 and its reason", eitaaRefusal(400, "Bad Request: text is empty"), request],
    ["HTTP 400 and its reason", eitaaRefusal(undefined, "text is empty", 400), request],
    ["400 and no reason", eitaaRefusal(400), request],
    ["400 and a wrong access token", eitaaRefusal(400, "invalid access token"), request],
    ["400 and chat not found", eitaaRefusal(400, "Bad Request: chat not found"), lost],
    ["a blocked app, without a code", eitaaRefusal(undefined, "bot was blocked by the user"), lost],
    ["a blocked app, and 403", eitaaRefusal(403, "Forbidden: bot was blocked by the user"), lost],
    ["a user who has blocked the app", eitaaRefusal(403, "user blocked the app"), lost],
    ["something blocked, by nobody known", eitaaRefusal(400, "blocked"), recipient],
    ["user not found", eitaaRefusal(400, "User was not found"), lost],
    ["no permission", eitaaRefusal(400, "you do not have permission to write to this user"), recipient],
    ["no access", eitaaRefusal(400, "no access to user"), recipient],
    ["access denied", eitaaRefusal(403, "access denied"), recipient],
    ["403", eitaaRefusal(403, "Forbidden"), recipient],
    ["403 and no more", eitaaRefusal(403), recipient],
    ["HTTP 403 and no more", eitaaRefusal(undefined, undefined, 403), recipient],
    ["404", eitaaRefusal(404, "Not Found"), recipient],
    ["HTTP 404", eitaaRefusal(undefined, "Not Found", 404), recipient],
    ["408", eitaaRefusal(408, "timeout"), unknown],
    ["HTTP 408", eitaaRefusal(undefined, "timeout", 408), unknown],
    ["425", eitaaRefusal(425, "too early"), unavailable],
    ["429", eitaaRefusal(429, "Too Many Requests"), { ...throttled, retryAfterMillis: null }],
    [
      "HTTP 429 and when to come back",
      { status: 429, json: { ok: false }, headers: { "retry-after": "9" } },
      { ...throttled, retryAfterMillis: 9000 }
    ],
    ["500", eitaaRefusal(500, "Internal Server Error"), unknown],
    ["HTTP 502", eitaaRefusal(undefined, "bad gateway", 502), unknown],
    ["HTTP 500 and the code 400", eitaaRefusal(400, "broken", 500), unknown],
    ["a redirect", eitaaRefusal(undefined, undefined, 302), configuration],
    ["a code that is no number", { json: { ok: false, error_code: "x" } }, recipient],
    ["a code as a text", { json: { ok: false, error_code: "401", description: "?" } }, configuration]
  ]
  it.effect.each(answers)("that is answered with %s", ([, answer, expected]) =>
    Effect.gen(function* () {
      const { fake, account } = yield* setUp
      fake.script(answer, answer)
      expectOutcome(yield* account.sendCode(delivery("eitaa")), expected)
      expectOutcome(yield* account.sendText(delivery("eitaa")), expected)
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("keeps the platform's own words, but not the token in them", () =>
    Effect.gen(function* () {
      const { fake, account } = yield* setUp
      fake.script(eitaaRefusal(401, `no app ${EITAA_TOKEN}`))
      expect(yield* account.sendText(delivery("eitaa"))).toMatchObject({ providerError: "401 no app •••" })
    }).pipe(Effect.provide(ProviderHttpTest))
  )
})

const sent = sentJson("POST /api/app/sendMessage", { token: EITAA_TOKEN, chat_id: 484_848, text: TEXT })

describeProvider({
  name: "eitaa_app",
  channel: "eitaa",
  fake: fakeEitaa(),
  adapter: (http, url) => eitaaAppAdapter(http, `${url}/api`),
  settings: () => settings,
  credentials: ["token"],
  sends: { code: sent, text: sent },
  unlisted: [{ json: { ok: false, error_code: 7, description: "?" } }, "request"],
  refusal: (words) => eitaaRefusal(400, words),
  wrongSettings: [
    [{ token: "SECRET with space" }, "token must be"],
    [{ token: 5 }, "token Expected string"],
    [{ token: "SECRET", trust_contacts: "SECRET" }, "trust_contacts Expected boolean"],
    [{ token: "SECRET", receives_updates: false }, "receives_updates is not a setting of this provider"]
  ],
  check: null,
  reports: null
})

describe("eitaa: the account", () => {
  const adapterOf = Effect.map(ProviderHttp, (http) => eitaaAppAdapter(http, "http://127.0.0.1:1/api"))

  it.effect("sends to people who have met it, and can neither be checked nor asked for reports", () =>
    Effect.gen(function* () {
      const adapter = yield* adapterOf
      expect(adapter).toMatchObject({ name: "eitaa_app", channels: ["eitaa"] })
      expect(connected(adapter, settings)).toMatchObject({
        traits: {
          sendsCodes: true,
          sendsTexts: true,
          deduplicatesCodes: false,
          deduplicatesTexts: false,
          reportsDelivery: false,
          needsContact: true
        },
        check: null,
        deliveryReport: null,
        inbox: { secretHeader: null, announceWebhook: null, poll: null }
      })
    }).pipe(Effect.provide(ProviderHttpTest))
  )
})

describe("eitaa: what the app's backend posts", () => {
  const AUTH_DATE = 1_709_144_340
  const NOW = AUTH_DATE * 1000
  const auth_date = String(AUTH_DATE)
  const init_data = signedByEitaa({ auth_date, user: `{"id":${CHAT_ID}}` })
  const contactOf = (contact: string) => signedByEitaa({ auth_date, contact })
  const phone = "989123456789"
  const own = contactOf(`{"phone":"${phone}","user_id":${CHAT_ID}}`)

  const nobodys = contactOf(`{"phone":"${phone}"}`)
  const others = contactOf(`{"phone":"${phone}","user_id":1}`)

  const shared = (isOwn: boolean, isProven: boolean): BotUpdate => ({
    _tag: "SharedContact",
    chatId: CHAT_ID,
    phone,
    isOwn,
    isProven
  })
  const spoke: BotUpdate = { _tag: "Spoke", chatId: CHAT_ID }

  const posts: ReadonlyArray<readonly [string, unknown, BotUpdate | null]> = [
    ["init data alone: the person came", { init_data }, spoke],
    ["one's own contact", { init_data, contact: own }, shared(true, true)],
    ["a contact that names nobody", { init_data, contact: nobodys }, shared(false, false)],
    [
      "a contact that names a null user",
      { init_data, contact: contactOf(`{"phone":"${phone}","user_id":null}`) },
      shared(false, false)
    ],
    ["somebody else's contact", { init_data, contact: others }, shared(false, true)],
    ["a changed contact", { init_data, contact: own.replace(phone, "989123456780") }, null],
    ["a contact that is not signed", { init_data, contact: `contact={"phone":"${phone}"}` }, null],
    ["an empty contact", { init_data, contact: "" }, null],
    ["a contact that is no text", { init_data, contact: { phone } }, null],
    ["the init data as a contact", { init_data, contact: init_data }, null],
    ["a contact alone", { contact: own }, null],
    ["the contact as init data", { init_data: own, contact: own }, null],
    ["changed init data", { init_data: init_data.replace(CHAT_ID, "484849"), contact: own }, null],
    ["init data of another app", { init_data: signedByEitaa({ auth_date, user: '{"id":5}' }, "x") }, null],
    ["nothing", {}, null],
    ["no object", "init_data", null],
    ["null", null, null]
  ]
  it.effect.each(posts)("is read: %s", ([, posted, expected]) =>
    Effect.gen(function* () {
      const { inbox } = yield* setUp
      expect(inbox.read(posted, NOW)).toEqual(expected)
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  const trusted: ReadonlyArray<readonly [string, string, BotUpdate | null]> = [
    ["one's own contact", own, shared(true, true)],
    ["a contact that names nobody", nobodys, shared(true, false)],
    ["somebody else's contact", others, shared(false, true)],
    ["a contact that is not signed", `contact={"phone":"${phone}"}`, null]
  ]
  it.effect.each(trusted)("is read where contacts are trusted: %s", ([, contact, expected]) =>
    Effect.gen(function* () {
      const { inbox } = yield* setUpWith({ ...settings, trust_contacts: true })
      expect(inbox.read({ init_data, contact }, NOW)).toEqual(expected)
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("is believed for a day", () =>
    Effect.gen(function* () {
      const { inbox } = yield* setUp
      expect(inbox.read({ init_data }, NOW + 24 * 3_600_000)).toEqual(spoke)
      expect(inbox.read({ init_data }, NOW + 24 * 3_600_000 + 1)).toBeNull()
    }).pipe(Effect.provide(ProviderHttpTest))
  )
})

describe("eitaa: a reply", () => {
  it.effect("is a message without buttons, which apps do not have", () =>
    Effect.gen(function* () {
      const { fake, inbox } = yield* setUp
      expectOutcome(yield* inbox.reply(CHAT_ID, { text: "سلام", shareButton: "شماره من" }), accepted)
      expect(fake.received[0]?.json).toEqual({ token: EITAA_TOKEN, chat_id: 484_848, text: "سلام" })
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect.each([false, true])(
    "asks for a number without naming a button (after another's: %s)",
    (isShared) =>
      Effect.gen(function* () {
        const { fake, inbox } = yield* setUp
        const chatId = CHAT_ID
        const update = isShared
          ? BotUpdate.SharedContact({ chatId, phone: "09121234567", isOwn: false, isProven: true })
          : BotUpdate.Spoke({ chatId })
        const { reply } = converse(update, false)
        if (reply === null) return yield* Effect.die("no reply")
        yield* inbox.reply(chatId, reply)
        expect(reply.text).toContain("دکمه")
        expect(JSON.stringify(fake.received[0]?.json)).not.toContain("دکمه")
      }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("goes over another connection than a send, and may be answered at greater length", () =>
    Effect.gen(function* () {
      const { fake, account, inbox } = yield* setUp
      const long: Scripted = { json: { ok: true, result: { message_id: 7, text: LONG_WORDS } } }
      yield* account.sendCode(delivery("eitaa"))
      yield* nextTurn
      fake.script(long, long)
      expectOutcome(yield* inbox.reply(CHAT_ID, { text: "سلام", shareButton: null }), {
        ...accepted,
        messageId: "7"
      })
      expectOutcome(yield* account.sendText(delivery("eitaa")), {
        ...unknown,
        providerError: expect.stringContaining("exceeded max size")
      })
      expect(fake.received.map(({ connection }) => connection)).toEqual([1, 2, 1])
    }).pipe(Effect.provide(ProviderHttpTest))
  )
})
