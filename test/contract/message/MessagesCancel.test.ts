import { beforeAll, describe, expect, it } from "vitest"
import { issues, messages, type MessageStatus, ok, refused, request, unknownId } from "../Client.ts"
import { newCustomer } from "../Operator.ts"
import { type SharedServer, sharedServer } from "../SharedServer.ts"

let server: SharedServer
let api: ReturnType<typeof messages>

beforeAll(async () => {
  server = sharedServer()
  api = messages(server, server.demo.live_key)
})

const cancel = (id: string, key = server.demo.live_key) =>
  request(server, "POST", `/v1/messages/${id}/cancel`, { headers: { "x-api-key": key } })

describe("POST /v1/messages/{message_id}/cancel", () => {
  it("returns the canceled message, as its status shows it, each time", async () => {
    const { message_id } = await api.created({ delay: "1h", metadata: { order: 17 } })
    const canceled = ok<MessageStatus>(await cancel(message_id))
    expect(canceled).toMatchObject({ status: "canceled", attempts: [], metadata: { order: 17 } })
    expect(canceled.completed_at).not.toBeNull()
    expect(ok(await cancel(message_id))).toEqual(canceled)
    expect(await api.status(message_id)).toEqual(canceled)
  })

  it("is 409 message_ended for a message that was sent", async () => {
    const { message_id } = await api.delivered()
    expect(refused(await cancel(message_id), 409, "message_ended").details).toEqual({ status: "sent" })
  })

  it("is 404 for another customer's message and for none, and 422 for what is no id", async () => {
    const { message_id } = await api.created({ delay: "1h" })
    const other = await newCustomer(server)
    refused(await cancel(message_id, other.live), 404, "not_found")
    refused(await cancel(unknownId), 404, "not_found")
    expect(issues(await cancel("x"))).toEqual(["path.message_id"])
    refused(await cancel(message_id, server.demo.test_key), 403, "test_key_not_allowed")
  })
})
