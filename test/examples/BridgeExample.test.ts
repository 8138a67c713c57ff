import { describe, expect, it } from "@effect/vitest"
import { Cause, DateTime, Effect, Exit } from "effect"
import { TestClock } from "effect/testing"
import { createHmac } from "node:crypto"
import { bridgeAdapter } from "../../src/layers/provider/adapters/Bridge.ts"
import { ProviderHttp } from "../../src/layers/provider/ProviderHttp.ts"
import { connected, delivery, expectOutcome, ProviderHttpTest } from "../layers/provider/kit/AdapterTest.ts"
import { exampleServer, installedLanguages, type LanguageName } from "../support/ExampleServer.ts"

const SECRET = `whsec_${Buffer.alloc(32, "good").toString("base64")}`
const WRONG_SECRET = `whsec_${Buffer.alloc(32, "evil").toString("base64")}`

/** Posts a text, signed with the key in this secret. */
const postSigned = Effect.fnUntraced(function* (url: string, secret: string) {
  const timestamp = Math.floor(DateTime.toEpochMillis(yield* TestClock.withLive(DateTime.now)) / 1000)
  const body = '{"id":"a-1","kind":"text","channel":"sms","phone":"+989121234567","text":"hello"}'
  const key = Buffer.from(secret, "base64")
  const signature = createHmac("sha256", key).update(`a-1.${timestamp}.${body}`).digest("base64")
  const headers = {
    "webhook-id": "a-1",
    "webhook-timestamp": String(timestamp),
    "webhook-signature": `v1,${signature}`
  }
  return yield* Effect.promise(() => fetch(url, { method: "POST", headers, body }))
})

const setUp = Effect.fnUntraced(function* (language: LanguageName) {
  // The example's clock is the real one.
  const now = yield* DateTime.now.pipe(TestClock.withLive)
  yield* TestClock.setTime(DateTime.toEpochMillis(now))
  const example = yield* exampleServer("bridge.md", { BRIDGE_SECRET: SECRET }, language)
  const adapter = bridgeAdapter(yield* ProviderHttp)
  return {
    example,
    accountWith: (secret: string) => connected(adapter, { url: `${example.url}/send`, secret })
  }
})

describe.each(installedLanguages)("the gateway of docs/bridge.md in %s", (language) => {
  it.effect("accepts a code and a text", () =>
    Effect.gen(function* () {
      const { example, accountWith } = yield* setUp(language)
      const account = accountWith(SECRET)
      const code = yield* account.sendCode(delivery("bale", { attemptId: "a-1" }))
      const text = yield* account.sendText(delivery("sms", { attemptId: "b-1" }))
      expectOutcome(code, { _tag: "Accepted", messageId: expect.stringMatching(/./) })
      expectOutcome(text, { _tag: "Accepted", messageId: expect.stringMatching(/./) })
      expect(yield* example.stop).toEqual(["delivered a-1 over bale", "delivered b-1 over sms"])
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("delivers once what arrives again, later or at the same time", () =>
    Effect.gen(function* () {
      const { example, accountWith } = yield* setUp(language)
      const send = accountWith(SECRET).sendCode(delivery("bale", { attemptId: "a-1" }))
      const first = yield* send
      const others = yield* Effect.all([send, send, send], { concurrency: "unbounded" })
      expectOutcome(first, { _tag: "Accepted" })
      expect(others).toEqual([first, first, first])
      expect(yield* example.stop).toEqual(["delivered a-1 over bale"])
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect("refuses what was signed with another secret", () =>
    Effect.gen(function* () {
      const { example, accountWith } = yield* setUp(language)
      const outcome = yield* accountWith(WRONG_SECRET).sendCode(delivery("bale"))
      expect(outcome).toEqual({ _tag: "Unknown", providerError: "HTTP 401" })
      expect(yield* example.stop).toEqual([])
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect.each(["-6 minutes", "6 minutes"] as const)("refuses what was signed %s from now", (shift) =>
    Effect.gen(function* () {
      const { example, accountWith } = yield* setUp(language)
      yield* TestClock.adjust(shift)
      const outcome = yield* accountWith(SECRET).sendCode(delivery("bale"))
      expect(outcome).toEqual({ _tag: "Unknown", providerError: "HTTP 401" })
      expect(yield* example.stop).toEqual([])
    }).pipe(Effect.provide(ProviderHttpTest))
  )

  it.effect.each([
    ["no secret", undefined],
    ["an empty secret", ""],
    ["a secret that is no base64", "A"],
    ["a secret of 23 bytes", Buffer.alloc(23, "good").toString("base64")]
  ] as const)("with %s does not start, or responds 500 to everything", ([, secret]) =>
    Effect.gen(function* () {
      const env = secret === undefined ? {} : { BRIDGE_SECRET: secret }
      const started = yield* Effect.exit(exampleServer("bridge.md", env, language))
      if (Exit.isFailure(started)) {
        expect(Cause.pretty(started.cause)).toContain("Set BRIDGE_SECRET to the account's secret")
        return
      }
      const { url, stop } = started.value
      expect((yield* postSigned(url, secret ?? "")).status).toBe(500)
      expect(yield* stop).toEqual([])
    })
  )
})
