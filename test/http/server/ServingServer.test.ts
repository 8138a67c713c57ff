import { assert, describe, it } from "@effect/vitest"
import { once } from "node:events"
import type { ServerResponse } from "node:http"
import type { Socket } from "node:net"
import type { IncomingRequest } from "../../../src/http/server/IncomingRequest.ts"
import { clientOf, closedGate, makeServer, received, stop, turns, until } from "./ServingClients.ts"

describe("a server that listens already", () => {
  it("answers what came before anybody was there to answer it, once somebody is", async () => {
    const server = makeServer()
    const client = await clientOf(server)
    client.write("GET /readyz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    while (server.snapshot().inFlight.vital === 0) await turns(1)
    server.on("request", (_request, response) => response.end("ready"))
    const answer = await received(client)
    assert.match(answer, /^HTTP\/1.1 200 OK\r\n/)
    assert.match(answer, /ready/)
    await stop(server)
  })
})

describe("a request that is overdue", () => {
  it("is answered once, and its client has time to read that", async () => {
    const server = makeServer({ requestTimeoutMillis: 0 })
    const sockets: Array<Socket> = []
    server.on("request", ({ socket }) => void sockets.push(socket))
    const client = await clientOf(server)
    client.write("GET /readyz HTTP/1.1\r\nHost: x\r\n\r\n")
    while (sockets.length === 0) await turns(1)
    for (let sweep = 0; sweep < 3; sweep += 1) {
      server.endOverdue()
      await turns(10)
    }
    assert.isFalse(sockets[0]?.destroyed)
    assert.match(await received(client), /^HTTP\/1.1 503 [^]*"service_unavailable"/)
    await stop(server)
  })
})

describe("a request while the store is silent", () => {
  const silent = { requestTimeoutMillis: 60_000, silentStoreMillis: 0, isStoreSilent: () => true }

  /** Its response, if the application ends it right after overdue ones were looked for. */
  const responseOf = async (
    options: Parameters<typeof makeServer>[0],
    before: (request: IncomingRequest) => void
  ) => {
    const server = makeServer(options)
    server.on("request", (request: IncomingRequest, response: ServerResponse) => {
      before(request)
      server.endOverdue()
      response.end("well")
    })
    const client = await clientOf(server)
    client.write("GET /readyz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    const text = await received(client)
    await stop(server)
    return text
  }

  it("is answered after its shorter time, once", async () => {
    const response = await responseOf(silent, () => {})
    assert.match(response, /^HTTP\/1.1 503 [^]*"service_unavailable"/)
    assert.notInclude(response, "well")
  })

  it("keeps its usual time if the store is not silent", async () => {
    assert.match(await responseOf({ ...silent, isStoreSilent: () => false }, () => {}), /^HTTP\/1.1 200 /)
  })

  it("is given no time less for waits for others", async () => {
    const spend = (millis: number) => {
      const from = performance.now()
      while (performance.now() - from < millis);
    }
    const waits = (request: IncomingRequest) => {
      request.time?.stop()
      spend(50)
      request.time?.goOn()
    }
    assert.match(await responseOf({ ...silent, silentStoreMillis: 40 }, waits), /^HTTP\/1.1 200 /)
    assert.match(await responseOf({ ...silent, silentStoreMillis: 40 }, () => spend(50)), /^HTTP\/1.1 503 /)
  })
})

describe("requests with bodies that nobody reads", () => {
  const READ = "GET /v1/otp/x HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx"

  it("count as load once their bodies are there, and are refused when there is no room", async () => {
    const server = makeServer({ maxConnections: 1000 })
    const open: Array<ServerResponse> = []
    server.on("request", (_request, response) => void open.push(response))
    const clients: Array<Socket> = []
    for (let n = 0; n < 150; n += 1) {
      const client = await clientOf(server)
      clients.push(client)
      client.write(READ)
    }
    await until(() => open.length === 100 && server.snapshot().shed.check === 50)
    const { inFlight, waitingForBody } = server.snapshot()
    assert.strictEqual(inFlight.check, 100)
    assert.strictEqual(waitingForBody, 0)
    for (const client of clients) client.destroy()
    await until(() => server.snapshot().inFlight.check === 0)
    await stop(server)
  })

  it("are refused while the clocks are apart", async () => {
    const server = makeServer({}, closedGate())
    server.on("request", (_request, response) => response.end("answered"))
    const client = await clientOf(server)
    client.end(READ)
    assert.match(await received(client), /^HTTP\/1.1 503 /)
    await stop(server)
  })
})

describe("CONNECT after a request that is still being answered", () => {
  const PAGE = "GET /docs HTTP/1.1\r\nHost: x\r\n\r\n"
  const CONNECT = "CONNECT x:443 HTTP/1.1\r\nHost: x\r\n\r\n"

  it("is not answered in its place", async () => {
    const server = makeServer()
    const open: Array<ServerResponse> = []
    server.on("request", (_request, response) => void open.push(response))
    const client = await clientOf(server)
    client.write(PAGE + CONNECT)
    while (open.length === 0) await turns(1)
    await turns(10)
    open[0]?.end("the page")
    const answer = await received(client)
    assert.deepStrictEqual(answer.match(/HTTP\/1\.1 \d+/g), ["HTTP/1.1 200"])
    assert.match(answer, /the page/)
    while (!server.isIdle) await turns(1)
    assert.strictEqual(server.snapshot().inFlight.asset, 0)
    await stop(server)
  })

  it("does no harm when its client resets the connection", async () => {
    const server = makeServer()
    const open: Array<ServerResponse> = []
    server.on("request", (_request, response) => void open.push(response))
    const connected = once(server, "connect")
    const client = await clientOf(server)
    client.write(PAGE.repeat(3) + CONNECT)
    await connected
    await until(() => open.length === 1)
    assert.strictEqual(server.snapshot().inFlight.asset, 1)
    const socket = open[0]?.socket
    const closed = new Promise((resume) => void socket?.once("close", resume))
    client.resetAndDestroy()
    await closed
    assert.isTrue(socket?.destroyed)
    await turns(10)
    assert.strictEqual(server.snapshot().inFlight.asset, 0)
    await stop(server)
  })
})
