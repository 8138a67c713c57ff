import { beforeAll, describe, expect, it } from "vitest"
import {
  type Created,
  issues,
  type MessageStatus,
  messages,
  newPhone,
  ok,
  otp,
  refused,
  request,
  timestamp,
  unknownId,
  uuidV7
} from "../Client.ts"
import { type Customer, customerWith, textOf } from "../Operator.ts"
import { type SharedServer, sharedServer } from "../SharedServer.ts"

let server: SharedServer
let live: ReturnType<typeof messages>
/** Has an account of bale that takes its time. */
let other: Customer
beforeAll(async () => {
  server = sharedServer()
  live = messages(server, server.demo.live_key)
  other = await customerWith(server, { sms: {}, bale: { latency_ms: 120_000 } })
})

/** Keeps a message from being sent: for tests of its creation only. */
const later = { delay: "20d" }

const simulatedSms = {
  type: "sms",
  provider: "simulator",
  credential_id: expect.any(Number),
  label: expect.any(String)
}

describe("the answer of a creation", () => {
  it("is 201 with exactly the six fields of the contract", async () => {
    const reply = await live.send()
    expect(ok<Created>(reply, 201)).toEqual({
      message_id: expect.stringMatching(uuidV7),
      status: "queued",
      strategy: "failover",
      scheduled_for: null,
      template: null,
      current_channel: simulatedSms
    })
    expect(reply.headers.get("idempotency-replayed")).toBeNull()
  })

  it("has the strategy that was asked for", async () => {
    expect((await live.created({ ...later, strategy: "broadcast" })).strategy).toBe("broadcast")
    expect((await live.created({ ...later, strategy: "failover" })).strategy).toBe("failover")
  })

  it("has the planned time of a scheduled message", async () => {
    expect((await live.created(later)).scheduled_for).toMatch(timestamp)
  })

  it("does not wait for the provider", async () => {
    const api = messages(server, other.live)
    const { message_id, status } = await api.created({ channels: "bale" })
    expect(status).toBe("queued")
    expect((await api.status(message_id)).completed_at).toBeNull()
  })

  it("is the same for null as for an absent optional field", async () => {
    const nothing = { template: null, strategy: null, metadata: null, send_at: null, delay: null }
    const reply = await live.send({ ...nothing, channels: [{ channel: "sms", account_id: null }] })
    expect(ok<Created>(reply, 201)).toMatchObject({
      strategy: "failover",
      scheduled_for: null,
      template: null
    })
  })

  it("does not care about unknown fields", async () => {
    ok(await live.send({ ...later, extra: { message: 7 } }), 201)
  })
})

describe("the status of a message", () => {
  it("has exactly the fields of the contract once it is sent", async () => {
    const phone = newPhone()
    const { message_id } = await live.created({ to: phone })
    expect(await live.completed(message_id)).toEqual({
      message_id,
      status: "sent",
      to: phone,
      strategy: "failover",
      scheduled_for: null,
      template: null,
      metadata: {},
      successful_attempts: 1,
      failed_attempts: 0,
      unknown_attempts: 0,
      created_at: expect.stringMatching(timestamp),
      completed_at: expect.stringMatching(timestamp),
      attempts: [
        {
          sequence: 1,
          channel: simulatedSms,
          status: "sent",
          error_code: null,
          error_message: null,
          provider_error: null,
          due_at: expect.stringMatching(timestamp),
          attempted_at: expect.stringMatching(timestamp),
          finished_at: expect.stringMatching(timestamp)
        }
      ]
    })
  })

  it("has exactly the fields of the contract while it waits for its time", async () => {
    const phone = newPhone()
    const { message_id, scheduled_for } = await live.created({ ...later, to: phone, strategy: "broadcast" })
    expect(await live.status(message_id)).toEqual({
      message_id,
      status: "queued",
      to: phone,
      strategy: "broadcast",
      scheduled_for,
      template: null,
      metadata: {},
      successful_attempts: 0,
      failed_attempts: 0,
      unknown_attempts: 0,
      created_at: expect.stringMatching(timestamp),
      completed_at: null,
      attempts: []
    })
  })

  it.each([
    ["local", (ten: string) => `0${ten}`],
    ["with 00", (ten: string) => `0098${ten}`],
    ["bare", (ten: string) => ten],
    [
      "with Persian digits and a space",
      (ten: string) => `۰${ten.replaceAll(/\d/g, (digit) => "۰۱۲۳۴۵۶۷۸۹".charAt(Number(digit)))}`
    ],
    ["with separators", (ten: string) => `+98 (${ten.slice(0, 3)}) ${ten.slice(3, 6)}-${ten.slice(6)}`]
  ])("has the phone in E.164 that was written %s", async (_, write) => {
    const phone = newPhone()
    const { message_id } = await live.created({ ...later, to: write(phone.slice("+98".length)) })
    expect((await live.status(message_id)).to).toBe(phone)
  })

  it("is 404 not_found for an unknown id", async () => {
    refused(await live.read(unknownId), 404, "not_found")
  })

  it("is 404 not_found for another customer's message, as for an unknown one", async () => {
    const { message_id } = await live.created(later)
    const strangers = refused(await messages(server, other.live).read(message_id), 404, "not_found")
    expect(strangers).toEqual(refused(await messages(server, other.live).read(unknownId), 404, "not_found"))
  })

  it("is 404 not_found for the id of a verification, and the reverse", async () => {
    const verification = await otp(server, server.demo.live_key).sent({ channels: "eitaa" })
    refused(await live.read(verification.verification_id), 404, "not_found")
    const { message_id } = await live.created(later)
    refused(await otp(server, server.demo.live_key).read(message_id), 404, "not_found")
  })

  it.each(["not-a-uuid", "123", `${unknownId}0`])("is a validation_error for the id %s", async (id) => {
    expect(issues(await live.read(id))).toHaveLength(1)
  })
})

