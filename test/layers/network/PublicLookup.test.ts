import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Redacted } from "effect"
import type * as dns from "node:dns"
import * as net from "node:net"
import { PrivateAddressRefused, publicLookup } from "../../../src/layers/network/PrivateAddresses.ts"
import {
  defaultEndpoints,
  ProviderEndpoints,
  type ProviderEndpointsShape
} from "../../../src/layers/provider/ProviderEndpoints.ts"
import { ProviderConnections, ProviderHttp } from "../../../src/layers/provider/ProviderHttp.ts"
import { fakeFarEnd } from "../../support/fakes/FakeFarEnd.ts"
import { fakeDns } from "../../support/FakeDns.ts"
import { fakeProxy } from "../../support/FakeProxy.ts"
import { PUBLIC, PUBLIC_V6 } from "./PublicAddresses.ts"

const names = fakeDns((hostname) => new Error(`ENOTFOUND ${hostname}`))
const { standsFor } = names

const lookUp = (hostname: string, options: dns.LookupOptions) =>
  new Promise<readonly [unknown, unknown, number | undefined]>((resolve) => {
    publicLookup(hostname, options, (error, address, family) => resolve([error, address, family]))
  })

const isRefusal = (error: unknown, hostname: string) => {
  assert.instanceOf(error, PrivateAddressRefused)
  assert.strictEqual((error as Error).message, `${hostname} is not a public address`)
}

describe("looking up a name", () => {
  it("gives its public addresses, all of them or the first, as is asked for", async () => {
    standsFor("far.example", [PUBLIC, PUBLIC_V6])
    const all = [
      { address: PUBLIC, family: 4 },
      { address: PUBLIC_V6, family: 6 }
    ]
    assert.deepStrictEqual(await lookUp("far.example", { all: true }), [null, all, undefined])
    assert.deepStrictEqual(await lookUp("far.example", {}), [null, PUBLIC, 4])
    assert.deepStrictEqual(await lookUp("far.example", { all: false }), [null, PUBLIC, 4])
  })

  it.each([
    [{ family: 4 }, [4] as const],
    [{ family: "IPv6" as const }, [6] as const],
    [{ family: 0, all: false }, [4, 6] as const],
    [{}, [4, 6] as const]
  ])("asks as it was asked to: %j", async (options, families) => {
    standsFor("far.example", [PUBLIC])
    await lookUp("far.example", options)
    assert.deepStrictEqual(names.asked, [{ hostname: "far.example", families }])
  })

  it.each([
    ["127.0.0.1"],
    ["::1"],
    ["10.1.2.3"],
    ["169.254.169.254"],
    ["::ffff:127.0.0.1"],
    ["64:ff9b::7f00:1"],
    ["fd00::1"]
  ])("refuses one that stands for %s", async (address) => {
    standsFor("near.example", [address])
    for (const options of [{}, { all: true }]) {
      const [error, found] = await lookUp("near.example", options)
      isRefusal(error, "near.example")
      assert.strictEqual(found, "")
    }
  })

  it("refuses one that stands for a private address next to public ones, in any place", async () => {
    standsFor("first.example", ["127.0.0.1", PUBLIC])
    standsFor("last.example", [PUBLIC, PUBLIC_V6, "127.0.0.1"])
    for (const name of ["first.example", "last.example"]) {
      for (const options of [{}, { all: true }]) isRefusal((await lookUp(name, options))[0], name)
    }
  })

  it("refuses one that stands for nothing, and says why another could not be looked up", async () => {
    standsFor("nothing.example", [])
    const [refused] = await lookUp("nothing.example", {})
    assert.strictEqual((refused as Error).message, "nothing.example stands for no address")
    const failure = new Error("ETIMEOUT")
    standsFor("slow.example", failure)
    assert.strictEqual((await lookUp("slow.example", { all: true }))[0], failure)
  })

  it("is what a connection is made to: nobody looks again, when the name may stand for something else", async () => {
    standsFor("rebound.example", [PUBLIC], ["127.0.0.1"])
    const socket = net.connect({
      host: "rebound.example",
      port: 9,
      lookup: publicLookup,
      autoSelectFamily: false
    })
    const address = await new Promise((resolve) =>
      socket.once("lookup", (_, found) => {
        socket.destroy()
        resolve(found)
      })
    )
    assert.strictEqual(address, PUBLIC)
    assert.lengthOf(names.asked, 1)
  })
})

