import { expect, it } from "@effect/vitest"
import { Effect } from "effect"
import { BOT_TOKENS, fakeBotApi } from "./FakeBotApi.ts"

const multipart = new FormData()
multipart.set("chat_id", "42")
multipart.set("text", "سلام")

const ways: ReadonlyArray<readonly [string, string, RequestInit]> = [
  ["a query", "?chat_id=42&text=%D8%B3%D9%84%D8%A7%D9%85", { method: "GET" }],
  ["a form", "", { method: "POST", body: new URLSearchParams({ chat_id: "42", text: "سلام" }) }],
  ["multipart", "", { method: "POST", body: multipart }],
  ["JSON", "", { method: "POST", body: JSON.stringify({ chat_id: 42, text: "سلام" }) }]
]

const ask = (url: string, method: string, init: RequestInit = {}) =>
  Effect.promise(async () => {
    const answer = await fetch(`${url}/bot${BOT_TOKENS.telegram}/${method}`, init)
    return Object(await answer.json())
  })

it.effect.each(ways)("the fake of a bot platform takes a message as %s", ([, query, init]) =>
  Effect.gen(function* () {
    const { url } = yield* fakeBotApi({ platform: "telegram" })
    expect(yield* ask(url, `sendMessage${query}`, init)).toMatchObject({ ok: true, result: { text: "سلام" } })
  })
)

it.effect("the fake of a bot platform says which webhook is set", () =>
  Effect.gen(function* () {
    const { url } = yield* fakeBotApi({ platform: "telegram" })
    expect(yield* ask(url, "getWebhookInfo")).toMatchObject({ ok: true, result: { url: "" } })
    yield* ask(url, 'setWebhook?url=https://peyk.example/hook&allowed_updates=["message"]')
    expect(yield* ask(url, "getWebhookInfo")).toMatchObject({
      result: { url: "https://peyk.example/hook", allowed_updates: ["message"], pending_update_count: 0 }
    })
  })
)
