import { once } from "node:events"
import { connect } from "node:net"
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest"
import { newPhone, ok, otp, request } from "../../contract/Client.ts"
import { type Server, startServer, until } from "../../contract/Server.ts"
import { openSlowClient, openSlowClients, type SlowRequest } from "./SlowClients.ts"

const SLOW = 500
const SENDS = 60

let server: Server
const open: Array<{ readonly close: () => void }> = []
beforeAll(async () => {
  // One process at the least room that there is: of a quarter, or of an eighth, little is left.
  server = await startServer({ env: { PEYK_MAX_REQUESTS_IN_FLIGHT: "128", PEYK_BODY_TIMEOUT_MS: "60000" } })
})
afterEach(() => {
  for (const { close } of open.splice(0)) close()
})
afterAll(() => server?.stop())

const slowClients = async (slow: SlowRequest, count = SLOW) => {
  const clients = await openSlowClients(server.port, count, slow)
  open.push(clients)
  return clients
}

const withKey = (key: string) => [`X-API-Key: ${key}`, "Idempotency-Key: slow"]

const slowRequests = (): ReadonlyArray<readonly [string, SlowRequest]> => {
  const { live_key: live, test_key: test } = server.demo
  return [
    ["an inbound address", { path: "/v1/inbound/x" }],
    ["sign-in", { path: "/v1/auth/sign-in" }],
    ["sign-in, with no byte of the body", { path: "/v1/auth/sign-in", begun: "" }],
    ["sign-in, in chunks", { path: "/v1/auth/sign-in", isChunked: true }],
    ["sends of codes without a key", { path: "/v1/otp/send" }],
    ["sends of codes with a key", { path: "/v1/otp/send", headers: withKey(live) }],
    ["sends of codes with a key, with no byte", { path: "/v1/otp/send", headers: withKey(live), begun: "" }],
    [
      "sends of codes with a key, in chunks",
      { path: "/v1/otp/send", headers: withKey(live), isChunked: true }
    ],
    ["verifications with a key", { path: "/v1/otp/verify", headers: withKey(live) }],
    ["the sandbox with a key", { path: "/v1/sandbox/otp/send", headers: withKey(test) }],
    ["messages without a key", { path: "/v1/messages/send" }],
    ["messages with a key", { path: "/v1/messages/send", headers: withKey(live) }],
    ["reads that have a body", { path: "/v1/manage/api-keys", method: "GET" }]
  ]
}

const names = [
  "an inbound address",
  "sign-in",
  "sign-in, with no byte of the body",
  "sign-in, in chunks",
  "sends of codes without a key",
  "sends of codes with a key",
  "sends of codes with a key, with no byte",
  "sends of codes with a key, in chunks",
  "verifications with a key",
  "the sandbox with a key",
  "messages without a key",
  "messages with a key",
  "reads that have a body"
]

const manage = () =>
  request(server, "GET", "/v1/manage/api-keys", {
    headers: { authorization: `apikey ${server.demo.token}` }
  })

describe("while hundreds of clients send bodies that do not come", () => {
  it.each(names)(
    "codes are sent and verified and management answers: %s",
    async (name) => {
      const slow = new Map(slowRequests()).get(name)
      if (slow === undefined) throw new Error(`no request ${name}`)
      await slowClients(slow)
      const live = otp(server, server.demo.live_key)
      const statuses: Array<number> = []
      for (let sent = 0; sent < SENDS; sent += 20) {
        const replies = await Promise.all(
          Array.from({ length: 20 }, () => live.postSend({ phone: newPhone(), channels: "sms" }))
        )
        statuses.push(...replies.map(({ status }) => status))
        statuses.push((await manage()).status)
        statuses.push(
          (await live.verify("01890a5d-ac96-774b-bcce-b302099a8057", "123456")).status === 404 ? 200 : 0
        )
      }
      expect(statuses).toEqual(Array.from({ length: statuses.length }, () => 200))
    },
    60_000
  )

  it("other clients still sign in", async () => {
    await slowClients({ path: "/v1/auth/sign-in" })
    const reply = await request(server, "POST", "/v1/auth/sign-in", {
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ email: "nobody@example.com", password: "wrong" })
    })
    expect(reply.status).toBe(401)
  })

  it("connections whose heads do not come do no harm", async () => {
    const heads = await Promise.all(
      Array.from({ length: SLOW }, async () => {
        const socket = connect(server.port, "127.0.0.1")
        await once(socket, "connect")
        socket.write("POST /v1/otp/send HTTP/1.1\r\nHost:")
        return socket
      })
    )
    open.push({ close: () => heads.forEach((socket) => socket.destroy()) })
    ok(await otp(server, server.demo.live_key).send({ channels: "sms" }))
    expect((await manage()).status).toBe(200)
  })
})

