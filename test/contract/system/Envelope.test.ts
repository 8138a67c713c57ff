import { beforeAll, describe, expect, it } from "vitest"
import {
  envelope,
  issues,
  newKey,
  newPhone,
  ok,
  otp,
  raw,
  refused,
  request,
  sandbox,
  unknownId
} from "../Client.ts"
import { type SharedServer, sharedServer } from "../SharedServer.ts"

let server: SharedServer
let live: ReturnType<typeof otp>
let trial: ReturnType<typeof otp>
beforeAll(async () => {
  server = sharedServer()
  live = otp(server, server.demo.live_key)
  trial = sandbox(server, server.demo.test_key)
})

describe("404 not_found", () => {
  it.each(["/v1/nothing", "/v1/otp/send/more", "/v2/otp/send", "/v1/otp/a/b/c"])(
    "is the answer for the unknown path %s, even without a key",
    async (path) => {
      refused(await request(server, "GET", path), 404, "not_found")
      refused(await request(server, "POST", path, { body: "{" }), 404, "not_found")
    }
  )

  it("does not turn a path with broken percent-encoding into a server error", async () => {
    const reply = await raw(
      server,
      `GET /v1/otp/%ZZ HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${server.demo.live_key}\r\nConnection: close\r\n\r\n`
    )
    envelope(reply)
    expect(reply.status).toBeGreaterThanOrEqual(400)
    expect(reply.status).toBeLessThan(500)
  })
})

describe("405 method_not_allowed", () => {
  it.each([
    ["GET", "/v1/otp/send", "POST"],
    ["GET", "/v1/otp/verify", "POST"],
    ["GET", "/v1/sandbox/otp/send", "POST"],
    ["GET", "/v1/sandbox/otp/verify", "POST"],
    ["DELETE", "/v1/otp/send", "POST"],
    ["PUT", "/v1/otp/verify", "POST"],
    ["POST", `/v1/otp/${unknownId}`, "GET"],
    ["PATCH", `/v1/sandbox/otp/${unknownId}`, "GET"]
  ])("is the answer to %s %s, with Allow: %s, even without a key", async (method, path, allowed) => {
    const reply = await request(server, method, path)
    refused(reply, 405, "method_not_allowed")
    const allow = (reply.headers.get("allow") ?? "").split(",").map((name) => name.trim())
    expect(allow).toContain(allowed)
    expect(allow).not.toContain(method)
  })
})

describe("413 payload_too_large", () => {
  const padded = (bytes: number) => {
    const body = JSON.stringify({ phone: newPhone() })
    return body + " ".repeat(bytes - body.length)
  }

  it("is the answer to a body over 64 KiB", async () => {
    refused(await trial.postSend(padded(65_537)), 413, "payload_too_large")
    refused(await live.postSend(padded(65_537)), 413, "payload_too_large")
    refused(await trial.post("/verify", padded(80_000)), 413, "payload_too_large")
  })

  it("is the answer to such a body also when its length is not announced", async () => {
    const size = (65_537).toString(16)
    const reply = await raw(
      server,
      `POST /v1/sandbox/otp/send HTTP/1.1\r\nHost: localhost\r\nX-API-Key: ${server.demo.test_key}\r\n` +
        `Content-Type: application/json\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n` +
        `${size}\r\n${padded(65_537)}\r\n0\r\n\r\n`
    )
    refused(reply, 413, "payload_too_large")
  })

  it("is not the answer to a body of exactly 64 KiB", async () => {
    ok(await trial.postSend(padded(65_536)))
  })
})

describe("415 unsupported_media_type", () => {
  it.each(["text/plain", "application/x-www-form-urlencoded", "application/jsonp"])(
    "is the answer to the content type %s",
    async (type) => {
      refused(await trial.send({}, { "content-type": type }), 415, "unsupported_media_type")
      const body = JSON.stringify({ verification_id: unknownId, code: "123456" })
      refused(await live.post("/verify", body, { "content-type": type }), 415, "unsupported_media_type")
    }
  )

  it.each(["application/json; charset=utf-8", "Application/JSON"])("is not for %s", async (type) => {
    ok(await trial.send({}, { "content-type": type }))
  })
})

