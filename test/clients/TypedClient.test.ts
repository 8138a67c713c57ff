import { assert, it } from "@effect/vitest"
import { Effect, Redacted } from "effect"
import { FetchHttpClient } from "effect/http"
import { makeClient } from "../../src/client.ts"

it.effect("the typed client follows no redirect, which would take its key elsewhere", () =>
  Effect.gen(function* () {
    const redirects: Array<string | undefined> = []
    const fetch: typeof globalThis.fetch = (_, init) => {
      redirects.push(init?.redirect)
      return Promise.resolve(new Response(null, { status: 307, headers: { location: "https://b.test" } }))
    }
    const { account } = yield* makeClient({
      baseUrl: "https://peyk.test",
      serviceKey: Redacted.make("svc_live_key")
    })
    yield* Effect.flip(account.read().pipe(Effect.provideService(FetchHttpClient.Fetch, fetch)))
    assert.deepStrictEqual(redirects, ["manual"])
  }).pipe(Effect.provide(FetchHttpClient.layer))
)

it.each(["serviceKey", "personalToken", "accessToken"])(
  "the typed client shows no %s that cannot be sent",
  (name) => {
    for (const secret of ["svc_SECRET\nREST", ""]) {
      const make = () => makeClient({ baseUrl: "https://peyk.test", [name]: Redacted.make(secret) })
      assert.throws(make, new RegExp(`^${name} is empty, or has characters that no header can carry\\.$`))
    }
  }
)

it.each([
  "",
  "peyk.test",
  "https://peyk.test?a=b",
  "https://peyk.test#a",
  "https://user:SECRET@peyk.test",
  "https:\\\\user:SECRET@peyk.test"
])("the typed client takes no base URL such as %s", (baseUrl) => {
  assert.throws(
    () => makeClient({ baseUrl }),
    /^baseUrl must be http:\/\/ or https:\/\/, a host and at most a path\.$/
  )
})
