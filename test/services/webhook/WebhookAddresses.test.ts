import { assert, layer } from "@effect/vitest"
import { Effect, Exit } from "effect"
import { createServer, type AddressInfo } from "node:net"
import { Webhooks } from "../../../src/services/webhook/Webhooks.ts"
import { fakeDns } from "../../support/FakeDns.ts"
import { scriptProviders } from "../../support/ScriptedProviders.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer, runDue } from "../../support/TestGraph.ts"
import { endpointAt, webhookProcess } from "../../support/WebhookProcess.ts"

const names = fakeDns((hostname) => new Error(`ENOTFOUND ${hostname}`))

/** Counts who connects. */
const socket = Effect.acquireRelease(
  Effect.promise(
    () =>
      new Promise<{ readonly port: number; readonly seen: () => number; readonly close: () => void }>(
        (resolve) => {
          let connections = 0
          const server = createServer((connection) => {
            connections += 1
            connection.destroy()
          })
          server.listen(0, () =>
            resolve({
              port: (server.address() as AddressInfo).port,
              seen: () => connections,
              close: () => server.close()
            })
          )
        }
      )
  ),
  ({ close }) => Effect.sync(close)
)

const PUBLIC = "93.184.215.14"

/** Each stands for this machine, or for a network that is nobody's business. */
const hosts = [
  "127.0.0.1",
  "127.1",
  "2130706433",
  "017700000001",
  "0177.0.0.1",
  "0x7f000001",
  "0x7f.0.0.1",
  "127.0.0.1.",
  "１２７.0.0.1",
  "0.0.0.0",
  "localhost",
  "LOCALHOST.",
  "a.localhost",
  "[::1]",
  "[::]",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "[::127.0.0.1]",
  "[64:ff9b::7f00:1]",
  "[2002:7f00:1::]",
  "[fe80::1]",
  "[fd00::1]",
  "[ff02::1]",
  "10.0.0.1",
  "100.64.0.1",
  "169.254.169.254",
  "172.16.0.1",
  "192.0.2.1",
  "192.168.0.1",
  "198.18.0.1",
  "224.0.0.1",
  "255.255.255.255",
  "printer.local",
  "metadata.google.internal"
]

const refusalOf = Effect.fnUntraced(function* (url: string) {
  const { checkUrl } = yield* Webhooks
  const { details } = yield* Effect.flip(checkUrl(url))
  return details.errors[0]
})

/** The result of a delivery to an endpoint that got around the check of its creation. */
const deliverTo = Effect.fnUntraced(function* (url: string) {
  const { test } = yield* Webhooks
  const customerId = yield* makeCustomer()
  const endpoint = yield* endpointAt(customerId, url)
  yield* test(customerId, endpoint.id)
  yield* runDue
  return (yield* endpoint.delivery).tries[0]?.error ?? "it was answered"
})

const guarded = webhookProcess(scriptProviders(), { allowsPrivate: false })

