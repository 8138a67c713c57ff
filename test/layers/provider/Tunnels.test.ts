import { assert, it } from "@effect/vitest"
import { Effect } from "effect"
import { exchange } from "../../../src/layers/network/HttpExchange.ts"
import { OriginConnections } from "../../../src/layers/network/OriginConnections.ts"
import { fakeProxy } from "../../support/FakeProxy.ts"
import { fakeFarEnd } from "../../support/fakes/FakeFarEnd.ts"

const TUNNEL_MILLIS = 100

it.effect("a proxy that does not answer holds a connection only as long as a tunnel may take", () =>
  Effect.gen(function* () {
    const fake = yield* fakeFarEnd(() => ({ text: "fine" }))
    const proxy = yield* fakeProxy(fake.url)
    const connections = yield* Effect.acquireRelease(
      Effect.sync(() =>
        OriginConnections.throughProxy(
          proxy.url,
          { connections: 1, maxResponseSize: 1000, allowH2: false, proxyTunnel: true },
          TUNNEL_MILLIS
        )
      ),
      ({ dispatcher }) => Effect.promise(() => dispatcher.destroy())
    )
    const call = exchange(connections, {
      method: "POST",
      url: new URL(fake.url),
      headers: {},
      body: "{}",
      timeoutMillis: 3_600_000,
      ignoresBody: false
    })
    proxy.ignoreNext()
    assert.isFalse((yield* Effect.flip(call)).hasStarted)
    assert.strictEqual((yield* call).text, "fine")
  })
)
