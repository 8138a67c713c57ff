import { beforeAll, describe, it } from "vitest"
import { type Created, issues, messages, newKey, ok, refused, request } from "../Client.ts"
import { type SharedServer, sharedServer } from "../SharedServer.ts"

let server: SharedServer
let live: ReturnType<typeof messages>
beforeAll(async () => {
  server = sharedServer()
  live = messages(server, server.demo.live_key)
})

const huge = " ".repeat(70_000)
const text = { "content-type": "text/plain" }
const long = { "idempotency-key": "k".repeat(256) }
const long1001 = "x".repeat(1_001)
const noTemplate = { id: 999_999, parameters: {} }

describe("the order of checks on a message", () => {
  it("puts the path and the method before the credential", async () => {
    refused(await request(server, "POST", "/v1/message"), 404, "not_found")
    refused(await request(server, "GET", "/v1/messages/send"), 405, "method_not_allowed")
  })

  it("puts the credential before everything in the request", async () => {
    const nobody = messages(server, "svc_live_nobody")
    refused(await nobody.post("{", { ...long, ...text }), 401, "unauthenticated")
    refused(await nobody.post(huge), 401, "unauthenticated")
    refused(await nobody.read("not-a-uuid"), 401, "unauthenticated")
  })

  it("puts the kind of key before everything in the request", async () => {
    const wrong = messages(server, server.demo.test_key)
    refused(await wrong.post("{", { ...long, ...text }), 403, "test_key_not_allowed")
    refused(await wrong.post(huge), 403, "test_key_not_allowed")
    refused(await wrong.read("not-a-uuid"), 403, "test_key_not_allowed")
  })

  it("puts the idempotency header before the content type, the size and the body", async () => {
    refused(await live.post("{", { ...long, ...text }), 400, "idempotency_key_too_long")
    refused(await live.post(huge, long), 400, "idempotency_key_too_long")
    refused(await live.post("{", long), 400, "idempotency_key_too_long")
  })

  it("puts the content type and the size before the body", async () => {
    refused(await live.post("{", text), 415, "unsupported_media_type")
    refused(await live.post(huge), 413, "payload_too_large")
  })

  it("puts the body before the replay", async () => {
    const key = { "idempotency-key": newKey() }
    ok<Created>(await live.send({ delay: "20d" }, key), 201)
    issues(await live.send({ to: 7 }, key))
    issues(await live.send({ template: noTemplate }, key))
  })

  it("puts the replay before the phone, the message rules, the route and the template", async () => {
    const key = { "idempotency-key": newKey() }
    ok<Created>(await live.send({ delay: "20d" }, key), 201)
    refused(await live.send({ to: "12" }, key), 409, "idempotency_key_conflict")
    refused(await live.send({ message: " " }, key), 409, "idempotency_key_conflict")
    refused(await live.send({ delay: "0s" }, key), 409, "idempotency_key_conflict")
    refused(await live.send({ channels: "fax" }, key), 409, "idempotency_key_conflict")
    const template = { message: undefined, template: noTemplate }
    refused(await live.send(template, key), 409, "idempotency_key_conflict")
  })

  it("puts the body before the phone", async () => {
    issues(await live.send({ to: "12", template: noTemplate }))
    issues(await live.send({ to: "12", send_at: "2026-02-30T10:00:00" }))
    issues(await live.send({ to: "12", metadata: [] }))
  })

  it.each<[string, object]>([
    ["no message", { message: undefined }],
    ["a message that is too long", { message: long1001 }],
    ["an unknown strategy", { strategy: "all" }],
    ["a wrong delay", { delay: "0s" }],
    ["a time in the past", { send_at: "2020-01-01T00:00:00Z" }],
    ["no channels", { channels: undefined }],
    ["an unknown channel", { channels: "fax" }],
    ["an unknown template", { message: undefined, template: noTemplate }]
  ])("puts the phone before %s", async (_, other) => {
    refused(await live.send({ to: "12", ...other }), 422, "invalid_phone")
  })

  it.each<[string, object]>([
    ["message_required", { message: " " }],
    ["message_required", { message: undefined }],
    ["message_too_long", { message: long1001 }],
    ["invalid_strategy", { strategy: "all" }],
    ["invalid_delay", { delay: "0s" }],
    ["schedule_too_far", { delay: "31d" }],
    ["schedule_must_be_future", { send_at: "2020-01-01T00:00:00Z" }]
  ])("puts the message rule %s before the route", async (code, broken) => {
    refused(await live.send({ channels: "fax", ...broken }), 422, code)
    const channels = [{ channel: "sms", account_id: 999_999 }]
    refused(await live.send({ channels, ...broken }), 422, code)
  })

  it.each<[number, string, unknown]>([
    [422, "channels_required", []],
    [422, "invalid_channel", "fax"],
    [422, "duplicate_channel", ["sms", "sms"]],
    [404, "channel_account_not_found", [{ channel: "sms", account_id: 999_999 }]]
  ])("puts the route (%i %s) before the template", async (status, code, channels) => {
    refused(await live.send({ message: undefined, template: noTemplate, channels }), status, code)
  })
})
