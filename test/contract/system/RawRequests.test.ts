import { once } from "node:events"
import { connect } from "node:net"
import { beforeAll, describe, expect, it } from "vitest"
import { newKey, newPhone, ok, otp, raw, refused, request } from "../Client.ts"
import { simulated } from "../Operator.ts"
import { type SharedServer, sharedServer } from "../SharedServer.ts"

let server: SharedServer
beforeAll(async () => {
  server = sharedServer()
})

const head = (path: string, lines: ReadonlyArray<string>) =>
  [`POST ${path} HTTP/1.1`, "Host: localhost", "Content-Type: application/json", ...lines, "", ""].join(
    "\r\n"
  )

const keyed = () => [`X-API-Key: ${server.demo.live_key}`, `Idempotency-Key: ${newKey()}`]

const paths = ["/v1/otp/send", "/v1/messages/send", "/v1/auth/sign-in"]

describe("a body whose chunks are malformed", () => {
  it.each(paths)("is a bad request, on %s", async (path) => {
    const bytes = `${head(path, [...keyed(), "Transfer-Encoding: chunked"])}zz\r\n{}\r\n0\r\n\r\n`
    refused(await raw(server, bytes), 400, "bad_request")
  })

  it("is a bad request with the caller's request id, also after good chunks", async () => {
    const socket = connect(server.port, "127.0.0.1")
    let answer = ""
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      answer += chunk
    })
    const lines = [...keyed(), "Transfer-Encoding: chunked", "X-Request-Id: mine-7"]
    socket.write(`${head("/v1/messages/send", lines)}2\r\n{"\r\n`)
    socket.write("3\r\na\r\n;;;\r\n")
    await once(socket, "close")
    expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/)
    expect(answer.toLowerCase()).toContain("\r\nx-request-id: mine-7\r\n")
    expect(answer).toContain(`"code":"bad_request"`)
  })

  it("is not answered a second time where the request has its answer", async () => {
    const socket = connect(server.port, "127.0.0.1")
    let answer = ""
    socket.setEncoding("utf8").on("data", (chunk: string) => {
      if (answer === "") socket.write("zz\r\n")
      answer += chunk
    })
    socket.write(head("/v1/otp/send", ["Transfer-Encoding: chunked"]))
    await once(socket, "close")
    expect(answer.match(/HTTP\/1\.1 \d+/g)).toEqual(["HTTP/1.1 401"])
  })
})

describe("a body that is not UTF-8", () => {
  // Persian text as older programs encode it (windows-1256)
  const body = Buffer.concat([Buffer.from('{"phone":"09121234567","message":"'), Buffer.from([0xd3, 0xe1])])

  it.each([
    ["/v1/otp/send", "X-API-Key", () => server.demo.live_key],
    ["/v1/messages/send", "X-API-Key", () => server.demo.live_key],
    ["/v1/messages/batch", "X-API-Key", () => server.demo.live_key],
    ["/v1/sandbox/otp/send", "X-API-Key", () => server.demo.test_key],
    ["/v1/manage/templates", "Authorization", () => `apikey ${server.demo.token}`]
  ])("is refused, on %s", async (path, name, credential) => {
    const headers = {
      [name]: credential(),
      "Idempotency-Key": newKey(),
      "Content-Type": "application/json"
    }
    const bytes = Buffer.concat([body, Buffer.from('"}')])
    const reply = await fetch(`${server.url}${path}`, { method: "POST", headers, body: bytes })
    expect(reply.status).toBe(422)
    expect(await reply.json()).toMatchObject({
      error: { code: "validation_error", details: { errors: [{ path: "body", message: "Expected UTF-8" }] } }
    })
  })

  it("is not one that has the sign for unreadable text itself", async () => {
    ok(await otp(server, server.demo.live_key).send({ metadata: { note: "\uFFFD" } }))
  })
})

