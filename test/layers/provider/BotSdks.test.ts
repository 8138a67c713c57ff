import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { ProviderHttp } from "../../../src/layers/provider/ProviderHttp.ts"
import { telegramBotAdapter } from "../../../src/layers/provider/adapters/PlatformBots.ts"
import { CHAT_ID, connected, delivery, ProviderHttpTest, TEXT } from "./kit/AdapterTest.ts"
import { checkOf } from "./kit/CheckOf.ts"
import { hasTools, loadTool } from "./sms/SdkTools.ts"
import { BOT_TOKENS, BOT_USERNAMES, contactUpdate, fakeBotApi } from "../../support/fakes/FakeBotApi.ts"
import type { Received } from "../../support/fakes/FakeFarEnd.ts"
import { sentFields } from "../../support/fakes/SentFields.ts"

/** What both libraries have, by their own names. */
interface Client {
  readonly getMe: () => Promise<unknown>
  readonly sendMessage: (chatId: number, text: string, extras?: object) => Promise<unknown>
  readonly setWebhook: (url: string, extras: object) => Promise<unknown>
  readonly getUpdates: () => Promise<ReadonlyArray<unknown>>
}

const clients: Readonly<Record<"grammY" | "Telegraf", (root: string) => Client>> = {
  grammY: (apiRoot) => {
    const { Api } = loadTool("grammy")
    const api = new Api(BOT_TOKENS.telegram, { apiRoot })
    return {
      getMe: () => api.getMe(),
      sendMessage: (chatId, text, extras = {}) => api.sendMessage(chatId, text, extras),
      setWebhook: (url, extras) => api.setWebhook(url, extras),
      getUpdates: () => api.getUpdates({ limit: 100, timeout: 0 })
    }
  },
  Telegraf: (apiRoot) => {
    const { Telegram } = loadTool("telegraf")
    const telegram = new Telegram(BOT_TOKENS.telegram, { apiRoot })
    return {
      getMe: () => telegram.getMe(),
      sendMessage: (chatId, text, extras = {}) => telegram.sendMessage(chatId, text, extras),
      setWebhook: (url, extras) => telegram.setWebhook(url, extras),
      getUpdates: () => telegram.getUpdates(0, 100, 0, undefined)
    }
  }
}

const setUp = Effect.fnUntraced(function* (name: keyof typeof clients) {
  const fake = yield* fakeBotApi({ platform: "telegram" })
  const account = connected(telegramBotAdapter(yield* ProviderHttp, fake.url), { token: BOT_TOKENS.telegram })
  const inbox = account.inbox ?? (yield* Effect.die("people can write to it"))
  return { fake, account, inbox, client: clients[name](fake.url) }
})

/** The fields, whichever of the ways they came in, with JSON read. */
const shapeOf = (sent: Received | undefined) => ({
  path: sent?.path,
  fields:
    sent === undefined
      ? {}
      : Object.fromEntries(
          Object.entries(sentFields(sent)).map(([name, value]) => [
            name,
            typeof value === "string" && /^[[{]/.test(value) ? JSON.parse(value) : value
          ])
        )
})

const CHAT = Number(CHAT_ID)
const HOOK = "https://peyk.example.com/v1/inbound/7-x"

describe.runIf(hasTools).each(["grammY", "Telegraf"] as const)("%s takes the fake for Telegram", (name) => {
  it.effect("when it asks who it is, and we ask the same", () =>
    Effect.gen(function* () {
      const { fake, account, client } = yield* setUp(name)
      const me = yield* Effect.promise(() => client.getMe())
      expect(me).toMatchObject({ username: BOT_USERNAMES.telegram, is_bot: true })
      yield* checkOf(account)
      expect(fake.received[1]?.path).toBe(fake.received[0]?.path)
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("when it sends a text, and we send the same", () =>
    Effect.gen(function* () {
      const { fake, account, client } = yield* setUp(name)
      const sent = yield* Effect.promise(() => client.sendMessage(CHAT, TEXT))
      expect(sent).toMatchObject({ message_id: expect.any(Number), text: TEXT })
      yield* account.sendText(delivery("telegram"))
      expect(shapeOf(fake.received[1])).toEqual(shapeOf(fake.received[0]))
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("when it offers the button that shares a number, and we offer the same", () =>
    Effect.gen(function* () {
      const { fake, inbox, client } = yield* setUp(name)
      const keyboard = {
        keyboard: [[{ text: "share", request_contact: true }]],
        resize_keyboard: true,
        one_time_keyboard: true
      }
      yield* Effect.promise(() => client.sendMessage(CHAT, TEXT, { reply_markup: keyboard }))
      yield* inbox.reply(CHAT_ID, { text: TEXT, shareButton: "share" })
      expect(shapeOf(fake.received[1])).toEqual(shapeOf(fake.received[0]))
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("when it sets a webhook, and we set the same", () =>
    Effect.gen(function* () {
      const { fake, inbox, client } = yield* setUp(name)
      yield* inbox.announceWebhook?.({ url: HOOK, secret: "s3cret" }) ?? Effect.die("no webhook")
      const { allowed_updates } = Object(fake.received[0]?.json)
      yield* Effect.promise(() => client.setWebhook(HOOK, { secret_token: "s3cret", allowed_updates }))
      expect(shapeOf(fake.received[0])).toEqual(shapeOf(fake.received[1]))
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("when it fetches updates, and reads the same in them as we do", () =>
    Effect.gen(function* () {
      const { fake, inbox, client } = yield* setUp(name)
      fake.push(contactUpdate(CHAT, { phone_number: "989123456789", user_id: CHAT }))
      const theirs = yield* Effect.promise(() => client.getUpdates())
      expect(theirs).toMatchObject([{ message: { contact: { phone_number: "989123456789" } } }])
      const ours = yield* inbox.poll?.(null, 0) ?? Effect.die("no polling")
      expect(ours.updates).toMatchObject([{ _tag: "SharedContact", chatId: CHAT_ID, isOwn: true }])
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("when a person blocked it", () =>
    Effect.gen(function* () {
      const { fake, client } = yield* setUp(name)
      fake.block(CHAT_ID)
      const refused = yield* Effect.flip(Effect.tryPromise(() => client.sendMessage(CHAT, TEXT)))
      expect(String(Object(refused.cause).message)).toContain("bot was blocked by the user")
    }).pipe(Effect.provide(ProviderHttpTest))
  )
})