describe("a credential is looked at before the body", () => {
  const answers: ReadonlyArray<readonly [string, SlowRequest, number]> = [
    ["an unknown inbound address", { path: "/v1/inbound/x" }, 404],
    ["a code without a key", { path: "/v1/otp/send" }, 401],
    ["a code with a wrong key", { path: "/v1/otp/send", headers: withKey("svc_live_wrong") }, 401],
    ["a code checked without a key", { path: "/v1/otp/verify" }, 401],
    ["a message without a key", { path: "/v1/messages/send" }, 401],
    ["the sandbox without a key", { path: "/v1/sandbox/otp/send" }, 401],
    ["management without a token", { path: "/v1/manage/api-keys" }, 401],
    [
      "management with a wrong token",
      { path: "/v1/manage/tokens", headers: ["Authorization: Bearer x"] },
      401
    ]
  ]
  it.each(answers)("%s is refused at once", async (_name, slow, status) => {
    const { socket, answer } = await openSlowClient(server.port, slow)
    open.push({ close: () => socket.destroy() })
    await until("the answer", async () => (answer().includes("request_id") ? true : undefined))
    expect(answer()).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
  })
})

describe("a body that is not there in time", () => {
  let impatient: Server
  beforeAll(async () => {
    impatient = await startServer({
      env: { PEYK_BODY_TIMEOUT_MS: "300", PEYK_MAX_CONNECTIONS: "40", PEYK_MAX_BODY_BYTES: "10485760" }
    })
  })
  afterAll(() => impatient?.stop())

  const ways = (): ReadonlyArray<readonly [string, SlowRequest]> => [
    ["sign-in", { path: "/v1/auth/sign-in" }],
    ["a code with a key", { path: "/v1/otp/send", headers: withKey(impatient.demo.live_key) }],
    [
      "a code with a key and no byte",
      { path: "/v1/otp/verify", headers: withKey(impatient.demo.live_key), begun: "" }
    ],
    [
      "a message in chunks",
      { path: "/v1/messages/send", headers: withKey(impatient.demo.live_key), isChunked: true }
    ]
  ]
  it.each(["sign-in", "a code with a key", "a code with a key and no byte", "a message in chunks"])(
    "is 408 in the envelope, and the connection closes: %s",
    async (name) => {
      const slow = new Map(ways()).get(name)
      if (slow === undefined) throw new Error(`no request ${name}`)
      const { socket, answer } = await openSlowClient(impatient.port, slow)
      if (!socket.readableEnded) await once(socket, "end")
      const [head = "", body = ""] = answer().split("\r\n\r\n")
      expect(head).toMatch(/^HTTP\/1\.1 408 /)
      expect(head.toLowerCase()).toContain("connection: close")
      expect(JSON.parse(body)).toMatchObject({ error: { code: "request_timeout" } })
      socket.destroy()
    }
  )

  it("is given up however it drips", async () => {
    const { socket, answer } = await openSlowClient(impatient.port, {
      path: "/v1/auth/sign-in",
      isChunked: true
    })
    const drip = async () => {
      while (!socket.readableEnded && !socket.destroyed) {
        socket.write("1\r\n \r\n")
        await new Promise((resume) => setImmediate(resume))
      }
    }
    await Promise.all([once(socket, "close"), drip()])
    expect(answer()).toMatch(/^HTTP\/1\.1 408 /)
  })

  it("closes the connection of a request that was answered before it", async () => {
    const { socket, answer } = await openSlowClient(impatient.port, { path: "/v1/otp/send" })
    await once(socket, "close")
    expect(answer()).toMatch(/^HTTP\/1\.1 401 /)
  })

  it("does not keep others out when connections run out", async () => {
    const idle = await Promise.all(
      Array.from({ length: 60 }, async () => {
        const socket = connect(impatient.port, "127.0.0.1")
        socket.on("error", () => {})
        await once(socket, "connect")
        return socket
      })
    )
    const { status } = await otp(impatient, impatient.demo.live_key).send({ channels: "sms" })
    for (const socket of idle) socket.destroy()
    expect(status).toBe(200)
  })
})
