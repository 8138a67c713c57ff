import { assert, describe, it } from "@effect/vitest"
import { once } from "node:events"
import type { ServerResponse } from "node:http"
import { connect, type Socket } from "node:net"
import { ServingServer } from "../../../src/http/server/ServingServer.ts"
import { makeOverloadGate } from "../../../src/http/server/OverloadGate.ts"
import { noLoad } from "../../../src/services/concurrency/Workers.ts"
import { closedWhile } from "../../../src/http/server/Serving.ts"

const makeGate = () => makeOverloadGate({ maxInFlight: 100, maxDelayMillis: 1000 }, noLoad())

const makeServer = (gate = makeGate(), requestTimeoutMillis = 1000) =>
  new ServingServer(gate, { maxConnections: 100, requestTimeoutMillis, bodyTimeoutMillis: 1000 }, () => false)

/** A client of a server that listens. */
const clientOf = async (server: ServingServer) => {
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  const client = connect(typeof address === "object" && address !== null ? address.port : 0, "127.0.0.1")
  await once(client, "connect")
  return client
}

const received = async (client: Socket) => {
  const chunks: Array<Buffer> = []
  for await (const chunk of client) chunks.push(chunk)
  return Buffer.concat(chunks).toString()
}

const stop = async (server: ServingServer) => {
  server.close()
  await once(server, "close")
}

const turns = async (count: number) => {
  for (let turn = 0; turn < count; turn += 1) await new Promise((resume) => setImmediate(resume))
}

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
    const server = makeServer(makeGate(), 0)
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

describe("requests with bodies that nobody reads", () => {
  const READ = "GET /v1/otp/x HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\n\r\nx"

  it("count as load once their bodies are there, and are refused when there is no room", async () => {
    const server = makeServer()
    const open: Array<ServerResponse> = []
    server.on("request", (_request, response) => void open.push(response))
    const client = await clientOf(server)
    client.write(READ.repeat(150))
    while (open.length < 100) await turns(1)
    await turns(10)
    assert.strictEqual(open.length, 100)
    const { inFlight, waitingForBody } = server.snapshot()
    assert.strictEqual(inFlight.check, 100)
    assert.strictEqual(waitingForBody, 0)
    client.destroy()
    while (server.snapshot().inFlight.check > 0) await turns(1)
    await stop(server)
  })

  it("are refused while the clocks are apart", async () => {
    const server = makeServer(closedWhile(() => true, makeGate()))
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
    assert.strictEqual(server.snapshot().inFlight.public, 0)
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
    assert.strictEqual(server.snapshot().inFlight.public, 3)
    const socket = open[0]?.socket
    const closed = new Promise((resume) => void socket?.once("close", resume))
    client.resetAndDestroy()
    await closed
    assert.isTrue(socket?.destroyed)
    await turns(10)
    assert.strictEqual(server.snapshot().inFlight.public, 0)
    await stop(server)
  })
})
