import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
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

  it.effect("fails with InvalidWebhook if a request is not Peyk's", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(
        verifyWebhook({ payload: "{}", headers: {}, secret: "whsec_c2VjcmV0" })
      )
      assert.strictEqual(error._tag, "InvalidWebhook")
    })
  )
})