describe("a transfer coding that is not known", () => {
  it.each(["gzip", "gzip, chunked", "chunked, gzip", "identity", "xchunked"])(
    "is a bad request: %s",
    async (coding) => {
      for (const path of paths) {
        const bytes = `${head(path, [...keyed(), `Transfer-Encoding: ${coding}`])}2\r\n{}\r\n0\r\n\r\n`
        refused(await raw(server, bytes), 400, "bad_request")
      }
    }
  )

  it("is known however it is written", async () => {
    const body = JSON.stringify({ phone: newPhone(), channels: "sms" })
    const chunk = `${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`
    const bytes =
      head("/v1/otp/send", [...keyed(), "Transfer-Encoding: Chunked", "Connection: close"]) + chunk
    ok(await raw(server, bytes))
  })

  it("leaves the server as it was", async () => {
    ok(await otp(server, server.demo.live_key).send({ channels: "sms" }))
  })
})

/** Caches may store them if they ask each time whether they have changed. */
const FOR_EVERYBODY = ["/docs", "/docs/api", "/openapi.json"]

describe("every answer says what it is by its media type alone, and that no cache may store it", () => {
  const nosniff = (reply: { readonly headers: Headers }, caching = "no-store") => {
    expect(reply.headers.get("x-content-type-options")).toBe("nosniff")
    expect(reply.headers.get("cache-control")).toBe(caching)
    // The public address is not https.
    expect(reply.headers.has("strict-transport-security")).toBe(false)
  }

  it.each([
    "/",
    "/docs",
    "/docs/api",
    "/openapi.json",
    "/healthz",
    "/readyz",
    "/metrics",
    "/simulator",
    "/nothing",
    "/v1/otp/send"
  ])("on GET %s", async (path) => {
    nosniff(await request(server, "GET", path), FOR_EVERYBODY.includes(path) ? "no-cache" : "no-store")
  })

  it("on codes sent, verified and looked up, the ordinary way and past it", async () => {
    const live = otp(server, server.demo.live_key)
    for (let round = 0; round < 2; round++) {
      const sent = await live.send({ channels: "sms" })
      const { verification_id: id } = ok<{ readonly verification_id: string }>(sent)
      for (const reply of [sent, await live.verify(id, "000000"), await live.read(id)]) nosniff(reply)
      nosniff(await live.send({ channels: "nothing" }))
      nosniff(await live.verify(id, "x"))
    }
  })

  it("on what Node's parser refuses", async () => {
    nosniff(await raw(server, "GARBAGE\r\n\r\n"))
    nosniff(await raw(server, `GET / HTTP/1.1\r\nHost: localhost\r\nX-Large: ${"a".repeat(20_000)}\r\n\r\n`))
    nosniff(await raw(server, `${head("/v1/otp/send", ["Transfer-Encoding: gzip"])}`))
  })
})

describe("bytes after a request", () => {
  it("do not take the answer of the request from it", async () => {
    const bytes = `${head("/v1/messages/send", [...keyed(), "Content-Length: 0"])}garbage {"to":"1"}\r\n\r\n`
    const reply = await raw(server, bytes)
    refused(reply, 422, "validation_error")
  })
})

describe("what no path can be", () => {
  it("CONNECT is answered as well", async () => {
    refused(await raw(server, "CONNECT peyk:443 HTTP/1.1\r\nHost: peyk\r\n\r\n"), 400, "bad_request")
  })

  it("a path with a semicolon is unknown, and nothing is done for it", async () => {
    const phone = newPhone()
    const body = JSON.stringify({ phone, channels: ["bale"] })
    const sending = {
      "x-api-key": server.demo.live_key,
      "idempotency-key": newKey(),
      "content-type": "application/json"
    }
    refused(await request(server, "POST", "/v1/otp/send;x", { headers: sending, body }), 404, "not_found")
    expect(await simulated(server, phone)).toEqual([])
    refused(await request(server, "GET", "/v1/otp/send;x"), 404, "not_found")
    const headers = { authorization: `apikey ${server.demo.token}` }
    for (const path of ["/v1/manage/verifications;x=y", "/v1/manage/verifications/;x=y", "/v1/manage/me;x"]) {
      refused(await request(server, "GET", path, { headers }), 404, "not_found")
    }
  })
})
