import { describe, expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { delivery, expectOutcome, LONG_WORDS, ProviderHttpTest } from "./kit/AdapterTest.ts"
import { botSetUp, inboxSetUp, lost } from "./kit/BotAdapterTest.ts"
import { platforms } from "./kit/BotPlatforms.ts"
import { checkOf } from "./kit/CheckOf.ts"
import { accepted, unknown } from "./kit/ProviderCase.ts"
import { nextTurn } from "../../support/NextTurn.ts"
import { BOT_TOKENS, botRefusal, botResult } from "../../support/fakes/FakeBotApi.ts"
import type { Scripted } from "../../support/fakes/FakeFarEnd.ts"

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
      expect(yield* checkOf(account)).toBe("bot @sara_bot")
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
