import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { Peyk, verifyWebhook } from "../../packages/client/src/effect.ts"

const respond =
  (status: number, body: unknown): typeof globalThis.fetch =>
  () =>
    Promise.resolve(new Response(JSON.stringify(body), { status }))

const layer = (status: number, body: unknown) =>
  Peyk.layer({
    baseUrl: "http://peyk.test",
    apiKey: "svc_live_key",
    fetch: respond(status, body),
    retries: 0
  })

/** A far end that never responds. It passes on the signal of the request. */
const hangingLayer = (started: Deferred.Deferred<AbortSignal>) =>
  Peyk.layer({
    baseUrl: "http://peyk.test",
    fetch: (_, init) =>
      new Promise((_resolve, reject) => {
        const signal = init?.signal
        if (!(signal instanceof AbortSignal)) throw new Error("the request has no signal")
        signal.addEventListener("abort", () => reject(signal.reason))
        Deferred.doneUnsafe(started, Effect.succeed(signal))
      })
  })

const verify = Effect.flatMap(Peyk, ({ otp }) => otp.verify({ verification_id: "v", code: "123456" }))

describe("the client for Effect", () => {
  it.effect("succeeds with what the call returns", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* verify, { verified: true, reason: "ok" })
    }).pipe(Effect.provide(layer(200, { verified: true, reason: "ok" })))
  )

  it.effect("fails with an error whose tag is the code", () =>
    Effect.gen(function* () {
      const status = yield* verify.pipe(Effect.catchTag("not_found", (error) => Effect.succeed(error.status)))
      assert.strictEqual(status, 404)
    }).pipe(
      Effect.provide(
        layer(404, { error: { code: "not_found", message: "No.", details: {} }, request_id: "r" })
      )
    )
  )

  it.effect("ends its request when the fiber is interrupted", () =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<AbortSignal>()
      const own = new AbortController()
      const call = yield* Effect.forkChild(
        Effect.flatMap(Peyk, ({ otp }) => otp.next("v", { from_sequence: 1 }, { signal: own.signal })).pipe(
          Effect.provide(hangingLayer(started))
        )
      )
      const signal = yield* Deferred.await(started)
      assert.isFalse(signal.aborted)
      yield* Fiber.interrupt(call)
      assert.isTrue(signal.aborted)
    })
  )

  it.effect("ends its request with the caller's own signal", () =>
    Effect.gen(function* () {
      const started = yield* Deferred.make<AbortSignal>()
      const own = new AbortController()
      const call = yield* Effect.forkChild(
        Effect.flatMap(Peyk, ({ account }) => account({ signal: own.signal })).pipe(
          Effect.provide(hangingLayer(started))
        )
      )
      const signal = yield* Deferred.await(started)
      own.abort(new Error("the user left"))
      assert.isTrue(signal.aborted)
      assert.isTrue(Exit.isFailure(yield* Fiber.await(call)))
    })
  )

  it.effect("reads all pages of a list", () =>
    Effect.gen(function* () {
      const { messages } = yield* Peyk
      const first = yield* Effect.promise(() => messages.list.all().next())
      assert.deepStrictEqual(first.value?.message_id, "1")
    }).pipe(Effect.provide(layer(200, { data: [{ message_id: "1" }], next_cursor: null })))
  )

  it.effect("fails with InvalidWebhook if a request is not Peyk's", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        verifyWebhook({ payload: "{}", headers: {}, secret: "whsec_c2VjcmV0" })
      )
      assert.strictEqual(error._tag, "InvalidWebhook")
    })
  )
})
