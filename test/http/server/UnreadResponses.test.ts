import { assert, describe, it } from "@effect/vitest"
import type { Socket } from "node:net"
import { setTimeout as pause } from "node:timers/promises"
import { makeOverloadGate } from "../../../src/http/server/Gate.ts"
import type { ServingServer } from "../../../src/http/server/ServingServer.ts"
import { noLoad } from "../../../src/services/concurrency/Workers.ts"
import { clientOf, makeServer, received, stop, turns, unreadingClientOf, until } from "./ServingClients.ts"

const LARGE = "x".repeat(8_000_000)
const get = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
const LAST = "GET /last HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"

/** Answers every request at once with more than any system keeps for a client. */
const answerLarge = (server: ServingServer) =>
  void server.on("request", (_request, response) => void response.end(LARGE))

describe("a response that nobody reads", () => {
  it("does not count as load once the application has ended it", async () => {
    const server = makeServer()
    answerLarge(server)
    const clients: Array<Socket> = []
    for (let n = 0; n < 20; n += 1) {
      const client = await unreadingClientOf(server)
      clients.push(client)
      client.write(get("/v1/otp/x"))
    }
    await until(() => {
      server.endOverdue()
      return server.snapshot().unsentBytes > 20 * 1_000_000 || server.snapshot().unread > 0
    })
    const { working, inFlight, shed } = server.snapshot()
    assert.deepStrictEqual([working, inFlight.check, shed.check], [0, 0, 0])
    for (const client of clients) client.destroy()
    await until(() => server.isIdle)
    await stop(server)
  })

  it("does not lower the limits, however long it stays", async () => {
    const gate = makeOverloadGate({ maxInFlight: 1000, maxDelayMillis: 500, coldRequests: 0 }, noLoad())
    const server = makeServer({}, gate)
    answerLarge(server)
    const client = await unreadingClientOf(server)
    client.write(get("/docs/api").repeat(100))
    await until(() => client.bytesWritten > 0 && server.snapshot().connections === 1)
    await turns(20)
    for (let now = 0; now < 20; now += 1) gate.hasRoom("send", performance.now() + now * 500)
    assert.strictEqual(server.snapshot().limit, 1000)
    client.destroy()
    await until(() => server.isIdle)
    await stop(server)
  })

  it("closes its connection, once no byte of it is read for long enough", async () => {
    const server = makeServer({ writeTimeoutMillis: 50 })
    answerLarge(server)
    const client = await unreadingClientOf(server)
    client.write(get("/v1/account"))
    await until(() => {
      server.endOverdue()
      return server.snapshot().unread === 1 && server.isIdle
    })
    assert.strictEqual(server.snapshot().connections, 0)
    await stop(server)
  })

  it("is sent whole to a client that reads slowly", async () => {
    const server = makeServer({ writeTimeoutMillis: 1000 })
    answerLarge(server)
    const client = await clientOf(server)
    client.write("GET /v1/account HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    const begun = performance.now()
    let length = 0
    // A few milliseconds for each part: longer in all than a client may read nothing.
    for await (const chunk of client) {
      length += chunk.length
      server.endOverdue()
      await pause(10)
    }
    assert.isAbove(length, LARGE.length)
    assert.isAbove(performance.now() - begun, 1000)
    assert.strictEqual(server.snapshot().unread, 0)
    await stop(server)
  })

  it("is not kept for more clients than there is memory for: the one that waits longest is closed", async () => {
    const server = makeServer()
    server.on("request", (_request, response) => void response.end("x".repeat(20_000_000)))
    const clients: Array<Socket> = []
    for (let n = 0; n < 5; n += 1) {
      const client = await unreadingClientOf(server)
      clients.push(client)
      client.write(get("/v1/otp/x"))
      await until(() => {
        server.endOverdue()
        return server.snapshot().unsentBytes > (n % 4) * 20_000_000 || server.snapshot().unread > 0
      })
      await turns(20)
    }
    server.endOverdue()
    server.endOverdue()
    await until(() => server.snapshot().unread > 0)
    assert.isBelow(server.snapshot().unsentBytes, 64 * 1024 * 1024 + 1)
    for (const client of clients) client.destroy()
    await until(() => server.isIdle)
    await stop(server)
  })

  it("may take longer than a request while the application goes on with it, and not once it stops", async () => {
    const server = makeServer({ requestTimeoutMillis: 500 })
    const PARTS = 40
    server.on("request", async (_request, response) => {
      for (let n = 0; n < PARTS; n += 1) {
        response.write(`part ${n};`)
        await pause(30)
      }
    })
    const client = await clientOf(server)
    client.on("error", () => {})
    client.write(get("/v1/account"))
    let text = ""
    client.on("data", (chunk) => void (text += chunk))
    const begun = performance.now()
    await until(() => {
      server.endOverdue()
      return client.closed
    })
    assert.include(text, `part ${PARTS - 1};`)
    assert.isAbove(performance.now() - begun, 1000)
    await stop(server)
  })

  it("does not count as load while the application waits for its client to read, and does afterwards", async () => {
    const server = makeServer()
    server.on("request", (_request, response) => {
      response.write(LARGE)
      response.once("drain", () => response.once("finished", () => response.end()))
    })
    const client = await unreadingClientOf(server)
    client.write(get("/v1/account"))
    await until(() => server.snapshot().connections === 1 && client.bytesWritten > 0)
    await turns(20)
    assert.strictEqual(server.snapshot().inFlight.manage, 0)
    client.resume()
    await until(() => server.snapshot().inFlight.manage === 1)
    client.destroy()
    await until(() => server.snapshot().inFlight.manage === 0 && server.isIdle)
    await stop(server)
  })
})

const CLIENTS = 40

/** Many clients of a server, and one that asks for a code once so many responses for the others have begun. */
const crowdOf = async (server: ServingServer, count: number) => {
  const order: Array<string> = []
  const other = await clientOf(server)
  server.on("request", (request, response) => {
    const isCheck = request.url === "/v1/otp/x"
    if (order.push(isCheck ? "check" : "large") === count) other.write(get("/v1/otp/x"))
    response.end(isCheck ? "check" : LARGE.slice(0, 300_000))
  })
  const clients = await Promise.all(Array.from({ length: CLIENTS }, () => clientOf(server)))
  await until(() => server.snapshot().connections === CLIENTS + 1)
  /** How many responses for the others come between the request and its response. */
  const between = async () => {
    await until(() => order.includes("check"))
    return order.indexOf("check") - count
  }
  return { clients, between, close: () => other.destroy() }
}

describe("files that anybody may ask for", () => {
  it("are sent in parts, between which others are served, when many clients ask at once", async () => {
    const server = makeServer()
    const { clients, between, close } = await crowdOf(server, 1)
    const texts = clients.map(received)
    for (const client of clients)
      client.write(get("/docs/api").replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"))
    assert.isAtMost(await between(), 4)
    const lengths = (await Promise.all(texts)).map((text) => text.match(/x{300000}/g)?.length)
    assert.deepStrictEqual(lengths, Array<number>(CLIENTS).fill(1))
    close()
    await until(() => server.isIdle)
    await stop(server)
  })
})

describe("requests that a client sends before the earlier ones are answered", () => {
  it("are begun one after the other, and answered in their order", async () => {
    const server = makeServer()
    const begun: Array<string> = []
    const answers: Array<() => void> = []
    server.on("request", (request, response) => {
      begun.push(request.url ?? "")
      answers.push(() => response.end(`answer to ${request.url}`))
    })
    const client = await clientOf(server)
    client.write(get("/a") + get("/b") + get("/c").replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n"))
    await until(() => begun.length === 1)
    await turns(20)
    assert.deepStrictEqual(begun, ["/a"])
    assert.strictEqual(server.snapshot().inFlight.public, 1)
    for (const n of [0, 1, 2]) {
      await until(() => answers.length > n)
      answers[n]?.()
    }
    const text = await received(client)
    assert.deepStrictEqual(text.match(/answer to \/\w/g), ["answer to /a", "answer to /b", "answer to /c"])
    await stop(server)
  })

  it("are all answered, with bodies and without, however many there are", async () => {
    const server = makeServer()
    server.on("request", (request, response) => {
      let body = ""
      request.on("data", (chunk) => void (body += chunk)).on("end", () => response.end(`[${body}]`))
    })
    const client = await clientOf(server)
    const text = received(client)
    const post = (n: number) => `POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\n\r\n${1000 + n}`
    const COUNT = 3000
    for (let n = 0; n < COUNT; n += 1) client.write(post(n))
    client.write("GET /x HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
    const bodies = (await text).match(/\[\d*\]/g) ?? []
    assert.deepStrictEqual(bodies, [...Array.from({ length: COUNT }, (_, n) => `[${1000 + n}]`), "[]"])
    await stop(server)
  })

  it("are kept for clients that send some, when others send as many as they can: those are closed", async () => {
    const server = makeServer({ requestTimeoutMillis: 60_000 })
    const held: Array<() => void> = []
    server.on("request", (request, response) => {
      if (request.url === "/held") held.push(() => response.end("at last"))
      else response.end("soon")
    })
    const holding = async (client: Socket, count: number) => {
      const begun = held.length
      client.write(get("/held"))
      await until(() => held.length > begun)
      // In one piece: they are read together.
      client.write(get("/").repeat(count))
      await turns(50)
    }
    const some = await clientOf(server)
    const text = received(some)
    const others: Array<Socket> = []
    for (const count of [2400, 2400, 2400, 2400, 2400, 2400, 1900, 50]) {
      const client = await unreadingClientOf(server)
      others.push(client)
      await holding(client, count)
    }
    await holding(some, 60)
    some.write(LAST)
    await turns(50)
    for (const answer of held.splice(0)) answer()
    const answers = (await text).match(/at last|soon/g) ?? []
    assert.deepStrictEqual(answers, ["at last", ...Array<string>(61).fill("soon")])
    for (const client of others) client.destroy()
    await until(() => server.isIdle)
    await stop(server)
  })

  it("are answered in parts, between which others are served, when many clients ask for much", async () => {
    const server = makeServer()
    const { clients, between, close } = await crowdOf(server, CLIENTS + 1)
    const texts = clients.map(received)
    for (const client of clients) client.write(get("/v1/account").repeat(2) + LAST)
    assert.isAtMost(await between(), 4)
    const lengths = (await Promise.all(texts)).map((text) => text.match(/x{300000}/g)?.length)
    assert.deepStrictEqual(lengths, Array<number>(CLIENTS).fill(3))
    close()
    await until(() => server.isIdle)
    await stop(server)
  })

  it("leave nothing behind when their client goes", async () => {
    const server = makeServer()
    const begun: Array<string> = []
    server.on("request", (request) => void begun.push(request.url ?? ""))
    const client = await clientOf(server)
    client.write(get("/a").repeat(10))
    await until(() => begun.length === 1)
    client.resetAndDestroy()
    await until(() => server.isIdle && server.snapshot().inFlight.public === 0)
    assert.strictEqual(begun.length, 1)
    await stop(server)
  })
})
