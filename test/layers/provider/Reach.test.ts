import { expect, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import { type AddressInfo, createServer } from "node:net"
import { defaultEndpoints, ProviderEndpoints } from "../../../src/layers/provider/ProviderEndpoints.ts"
import { ProviderHttp } from "../../../src/layers/provider/ProviderHttp.ts"
import { ProviderHttpTest } from "./kit/AdapterTest.ts"
import { fakeFarEnd } from "../../support/fakes/FakeFarEnd.ts"

/** A proxy that hangs up on everybody, and counts them. */
const proxy = Effect.acquireRelease(
  Effect.promise(
    () =>
      new Promise<{ readonly url: string; readonly seen: () => number; readonly close: () => void }>(
        (resolve) => {
          let connections = 0
          const server = createServer((socket) => {
            connections += 1
            socket.destroy()
          })
          server.listen(0, "127.0.0.1", () =>
            resolve({
              url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
              seen: () => connections,
              close: () => server.close()
            })
          )
        }
      )
  ),
  ({ close }) => Effect.sync(close)
)

/** The result of a request with this reach: who saw it. */
const seenBy = Effect.fnUntraced(function* (reach: "provider" | "public" | "any" | undefined) {
  const fake = yield* fakeFarEnd(() => ({ json: {} }))
  const { url, seen } = yield* proxy
  const endpoints = Layer.succeed(ProviderEndpoints, {
    ...defaultEndpoints,
    providerProxy: Redacted.make(url)
  })
  yield* Effect.gen(function* () {
    const { call } = yield* ProviderHttp
    yield* Effect.ignore(call({ method: "GET", url: fake.url, ...(reach === undefined ? {} : { reach }) }))
  }).pipe(Effect.provide(Layer.provide(ProviderHttpTest, endpoints)))
  return { far: fake.received.length, proxy: seen() > 0 }
})

it.effect.each([undefined, "provider"] as const)("a request to a provider takes the proxy: %s", (reach) =>
  Effect.gen(function* () {
    expect(yield* seenBy(reach)).toEqual({ far: 0, proxy: true })
  })
)

it.effect("a request to any address goes there directly, private or not", () =>
  Effect.gen(function* () {
    expect(yield* seenBy("any")).toEqual({ far: 1, proxy: false })
  })
)

it.effect("a request to the public goes to no private address, and to no proxy", () =>
  Effect.gen(function* () {
    expect(yield* seenBy("public")).toEqual({ far: 0, proxy: false })
  })
)