const httpWith = (endpoints: Partial<ProviderEndpointsShape> = {}) =>
  ProviderHttp.layer.pipe(
    Layer.provide(ProviderConnections.layer),
    Layer.provide(Layer.succeed(ProviderEndpoints, { ...defaultEndpoints, ...endpoints }))
  )

const farEnd = fakeFarEnd(() => ({ json: { ok: true } }))

const callTo = (url: string, isGuarded = false) =>
  Effect.flatMap(ProviderHttp, (http) =>
    http.call({ method: "GET", url, reach: isGuarded ? "public" : "provider" })
  )

const refusalOf = (url: string) => Effect.flip(callTo(url, true))

const portOf = (url: string) => new URL(url).port

describe("a guarded call", () => {
  const literals = ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "2130706433", "0x7f.1", "127.1", "0.0.0.0"]
  it.effect.each(literals)("to %s is not sent, and not even connected", (host) =>
    Effect.gen(function* () {
      const fake = yield* farEnd
      const failure = yield* refusalOf(`http://${host}:${portOf(fake.url)}/x`)
      assert.strictEqual(failure._tag, "NotSent")
      assert.include(failure.reason, "is not a public address")
      assert.deepStrictEqual([fake.received, names.asked], [[], []])
    }).pipe(Effect.provide(httpWith()))
  )

  it.effect.each([
    ["loopback", ["127.0.0.1"]],
    ["loopback of IPv6", ["::1"]],
    ["a public address and loopback", [PUBLIC, "127.0.0.1"]]
  ] as const)("to a name that stands for %s is not sent", ([, addresses]) =>
    Effect.gen(function* () {
      const fake = yield* farEnd
      standsFor("near.example", addresses)
      const failure = yield* refusalOf(`http://near.example:${portOf(fake.url)}/x`)
      assert.deepStrictEqual(
        { ...failure },
        { _tag: "NotSent", reason: "near.example is not a public address" }
      )
      assert.deepStrictEqual(fake.received, [])
      assert.lengthOf(names.asked, 1)
    }).pipe(Effect.provide(httpWith()))
  )

  it.effect("over TLS to a private address or name is not sent either", () =>
    Effect.gen(function* () {
      const fake = yield* farEnd
      standsFor("near.example", ["127.0.0.1"])
      for (const host of ["127.0.0.1", "near.example"]) {
        const failure = yield* refusalOf(`https://${host}:${portOf(fake.url)}/x`)
        assert.strictEqual(failure._tag, "NotSent")
        assert.include(failure.reason, "is not a public address")
      }
    }).pipe(Effect.provide(httpWith()))
  )

  it.effect("is refused again each time, also when the address was reached by an unguarded call", () =>
    Effect.gen(function* () {
      const fake = yield* farEnd
      assert.strictEqual((yield* callTo(`${fake.url}/open`)).status, 200)
      assert.strictEqual((yield* refusalOf(`${fake.url}/guarded`))._tag, "NotSent")
      assert.strictEqual((yield* refusalOf(`${fake.url}/guarded`))._tag, "NotSent")
      assert.deepStrictEqual(
        fake.received.map(({ path }) => path),
        ["/open"]
      )
    }).pipe(Effect.provide(httpWith()))
  )

  it.effect("goes through no proxy, which could be led into our own network", () =>
    Effect.gen(function* () {
      const fake = yield* farEnd
      const proxy = yield* fakeProxy(fake.url)
      standsFor("near.example", ["127.0.0.1"])
      const through = Redacted.make(proxy.url)
      const endpoints = {
        providerProxy: through,
        telegramProxy: through,
        telegramUrl: "http://telegram.example"
      }
      const calls = Effect.forEach(
        ["http://near.example/x", `${fake.url}/x`, "http://telegram.example/x"],
        refusalOf
      )
      const failures = yield* Effect.provide(calls, httpWith(endpoints))
      assert.deepStrictEqual(
        failures.map(({ _tag }) => _tag),
        ["NotSent", "NotSent", "NotSent"]
      )
      assert.deepStrictEqual([proxy.targets, fake.received], [[], []])
    })
  )
})

