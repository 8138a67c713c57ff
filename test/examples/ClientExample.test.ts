import { assert, it } from "@effect/vitest"
import { beforeAll, describe } from "vitest"
import { newPhone } from "../contract/Client.ts"
import { newManager } from "../contract/ManagedSetUp.ts"
import { codeOf } from "../contract/Operator.ts"
import { type SharedServer, sharedServer } from "../contract/SharedServer.ts"

// docs:begin
import { randomUUID } from "node:crypto"
import { Effect, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import { makeClient } from "peyk/client"

/** Creates a service key unless one with this name exists. */
const findOrCreateKey = Effect.fnUntraced(function* (baseUrl: string, token: string, name: string) {
  const { "api-keys": keys } = yield* makeClient({ baseUrl, personalToken: Redacted.make(token) })
  const { data } = yield* keys.list({ query: { status: "active", limit: 100 } })
  if (data.some((key) => key.name === name)) return null
  const { secret } = yield* keys.create({ payload: { name, mode: "live" } })
  return Redacted.make(secret)
})

/** Sends a code. The error's code distinguishes an invalid phone from every other failure. */
const sendCode = Effect.fnUntraced(
  function* (baseUrl: string, serviceKey: Redacted.Redacted, phone: string) {
    const { otp } = yield* makeClient({ baseUrl, serviceKey })
    const { body } = yield* otp.send({
      headers: { "idempotency-key": randomUUID() },
      payload: { phone, channels: ["bale", "sms"] }
    })
    return body.verification_id
  },
  Effect.catchIf(
    (failure) => "error" in failure && failure.error.code === "invalid_phone",
    () => Effect.succeed("not a phone")
  )
)

const verifyCode = Effect.fnUntraced(function* (
  baseUrl: string,
  serviceKey: Redacted.Redacted,
  verification_id: string,
  code: string
) {
  const { otp } = yield* makeClient({ baseUrl, serviceKey })
  const { verified } = yield* otp.verify({ payload: { verification_id, code } })
  return verified
})

/** Any `HttpClient` works; this one is `fetch`. */
const overFetch = Effect.provide(FetchHttpClient.layer)
// docs:end

let server: SharedServer
let owner: Awaited<ReturnType<typeof newManager>>
beforeAll(async () => {
  server = sharedServer()
  owner = await newManager(server)
  await Promise.all([owner.newAccount("bale"), owner.newAccount("sms")])
})

/** The envelope's code; the name of what else it is, where it is no envelope. */
const codeOfError = (
  failure: { readonly error: { readonly code: string } } | { readonly _tag: string }
): string => ("error" in failure ? failure.error.code : failure._tag)

describe("the typed client", () => {
  it.effect("lists keys, makes one, sends a code with it and verifies it", () =>
    Effect.gen(function* () {
      const key = yield* findOrCreateKey(server.url, owner.token, "backend")
      assert.isNotNull(key)
      assert.isNull(yield* findOrCreateKey(server.url, owner.token, "backend"))
      const phone = newPhone()
      const id = yield* sendCode(server.url, key, phone)
      const code = yield* Effect.promise(() => codeOf(server, phone))
      assert.isTrue(yield* verifyCode(server.url, key, id, code))
    }).pipe(overFetch)
  )

  it.effect("distinguishes errors by the code of the envelope", () =>
    Effect.gen(function* () {
      const key = yield* findOrCreateKey(server.url, owner.token, "another")
      assert.isNotNull(key)
      assert.strictEqual(yield* sendCode(server.url, key, "12"), "not a phone")

      const manage = yield* makeClient({ baseUrl: server.url, personalToken: Redacted.make(owner.token) })
      const failure = yield* Effect.flip(manage["api-keys"].read({ params: { id: 2_147_483_647 } }))
      assert.strictEqual(codeOfError(failure), "not_found")
    }).pipe(overFetch)
  )

  it.effect(
    "shows a personal token where one manages, a service key elsewhere, and nothing without either",
    () =>
      Effect.gen(function* () {
        const nobody = yield* makeClient({ baseUrl: server.url })
        const unmanaged = yield* Effect.flip(nobody["api-keys"].list({ query: {} }))
        assert.strictEqual(codeOfError(unmanaged), "unauthenticated")
        const unsent = yield* Effect.flip(nobody.otp.status({ params: { verification_id: randomUUID() } }))
        assert.strictEqual(codeOfError(unsent), "unauthenticated")
        const key = Redacted.make((yield* Effect.promise(() => owner.newKey())).secret)
        const { otp, me } = yield* makeClient({
          baseUrl: server.url,
          personalToken: Redacted.make(owner.token),
          serviceKey: key
        })
        const { customer_id } = yield* me.read()
        assert.strictEqual(String(customer_id), owner.customerId)
        const failure = yield* Effect.flip(otp.status({ params: { verification_id: randomUUID() } }))
        assert.strictEqual(codeOfError(failure), "not_found")
      }).pipe(overFetch)
  )

  it.effect("reads an error that nothing but the management API has", () =>
    Effect.gen(function* () {
      const { routing } = yield* makeClient({
        baseUrl: server.url,
        personalToken: Redacted.make(owner.token)
      })
      const saved = yield* routing.save({
        payload: { steps: [{ channel: "bale" }, { channel: "sms", wait: 45 }] }
      })
      assert.deepStrictEqual(yield* routing.read(), saved)
      const twice = { steps: [{ channel: "sms" as const }, { channel: "sms" as const }] }
      const failure = yield* Effect.flip(routing.save({ payload: twice }))
      assert.strictEqual(codeOfError(failure), "duplicate_channel")
    }).pipe(overFetch)
  )
})
