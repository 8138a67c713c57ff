import { assert, describe, it } from "@effect/vitest"
import { once } from "node:events"
import type { Socket } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import type { ServingServer } from "../../../src/http/server/ServingServer.ts"
import { clientOf, makeServer, received, stop, turns, until } from "./ServingClients.ts"

const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
const LAST = "GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

const answering = (server: ServingServer) =>
  server.on("request", (request, response) => void response.end(`answer to ${request.url}`))

const answerOn = async (client: Socket, path: string) => {
  client.write(get(path))
  const [chunk] = await once(client, "data")
  assert.include(String(chunk), `answer to ${path}`)
}

const sweepUntil = (server: ServingServer, isSo: () => boolean) =>
  until(() => {
    server.endOverdue()
    return isSo()
  })

describe("a connection between two requests", () => {
  const HEAD_MILLIS = 800
  const IDLE_MILLIS = 1300

  /** Its time for a head is short, and it looks often. */
  const impatient = () => {
    const server = makeServer()
    server.headersTimeout = HEAD_MILLIS
    Object.assign(server, { connectionsCheckingInterval: 20 })
    return answering(server)
  }

  const inTwoPieces = async (client: Socket) => {
    const text = received(client)
    client.write(LAST.slice(0, 12))
    await turns(10)
    client.write(LAST.slice(12))
    assert.include(await text, "answer to /last")
  }

  it("may be idle for longer than a head may take, and then send one in two pieces", async () => {
    const server = impatient()
    const client = await clientOf(server)
    await answerOn(client, "/first")
    await pause(IDLE_MILLIS)
    await inTwoPieces(client)
    await stop(server)
  })

  it("may be idle before its first request, too", async () => {
    const server = impatient()
    const client = await clientOf(server)
    await pause(IDLE_MILLIS)
    await inTwoPieces(client)
    await stop(server)
  })

  it.each(["", get("/first")])("has no longer for a head that it has begun: after %j", async (before) => {
    const server = impatient()
    const client = await clientOf(server)
    const text = received(client)
    client.write(`${before}GET /last HTT`)
    await sweepUntil(server, () => client.readableEnded)
    assert.match(await text, /HTTP\/1.1 408 [^]*"request_timeout"/)
    await stop(server)
  })

  it("says how long it may be idle, and is closed later than that", async () => {
    const server = answering(makeServer({ keepAliveMillis: 1000 }))
    const client = await clientOf(server)
    const begun = performance.now()
    client.write(get("/first"))
    assert.match(await received(client), /keep-alive: timeout=1\r\n/i)
    assert.isAbove(performance.now() - begun, 1000)
    await stop(server)
  })

  it("is closed after the time for a head more, if its client sends only empty lines", async () => {
    const server = makeServer({ keepAliveMillis: 800 })
    server.headersTimeout = 200
    Object.assign(server, { connectionsCheckingInterval: 20 })
    const client = await clientOf(server)
    const begun = performance.now()
    const text = received(client)
    // Node no longer looks at it.
    await pause(400)
    client.write("\r\n")
    await sweepUntil(server, () => server.isIdle)
    assert.isAbove(performance.now() - begun, 990)
    assert.strictEqual(await text, "")
    await stop(server)
  })

  it("is closed at once by a stop, if its client has sent only empty lines after a while", async () => {
    const server = impatient()
    const client = await clientOf(server)
    const text = received(client)
    // Node gives up looking at it.
    await pause(IDLE_MILLIS)
    client.write("\r\n")
    await turns(20)
    server.stopAccepting()
    server.endIdle()
    await turns(20)
    assert.isTrue(server.isIdle)
    assert.strictEqual(await text, "")
  })

  it("is closed after the same time, if its client never sends a request", async () => {
    const server = answering(makeServer({ keepAliveMillis: 100 }))
    const client = await clientOf(server)
    const text = received(client)
    await sweepUntil(server, () => server.isIdle)
    assert.strictEqual(await text, "")
    await stop(server)
  })
})

describe("when nine tenths of the connections are open", () => {
  it("those without a complete request are closed first, and then those idle for longest", async () => {
    const server = makeServer({ maxConnections: 20 })
    const held: Array<() => void> = []
    server.on("request", (request, response) => {
      if (request.url === "/held") held.push(() => response.end("at last"))
      else response.end(`answer to ${request.url}`)
    })
    const open: Array<Socket> = []
    const closed: Array<number> = []
    const openOne = async () => {
      const client = await clientOf(server)
      const number = open.push(client) - 1
      client.on("error", () => {})
      client.once("close", () => void closed.push(number))
      return client
    }
    // 0 waits for its answer, 1 sends half a request, 2 to 17 are idle, and 2 not for longest.
    ;(await openOne()).write(get("/held"))
    ;(await openOne()).write("GET / HTTP")
    while (open.length < 18) await answerOn(await openOne(), "/idle")
    for (const client of open.slice(2, 3)) await answerOn(client, "/again")
    const expected: Array<number> = []
    for (const evicted of [1, 3, 4]) {
      expected.push(evicted)
      await answerOn(await openOne(), "/new")
      await until(() => closed.length === expected.length)
      assert.deepStrictEqual(closed, expected)
    }
    const text = once(open[0] ?? (await openOne()), "data")
    held[0]?.()
    assert.include(String(await text), "at last")
    assert.strictEqual(server.snapshot().evicted, 3)
    for (const client of open) client.destroy()
    await until(() => server.isIdle)
    await stop(server)
  })
})

describe("the connections of one address", () => {
  it("are limited, and there is room again once one of them has closed", async () => {
    const server = answering(makeServer({ maxConnectionsPerAddress: 3 }))
    const clients: Array<Socket> = []
    for (let n = 0; n < 3; n += 1) clients.push(await clientOf(server))
    for (const client of clients) await answerOn(client, "/one")
    const excess = await clientOf(server)
    assert.strictEqual(await received(excess), "")
    assert.strictEqual(server.snapshot().dropped, 1)
    for (const client of clients) await answerOn(client, "/two")
    clients[0]?.destroy()
    await until(() => server.snapshot().connections === 2)
    const next = await clientOf(server)
    await answerOn(next, "/three")
    for (const client of [...clients, next]) client.destroy()
    await until(() => server.isIdle)
    await stop(server)
  })

  it("are not limited with 0", async () => {
    const server = answering(makeServer({ maxConnectionsPerAddress: 0 }))
    const clients: Array<Socket> = []
    for (let n = 0; n < 30; n += 1) clients.push(await clientOf(server))
    for (const client of clients) await answerOn(client, "/one")
    assert.strictEqual(server.snapshot().dropped, 0)
    for (const client of clients) client.destroy()
    await until(() => server.isIdle)
    await stop(server)
  })
})
