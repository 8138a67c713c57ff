import { describe, expect, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { delivery, expectOutcome, ProviderHttpTest } from "./kit/AdapterTest.ts"
import { botSetUp, inboxSetUp } from "./kit/BotAdapterTest.ts"
import { own, PHONE_NUMBER, platforms, Spoke } from "./kit/BotPlatforms.ts"
import { accepted } from "./kit/ProviderCase.ts"
import {
  BOT_TOKENS,
  botRefusal,
  botResult,
  contactUpdate,
  spokenUpdate
} from "../../support/fakes/FakeBotApi.ts"
import type { Scripted } from "../../support/fakes/FakeFarEnd.ts"

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
