import { beforeAll, describe, expect, it } from "vitest"
import {
  type Created,
  issues,
  messages,
  type MessageStatus,
  newKey,
  newPhone,
  ok,
  refused,
  request,
  unknownId
} from "../Client.ts"
import type { List } from "../ManagedCustomer.ts"
import { type Customer, customerWith, newCustomer, simulated } from "../Operator.ts"
import { type SharedServer, sharedServer } from "../SharedServer.ts"

let server: SharedServer
let customer: Customer
let test: ReturnType<typeof messages>
let live: ReturnType<typeof messages>
beforeAll(async () => {
  server = sharedServer()
  customer = await customerWith(server, { bale: {}, sms: {} })
  test = messages(server, customer.test, "/v1/sandbox/messages")
  live = messages(server, customer.live)
})

const forced = (last: number) => `+98900000000${last}`
const cancel = (id: string) =>
  request(server, "POST", `/v1/sandbox/messages/${id}/cancel`, {
    headers: { "x-api-key": customer.test }
  })
const list = async (path: string, key: string) =>
  ok<List<MessageStatus>>(await request(server, "GET", path, { headers: { "x-api-key": key } }))

describe("a message in the sandbox", () => {
  it("is a real record that is sent, and nothing arrives", async () => {
    const to = newPhone()
    const made = await test.created({ to, channels: ["bale", "sms"], metadata: { order: 7 } })
    expect(made.current_channel).toEqual({
      type: "messenger",
      provider: "bale",
      credential_id: null,
      label: "Sandbox (bale)"
    })
    expect(await test.completed(made.message_id)).toMatchObject({
      status: "sent",
      to,
      metadata: { order: 7 },
      successful_attempts: 1,
      attempts: [{ sequence: 1, status: "sent" }]
    })
    expect(await simulated(server, to)).toEqual([])
  })

  it("needs no account and no money, and costs none", async () => {
    const poor = await newCustomer(server)
    const own = messages(server, poor.test, "/v1/sandbox/messages")
    expect((await own.delivered({ channels: "sms" })).status).toBe("sent")
    expect((await own.delivered({ channels: ["bale", "sms"], strategy: "broadcast" })).status).toBe("sent")
  })

  it("is checked as a live one is", async () => {
    refused(await test.send({ channels: "fax" }), 422, "invalid_channel")
    refused(await test.send({ channels: ["bale", "bale"] }), 422, "duplicate_channel")
    refused(await test.send({ channels: [] }), 422, "channels_required")
    refused(await test.send({ message: " " }), 422, "message_required")
    refused(await test.send({ template: { id: 999_999 }, message: undefined }), 404, "template_not_found")
    refused(await test.send({ to: "12" }), 422, "invalid_phone")
    expect(issues(await test.send({ metadata: [] }))).toEqual(["body.metadata"])
  })

  it("is replayed for its idempotency key, which is another one than a live message's", async () => {
    const headers = { "idempotency-key": newKey() }
    const body = { to: newPhone(), message: "سلام", channels: "sms" }
    const first = ok<Created>(await test.post(body, headers), 201)
    const again = await test.post(body, headers)
    expect(again.headers.get("idempotency-replayed")).toBe("true")
    expect(ok<Created>(again, 201)).toEqual(first)
    expect(ok<Created>(await live.post(body, headers), 201).message_id).not.toBe(first.message_id)
    refused(await test.post({ ...body, message: "x" }, headers), 409, "idempotency_key_conflict")
  })

  it("can be canceled until it is sent", async () => {
    const { message_id } = await test.created({ delay: "1h" })
    expect(ok<MessageStatus>(await cancel(message_id)).status).toBe("canceled")
    expect(ok<MessageStatus>(await cancel(message_id)).status).toBe("canceled")
    const sent = await test.delivered()
    expect(refused(await cancel(sent.message_id), 409, "message_ended").details).toEqual({ status: "sent" })
    refused(await cancel(unknownId), 404, "not_found")
  })

  it("does not exist for a live key, nor a live message for a test key", async () => {
    const simulatedOne = await test.created({ delay: "1h" })
    const real = await live.created({ delay: "1h" })
    refused(await live.read(simulatedOne.message_id), 404, "not_found")
    refused(await test.read(real.message_id), 404, "not_found")
    refused(await cancel(real.message_id), 404, "not_found")
    const [lived, tested] = [
      await list("/v1/messages?limit=100", customer.live),
      await list("/v1/sandbox/messages?limit=100", customer.test)
    ]
    const ids = ({ data }: List<MessageStatus>) => data.map(({ message_id }) => message_id)
    expect(ids(lived)).toContain(real.message_id)
    expect(ids(lived)).not.toContain(simulatedOne.message_id)
    expect(ids(tested)).toContain(simulatedOne.message_id)
    expect(ids(tested)).not.toContain(real.message_id)
    const wrong = { headers: { "x-api-key": customer.live } }
    refused(await request(server, "GET", "/v1/sandbox/messages", wrong), 403, "live_key_not_allowed")
  })
})

describe("a phone that forces an outcome", () => {
  it("…01 fails over every channel, …02 over the first, …03 has an unknown outcome first", async () => {
    const channels = ["bale", "sms"]
    const all = await test.delivered({ to: forced(1), channels })
    expect(all).toMatchObject({ status: "failed", failed_attempts: 2 })
    const first = await test.delivered({ to: forced(2), channels })
    expect(first).toMatchObject({ status: "sent", failed_attempts: 1, successful_attempts: 1 })
    const unknown = await test.delivered({ to: forced(3), channels })
    expect(unknown).toMatchObject({ status: "sent", unknown_attempts: 1, successful_attempts: 1 })
  })

  it("…05, …06 and …07 are refused", async () => {
    refused(await test.send({ to: forced(5) }), 429, "too_many_requests_phone_hour")
    refused(await test.send({ to: forced(6) }), 402, "insufficient_balance")
    refused(await test.send({ to: forced(7) }), 503, "service_unavailable")
  })

  it("forces nothing of a live message", async () => {
    expect((await live.delivered({ to: forced(1) })).status).toBe("sent")
  })
})
