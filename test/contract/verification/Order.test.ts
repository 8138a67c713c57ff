import { beforeAll, describe, it } from "vitest"
import { issues, newKey, newPhone, ok, otp, refused, request } from "../Client.ts"
import { type SharedServer, sharedServer } from "../SharedServer.ts"

let server: SharedServer
let live: ReturnType<typeof otp>
beforeAll(async () => {
  server = sharedServer()
  live = otp(server, server.demo.live_key)
})

const huge = " ".repeat(70_000)
const noKey = { "idempotency-key": undefined }

describe("the order of checks on send", () => {
  it("puts the path and the method before the credential", async () => {
    refused(await request(server, "POST", "/v1/otp/nothing/here"), 404, "not_found")
    refused(await request(server, "GET", "/v1/otp/send"), 405, "method_not_allowed")
  })

  it("puts the credential before everything in the request", async () => {
    const nobody = otp(server, "svc_live_nobody")
    const text = { "content-type": "text/plain" }
    refused(await nobody.postSend("{", noKey), 401, "unauthenticated")
    refused(await nobody.postSend(huge, noKey), 401, "unauthenticated")
    refused(await nobody.postSend("{", { ...noKey, ...text }), 401, "unauthenticated")
    refused(await nobody.post("/verify", "{", text), 401, "unauthenticated")
    refused(await nobody.read("not-a-uuid"), 401, "unauthenticated")
  })

  it("puts the kind of key before everything in the request", async () => {
    const wrong = otp(server, server.demo.test_key)
    refused(
      await wrong.postSend("{", { ...noKey, "content-type": "text/plain" }),
      403,
      "test_key_not_allowed"
    )
    refused(await wrong.post("/verify", "{"), 403, "test_key_not_allowed")
    refused(await wrong.read("not-a-uuid"), 403, "test_key_not_allowed")
  })

  it("puts the idempotency header before the content type, the size and the body", async () => {
    const text = { "content-type": "text/plain" }
    refused(await live.postSend("{", { ...noKey, ...text }), 400, "idempotency_required")
    refused(await live.postSend(huge, noKey), 400, "idempotency_required")
    refused(await live.postSend("{", noKey), 400, "idempotency_required")
    const long = { "idempotency-key": "k".repeat(256) }
    refused(await live.postSend("{", { ...long, ...text }), 400, "idempotency_key_too_long")
    refused(await live.postSend(huge, long), 400, "idempotency_key_too_long")
  })

  it("puts the content type and the size before the body", async () => {
    refused(await live.postSend("{", { "content-type": "text/plain" }), 415, "unsupported_media_type")
    refused(await live.postSend(huge), 413, "payload_too_large")
  })

  it("puts the body before the replay", async () => {
    const key = { "idempotency-key": newKey() }
    ok(await live.send({ channels: "sms" }, key))
    issues(await live.send({ channels: [] }, key))
  })

  it("puts the replay before the phone and the route", async () => {
    const key = { "idempotency-key": newKey() }
    ok(await live.send({ channels: "sms" }, key))
    refused(await live.send({ phone: "12", channels: "sms" }, key), 409, "idempotency_key_conflict")
    refused(await live.send({ channels: "fax" }, key), 409, "idempotency_key_conflict")
  })

  it("puts the body before the phone", async () => {
    issues(await live.send({ phone: "12", channel_timeout: 1 }))
  })

  it("puts the phone before the route", async () => {
    refused(await live.send({ phone: "12", channels: "fax" }), 422, "invalid_phone")
  })

  it("puts the route before the template", async () => {
    refused(await live.send({ channels: "fax", template_id: 999_999 }), 422, "invalid_channel")
  })

  it("lets a refused request use up no idempotency key", async () => {
    const key = { "idempotency-key": newKey() }
    refused(await live.send({ channels: "fax" }, key), 422, "invalid_channel")
    refused(await live.send({ phone: "12" }, key), 422, "invalid_phone")
    issues(await live.send({ channel_timeout: 1 }, key))
    ok(await live.send({ phone: newPhone(), channels: "sms" }, key))
  })
})