layer(TestDatabase, { excludeTestServices: true })("a webhook's address", (it) => {
  it.effect.each(hosts)("is refused, and never connected to, at %s", (host) =>
    Effect.gen(function* () {
      const { port, seen } = yield* socket
      const url = `https://${host}:${port}/hook`
      assert.deepStrictEqual(yield* refusalOf(url), {
        path: "body.url",
        message:
          "The address must not lead into a private network, unless PEYK_ALLOW_PRIVATE_ADDRESSES is set"
      })
      assert.strictEqual(
        yield* deliverTo(url),
        "the address must not lead into a private network, unless PEYK_ALLOW_PRIVATE_ADDRESSES is set"
      )
      assert.strictEqual(seen(), 0)
    }).pipe(Effect.provide(guarded))
  )

  it.effect.each([
    "intranet",
    "intranet.",
    "hooks.lan",
    "HOOKS.LAN",
    "hooks.local",
    "hooks.internal",
    "hooks.internal.",
    "hooks.home.arpa",
    "hooks.localdomain",
    "hooks.test",
    "hooks.invalid",
    "hooks.onion"
  ])("is refused by its name, whatever that stands for: %s", (name) =>
    Effect.gen(function* () {
      names.standsFor(name, [PUBLIC])
      const refusal = yield* refusalOf(`https://${name}/hook`)
      assert.strictEqual(
        refusal?.message,
        "The address must not lead into a private network, unless PEYK_ALLOW_PRIVATE_ADDRESSES is set"
      )
    }).pipe(Effect.provide(guarded))
  )

  it.effect("of a local name is taken where private addresses are allowed", () =>
    Effect.gen(function* () {
      const { checkUrl } = yield* Webhooks
      for (const url of ["http://intranet/hook", "http://hooks.lan:8080/hook"]) {
        assert.deepStrictEqual(yield* Effect.exit(checkUrl(url)), Exit.void)
      }
    }).pipe(Effect.provide(webhookProcess(scriptProviders())))
  )

  it.effect("is stored as it was understood, when created and when changed", () =>
    Effect.gen(function* () {
      const webhooks = yield* Webhooks
      const customerId = yield* makeCustomer()
      const { id, record } = yield* endpointAt(customerId, "\thttps://HOOKS.example.com\\a/../hook one\n")
      assert.strictEqual((yield* record).url, "https://hooks.example.com/hook%20one")
      const changed = yield* webhooks.update(customerId, id, { url: "https://Example.com:443" }, null)
      assert.strictEqual(changed.url, "https://example.com/")
    }).pipe(Effect.provide(guarded))
  )

  it.effect.each([
    ["http://example.com/hook", /https/],
    ["ftp://example.com/hook", /http or https/],
    ["https://user:secret@example.com/hook", /without credentials/],
    [`https://example.com/${"x".repeat(2040)}`, /at most 2048/],
    [`https://example.com/${"ی".repeat(400)}`, /at most 2048/],
    ["not an address", /http or https/]
  ] as const)("is refused where it is not plain https: %s", ([url, message]) =>
    Effect.gen(function* () {
      assert.match((yield* refusalOf(url))?.message ?? "", message)
    }).pipe(Effect.provide(guarded))
  )

  it.effect.each([["127.0.0.1"], ["10.1.2.3"], ["::1"], ["::ffff:127.0.0.1"], [PUBLIC, "127.0.0.1"]])(
    "is refused, and never connected to, where its name stands for %s",
    (address, ...others) =>
      Effect.gen(function* () {
        const addresses = [address, ...others.filter((other) => typeof other === "string")].flat()
        names.standsFor("hooks.example.com", addresses)
        const { port, seen } = yield* socket
        const url = `https://hooks.example.com:${port}/hook`
        assert.match((yield* refusalOf(url))?.message ?? "", /private network/)
        assert.strictEqual(yield* deliverTo(url), "hooks.example.com is not a public address")
        assert.strictEqual(seen(), 0)
      }).pipe(Effect.provide(guarded))
  )

  it.effect("is not connected to when its name stands for another one after it was checked", () =>
    Effect.gen(function* () {
      names.standsFor("hooks.example.com", [PUBLIC], ["127.0.0.1"])
      const { port, seen } = yield* socket
      const url = `https://hooks.example.com:${port}/hook`
      yield* (yield* Webhooks).checkUrl(url)
      assert.strictEqual(yield* deliverTo(url), "hooks.example.com is not a public address")
      assert.deepStrictEqual([seen(), names.asked.length], [0, 2])
    }).pipe(Effect.provide(guarded))
  )

  it.effect("is taken where its name stands for a public one, or for nothing yet", () =>
    Effect.gen(function* () {
      const { checkUrl } = yield* Webhooks
      names.standsFor("hooks.example.com", [PUBLIC], new Error("ENOTFOUND"))
      yield* checkUrl("https://hooks.example.com/hook?tenant=7")
      yield* checkUrl("https://hooks.example.com/hook")
      yield* checkUrl("https://[2606:4700::1111]:8443/hook")
      assert.lengthOf(names.asked, 2)
    }).pipe(Effect.provide(guarded))
  )
})