describe("422 validation_error", () => {
  it.each([
    ["nothing", ""],
    ["an open brace", "{"],
    ["nonsense", "nonsense"],
    ["half an object", '{"phone":'],
    ["thousands of open brackets", "[".repeat(30_000)],
    ["null", "null"],
    ["an array", "[]"],
    ["a string", '"text"'],
    ["a number", "7"]
  ])("is the answer to a body that is no JSON object: %s", async (_, body) => {
    issues(await live.postSend(body))
    issues(await trial.postSend(body))
    issues(await live.post("/verify", body))
  })

  it("lists every issue of a send with its path", async () => {
    const reply = await live.postSend({
      phone: 9121234567,
      channels: [
        { channel: "bale", wait: 10 },
        { channel: "sms", wait: 121 }
      ],
      channel_timeout: 500
    })
    expect(issues(reply)).toEqual([
      "body.channel_timeout",
      "body.channels[0].wait",
      "body.channels[1].wait",
      "body.phone"
    ])
  })

  it("names a required field that is missing or null", async () => {
    expect(issues(await live.postSend({}))).toEqual(["body.phone"])
    expect(issues(await live.postSend({ phone: null }))).toEqual(["body.phone"])
    expect(issues(await live.post("/verify", {}))).toEqual(["body.code", "body.verification_id"])
  })

  it("names both fields of a verify that are of the wrong type", async () => {
    expect(issues(await live.verify(7, 123456))).toEqual(["body.code", "body.verification_id"])
    expect(issues(await trial.verify("not-a-uuid", "12a456"))).toEqual(["body.code", "body.verification_id"])
  })

  it.each(["not-a-uuid", "123", `${unknownId}0`])("is the answer to the malformed id %s", async (id) => {
    issues(await live.read(id))
    issues(await trial.read(id))
    issues(await live.verify(id, "123456"))
  })

  it("is not for unknown fields, however deep they are", async () => {
    const deep = `${"[".repeat(20_000)}${"]".repeat(20_000)}`
    ok(await live.postSend(`{"phone":"${newPhone()}","channels":"sms","extra":1,"deep":${deep}}`))
  })

  it("is not for null in optional fields, which counts as absent", async () => {
    ok(await live.send({ channels: null, channel_timeout: null, template_id: null }))
    const channels = [{ channel: "sms", account_id: null, sender: null, provider: null, wait: null }]
    ok(await live.send({ channels }))
  })
})

describe("what the HTTP parser refuses", () => {
  it.each([
    ["something that is not HTTP", "GARBAGE\r\n\r\n"],
    ["an unknown method", "FROB / HTTP/1.1\r\nHost: localhost\r\n\r\n"],
    [
      "a length that is no number",
      "POST /v1/otp/send HTTP/1.1\r\nHost: localhost\r\nContent-Length: abc\r\n\r\n"
    ],
    ["a header without a name", "GET /healthz HTTP/1.1\r\nHost: localhost\r\n: nameless\r\n\r\n"],
    [
      "two ways to give the length",
      "POST /v1/otp/send HTTP/1.1\r\nHost: localhost\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"
    ]
  ])("is 400 bad_request in the envelope: %s", async (_, bytes) => {
    refused(await raw(server, bytes), 400, "bad_request")
  })

  it("is 431 headers_too_large in the envelope for headers that are too large", async () => {
    const bytes = `GET /healthz HTTP/1.1\r\nHost: localhost\r\nX-Large: ${"x".repeat(60_000)}\r\n\r\n`
    refused(await raw(server, bytes), 431, "headers_too_large")
  })

  it.each([
    ["no Host", "GET /healthz HTTP/1.1\r\nConnection: close\r\n\r\n"],
    [
      "an expectation nobody meets",
      "GET /healthz HTTP/1.1\r\nHost: localhost\r\nExpect: magic\r\nConnection: close\r\n\r\n"
    ]
  ])("is in the envelope, if it is refused at all, with %s", async (_, bytes) => {
    const reply = await raw(server, bytes)
    if (reply.status >= 400) envelope(reply)
    else expect(reply.status).toBe(200)
  })

  it("does not disturb the requests after it", async () => {
    await raw(server, "GARBAGE\r\n\r\n")
    ok(await live.send({ channels: "sms" }, { "idempotency-key": newKey() }))
  })
})
