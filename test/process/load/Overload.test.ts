import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { newPhone, otp, refused, request } from "../../contract/Client.ts"
import { type Customer, sentCode } from "../../contract/Operator.ts"
import { type Server, startServer } from "../../contract/Server.ts"
import { bridgeEnv, type HeldBridge, openHeldBridge } from "./HeldBridge.ts"

let bridge: HeldBridge
let server: Server
let customer: Customer
beforeAll(async () => {
  bridge = await openHeldBridge()
  // One send at a time, and next to it one check.
  server = await startServer({ env: { ...bridgeEnv, PEYK_MAX_REQUESTS_IN_FLIGHT: "2" } })
  customer = await bridge.customer(server)
})
afterAll(async () => {
  bridge?.release()
  await server?.stop()
  await bridge?.close()
})

const live = () => otp(server, customer.live)

describe("when as many sends are under way as there is room for", () => {
  let verification: { readonly id: string; readonly code: string }
  let reply: Promise<{ readonly status: number }>
  beforeAll(async () => {
    verification = await sentCode(server, server.demo.live_key, { channels: "sms" })
    bridge.hold()
    reply = live().send({ channels: "bale" })
    await bridge.called(1)
  })

  it("further ones are refused with 503, and learn when to come again", async () => {
    const answer = await live().send({ channels: "bale" })
    refused(answer, 503, "service_unavailable")
    expect(answer.headers.get("retry-after")).toBe("1")
  })

  it("a refusal has the caller's request id, and the connection stays open", async () => {
    const answer = await live().send({ channels: "bale" }, { "x-request-id": "mine-1" })
    refused(answer, 503, "service_unavailable")
    expect(answer.headers.get("x-request-id")).toBe("mine-1")
    expect(answer.headers.get("connection")).not.toBe("close")
  })

  it("messages are refused too, and management is not", async () => {
    const headers = { "x-api-key": customer.live, "content-type": "application/json" }
    const body = JSON.stringify({ to: newPhone(), message: "m", channels: ["bale"] })
    refused(await request(server, "POST", "/v1/messages/send", { headers, body }), 503, "service_unavailable")
    refused(await request(server, "GET", "/v1/manage/api-keys", {}), 401, "unauthenticated")
  })

  it("codes are still verified, and their status returned", async () => {
    const owner = otp(server, server.demo.live_key)
    expect(await owner.outcome(verification.id, verification.code)).toEqual({ verified: true, reason: "ok" })
    expect((await owner.status(verification.id)).status).toBe("verified")
  })

  it("health checks are answered", async () => {
    for (const path of ["/healthz", "/readyz"]) expect((await request(server, "GET", path)).status).toBe(200)
  })

  it("there is room again as soon as the provider has answered", async () => {
    bridge.release()
    expect((await reply).status).toBe(200)
    expect((await live().send({ channels: "bale" })).status).toBe(200)
  })
})
