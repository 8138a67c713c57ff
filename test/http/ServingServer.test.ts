import { assert, describe, it } from "@effect/vitest"
import { once } from "node:events"
import { connect } from "node:net"
import { ServingServer } from "../../src/http/NodeServer.ts"
import { makeOverloadGate } from "../../src/http/OverloadGate.ts"

const makeServer = () =>
  new ServingServer(
    makeOverloadGate({ maxInFlight: 100, maxDelayMillis: 1000 }, { running: 0, waiting: 0 }),
    { maxConnections: 100, requestTimeoutMillis: 1000, bodyTimeoutMillis: 1000 }
  )

describe("a server that listens already", () => {
  it("answers what came before anybody was there to answer it, once somebody is", async () => {
    const server = makeServer()
    server.listen(0, "127.0.0.1")
    await once(server, "listening")
    const address = server.address()
    const client = connect(typeof address === "object" && address !== null ? address.port : 0, "127.0.0.1")
    client.write("GET /readyz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    await once(server, "connection")
    while (server.snapshot().inFlight.vital === 0) await new Promise((resume) => setImmediate(resume))
    server.on("request", (_request, response) => response.end("ready"))
    const chunks: Array<Buffer> = []
    for await (const chunk of client) chunks.push(chunk)
    const answer = Buffer.concat(chunks).toString()
    assert.match(answer, /^HTTP\/1.1 200 OK\r\n/)
    assert.match(answer, /ready/)
    server.close()
    await once(server, "close")
  })
})