describe("the text on the phone", () => {
  it.each([
    ["bale", "Persian with zero-width non-joiners", "می‌خواهم «نامه‌ای» بنویسم؛ قیمت: ۱۲٬۰۰۰ تومان"],
    ["eitaa", "Arabic letters that look like Persian ones", "علي يكي كتاب ی ک"],
    ["soroushplus", "emoji of several code points", "👨‍👩‍👧‍👦 🇮🇷 👍🏽 ❤️"],
    ["rubika", "lines, tabs and marks of direction", "سطر ۱\n\n\tسطر ۲\r\n\u200F(abc)\u200E"],
    ["telegram", "what looks like markup", `<b>&amp; "x" 'y' \\n {{name}} %s $& \u0301é`]
  ])("over %s is exactly what was sent: %s", async (channel, _, message) => {
    const phone = newPhone()
    await live.delivered({ to: phone, message, channels: channel })
    expect(await textOf(server, phone)).toBe(message)
  })

  it("is trimmed at both ends, and only there", async () => {
    const phone = newPhone()
    await live.delivered({ to: phone, message: " \n\t دو  فاصله \r\n " })
    expect(await textOf(server, phone)).toBe("دو  فاصله")
  })
})

describe("the credential of messaging", () => {
  const both = (key: string | undefined) =>
    Promise.all([
      request(server, "POST", "/v1/messages/send", {
        headers: { "x-api-key": key, "content-type": "application/json" },
        body: JSON.stringify({ to: newPhone(), message: "سلام", channels: "sms" })
      }),
      request(server, "GET", `/v1/messages/${unknownId}`, { headers: { "x-api-key": key } })
    ])

  it.each([
    ["missing", undefined],
    ["empty", ""],
    ["unknown", "svc_live_nobody"],
    ["of no kind", "secret"]
  ])("is refused with 401 when it is %s", async (_, key) => {
    for (const reply of await both(key)) refused(reply, 401, "unauthenticated")
  })

  it("is refused with 403 when it is a test key", async () => {
    for (const reply of await both(server.demo.test_key)) refused(reply, 403, "test_key_not_allowed")
  })

  it("may be the live key of any customer, for its own messages", async () => {
    const api = messages(server, other.live)
    const { message_id } = await api.created(later)
    expect(ok<MessageStatus>(await api.read(message_id)).status).toBe("queued")
  })
})

describe("405 method_not_allowed", () => {
  it.each([
    ["GET", "/v1/messages/send", "POST"],
    ["DELETE", "/v1/messages/send", "POST"],
    ["POST", `/v1/messages/${unknownId}`, "GET"],
    ["DELETE", `/v1/messages/${unknownId}`, "GET"]
  ])("is the answer to %s %s, with Allow: %s, even without a key", async (method, path, allowed) => {
    const reply = await request(server, method, path)
    refused(reply, 405, "method_not_allowed")
    const allow = (reply.headers.get("allow") ?? "").split(",").map((name) => name.trim())
    expect(allow).toContain(allowed)
    expect(allow).not.toContain(method)
  })
})
