import { assert, describe, it } from "@effect/vitest"
import { clientOf, makeServer, received, stop } from "./ServingClients.ts"

const OWN = ["peyk.example.ir", "10.0.0.5"]

interface Asked {
  readonly path?: string
  readonly hosts?: ReadonlyArray<string>
  readonly version?: string
}

/** The status of a request with these Host lines, to a server that serves these names. */
const statusOf = async (
  names: ReadonlyArray<string> | null,
  { path = "/x", hosts = [], version = "1.1" }: Asked
) => {
  const server = makeServer({ hosts: names })
  server.on("request", (_request, response) => response.end("served"))
  const client = await clientOf(server)
  const lines = hosts.map((host) => `Host: ${host}\r\n`).join("")
  client.write(`GET ${path} HTTP/${version}\r\n${lines}Connection: close\r\n\r\n`)
  const answer = await received(client)
  await stop(server)
  return { status: Number(/^HTTP\/1.1 (\d+)/.exec(answer)?.[1]), answer }
}

const ownNames = [
  "localhost",
  "LOCALHOST:8080",
  "localhost.",
  "console.localhost",
  "127.0.0.1:8080",
  "127.8.9.10",
  "[::1]",
  "[::1]:8080"
]
const givenNames = ["peyk.example.ir", "Peyk.Example.IR:443", "peyk.example.ir.", "10.0.0.5:80"]
const otherNames = [
  "rebound.example",
  "rebound.example:8080",
  "127.0.0.1.rebound.example",
  "localhost.rebound.example",
  "notlocalhost",
  "a.peyk.example.ir",
  "128.0.0.1",
  "[::2]",
  "::1",
  "",
  `${"a".repeat(300)}.localhost`
]

describe("the Host of a request", () => {
  it.each([...ownNames, ...givenNames])(
    "is served where it is this machine, or a given name: %s",
    async (host) => {
      const { status } = await statusOf(OWN, { hosts: [host] })
      assert.strictEqual(status, 200)
    }
  )

  it.each(otherNames)("is refused where it is another: %s", async (host) => {
    const { status, answer } = await statusOf(OWN, { hosts: [host] })
    assert.strictEqual(status, 421)
    assert.include(answer, '"misdirected_request"')
    for (const setting of ["PEYK_PUBLIC_URL", "PEYK_ALLOWED_HOSTS"]) assert.include(answer, setting)
  })

  it.each(otherNames)("is any name where every name is served: %s", async (host) => {
    assert.strictEqual((await statusOf(null, { hosts: [host] })).status, 200)
  })

  it.each(["/healthz", "/readyz", "/metrics", "/healthz?from=probe"])(
    "is any, or none, for %s, because probes send the address of a pod",
    async (path) => {
      assert.strictEqual((await statusOf(OWN, { path, hosts: ["10.1.2.3:8080"] })).status, 200)
      assert.strictEqual((await statusOf(OWN, { path })).status, 200)
    }
  )

  it("is there once in HTTP/1.1", async () => {
    for (const names of [OWN, null]) {
      for (const hosts of [[], ["localhost", "localhost"], ["localhost", "rebound.example"]]) {
        const { status, answer } = await statusOf(names, { hosts })
        assert.strictEqual(status, 400)
        assert.include(answer, '"bad_request"')
      }
    }
  })

  it("can be missing in HTTP/1.0, as in the health checks of HAProxy", async () => {
    assert.strictEqual((await statusOf(OWN, { version: "1.0" })).status, 200)
    assert.strictEqual((await statusOf(OWN, { version: "1.0", hosts: ["rebound.example"] })).status, 421)
    assert.strictEqual(
      (await statusOf(OWN, { version: "1.0", hosts: ["localhost", "localhost"] })).status,
      400
    )
  })

  it("is looked at for every request of a connection, and a refused one does not close it", async () => {
    const server = makeServer({ hosts: OWN })
    server.on("request", (request, response) => response.end(`served ${request.url}`))
    const client = await clientOf(server)
    const hosts = [
      "localhost",
      "rebound.example",
      ...Array.from({ length: 300 }, (_, n) => `a${n}.example`),
      "10.0.0.5"
    ]
    for (const host of hosts) client.write(`GET /x HTTP/1.1\r\nHost: ${host}\r\n\r\n`)
    client.write("GET /last HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
    const statuses = (await received(client)).match(/HTTP\/1\.1 \d+/g)?.map((line) => Number(line.slice(-3)))
    assert.deepStrictEqual(statuses, [200, ...hosts.slice(1, -1).map(() => 421), 200, 200])
    await stop(server)
  })
})
