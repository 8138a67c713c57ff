import { describe, expect, it } from "vitest"
import { caught, refusal, sent, startFarEnd } from "./FarEnd.ts"

describe("a repeat", () => {
  it("carries the same idempotency key after a lost response", async () => {
    const { received, client } = await startFarEnd("hang up", { body: sent })
    expect(await client.otp.send({ phone: "09121234567" })).toEqual(sent)
    const keys = received.map(({ headers }) => headers["idempotency-key"])
    expect(keys).toHaveLength(2)
    expect(new Set(keys).size).toBe(1)
  })

  it("comes for a send in the sandbox as for a live one", async () => {
    const { received, client } = await startFarEnd("hang up", { body: sent })
    expect(await client.sandbox.send({ phone: "09121234567" })).toEqual(sent)
    expect(new Set(received.map(({ headers }) => headers["idempotency-key"])).size).toBe(1)
    expect(received).toHaveLength(2)
  })

  it("comes after a 503, and after a key that is still in progress", async () => {
    const { received, client } = await startFarEnd(
      refusal(503, "service_unavailable", { "retry-after": "0" }),
      refusal(409, "idempotency_key_in_progress", { "retry-after": "0" }),
      { body: sent }
    )
    await client.otp.send({ phone: "09121234567" })
    expect(received).toHaveLength(3)
  })

  it("never comes for a verify, as each try counts", async () => {
    const { received, client } = await startFarEnd("hang up")
    const error = await caught(client.otp.verify({ verification_id: "v", code: "123456" }))
    expect(error.code).toBe("connection_failed")
    expect(received).toHaveLength(1)
  })

  it("comes for a next that names the attempt it looked at, and for no other", async () => {
    const { received, client } = await startFarEnd("hang up", { body: {} })
    await client.otp.next("v", { from_sequence: 1 })
    expect(received).toHaveLength(2)
    const other = await startFarEnd("hang up", { body: {} })
    await caught(other.client.otp.next("v"))
    expect(other.received).toHaveLength(1)
  })

  it("comes for a replacement, which leads to the same state", async () => {
    const { received, client } = await startFarEnd("hang up", { body: { steps: [] } })
    await client.manage.routing.save({ steps: [] })
    expect(received).toHaveLength(2)
  })

  it("never comes for a change with If-Match, whose repeat would be refused", async () => {
    const { received, client } = await startFarEnd("hang up", refusal(412, "precondition_failed"))
    const error = await caught(client.manage.routing.save({ steps: [], ifMatch: '"3"' }))
    expect(error.code).toBe("connection_failed")
    expect(received).toHaveLength(1)
  })

  it("never comes for a removal, whose repeat would find nothing", async () => {
    const { received, client } = await startFarEnd("hang up", refusal(404, "not_found"))
    const error = await caught(client.manage.templates.remove({ id: 7 }))
    expect(error.code).toBe("connection_failed")
    expect(received).toHaveLength(1)
  })

  it("comes as often as it was asked for, and no more", async () => {
    const { received, client } = await startFarEnd("hang up")
    await caught(client.otp.status("v", { retries: 1 }))
    expect(received).toHaveLength(2)
  })
})