describe("a call to a provider", () => {
  it.effect("goes through the proxy that is set, which looks the name up", () =>
    Effect.gen(function* () {
      const fake = yield* farEnd
      const proxy = yield* fakeProxy(fake.url)
      const call = callTo("http://sms.example/v1/send?a=b")
      const answer = yield* Effect.provide(call, httpWith({ providerProxy: Redacted.make(proxy.url) }))
      assert.deepStrictEqual(answer.json, { ok: true })
      assert.deepStrictEqual(proxy.targets, ["sms.example:80"])
      assert.deepStrictEqual(
        fake.received.map(({ path, query, headers }) => [path, query.get("a"), headers["host"]]),
        [["/v1/send", "b", "sms.example"]]
      )
      assert.deepStrictEqual(names.asked, [])
    })
  )

  it.effect("goes straight there where no proxy is set", () =>
    Effect.gen(function* () {
      const fake = yield* farEnd
      assert.strictEqual((yield* callTo(`${fake.url}/x`)).status, 200)
      assert.lengthOf(fake.received, 1)
      assert.strictEqual(fake.received[0]?.headers["proxy-authorization"], undefined)
    }).pipe(Effect.provide(httpWith()))
  )

  it.effect("shows the proxy the password that is set for it", () =>
    Effect.gen(function* () {
      const fake = yield* farEnd
      const proxy = yield* fakeProxy(fake.url)
      const uri = proxy.url.replace("http://", "http://peyk:s3cret@")
      const calls = callTo("http://sms.example/x")
      yield* Effect.provide(calls, httpWith({ providerProxy: Redacted.make(uri) }))
      assert.deepStrictEqual(proxy.credentials, [`Basic ${Buffer.from("peyk:s3cret").toString("base64")}`])
      assert.lengthOf(fake.received, 1)
    })
  )

  it.effect("over TLS that the proxy refuses was not sent, and the reason does not name its password", () =>
    Effect.gen(function* () {
      const fake = yield* farEnd
      const proxy = yield* fakeProxy(fake.url)
      proxy.refuse()
      const uri = proxy.url.replace("http://", "http://peyk:s3cret@")
      const call = Effect.flip(callTo("https://sms.example/x"))
      const failure = yield* Effect.provide(call, httpWith({ providerProxy: Redacted.make(uri) }))
      assert.strictEqual(failure._tag, "NotSent")
      assert.notInclude(failure.reason, "s3cret")
      assert.deepStrictEqual([proxy.targets, fake.received], [["sms.example:443"], []])
    })
  )

  it.effect("goes through the proxy of Telegram for Telegram only", () =>
    Effect.gen(function* () {
      const fake = yield* farEnd
      const common = yield* fakeProxy(fake.url)
      const telegram = yield* fakeProxy(fake.url)
      const calls = Effect.forEach(
        ["http://sms.example/x", "http://telegram.example/bot1/getMe", "http://bale.example/x"],
        (url) => callTo(url)
      )
      const endpoints = {
        providerProxy: Redacted.make(common.url),
        telegramProxy: Redacted.make(telegram.url),
        telegramUrl: "http://telegram.example"
      }
      yield* Effect.provide(calls, httpWith(endpoints))
      assert.deepStrictEqual(telegram.targets, ["telegram.example:80"])
      assert.deepStrictEqual(common.targets, ["sms.example:80", "bale.example:80"])
    })
  )

  it.effect("to Telegram goes through the common proxy where it has none of its own", () =>
    Effect.gen(function* () {
      const fake = yield* farEnd
      const common = yield* fakeProxy(fake.url)
      const call = callTo("http://telegram.example/bot1/getMe")
      const endpoints = { providerProxy: Redacted.make(common.url), telegramUrl: "http://telegram.example" }
      yield* Effect.provide(call, httpWith(endpoints))
      assert.deepStrictEqual(common.targets, ["telegram.example:80"])
    })
  )

  it.effect("goes straight there where only Telegram has a proxy", () =>
    Effect.gen(function* () {
      const fake = yield* farEnd
      const telegram = yield* fakeProxy(fake.url)
      const endpoints = {
        telegramProxy: Redacted.make(telegram.url),
        telegramUrl: "http://telegram.example"
      }
      yield* Effect.provide(callTo(`${fake.url}/x`), httpWith(endpoints))
      assert.deepStrictEqual(telegram.targets, [])
      assert.lengthOf(fake.received, 1)
    })
  )
})
