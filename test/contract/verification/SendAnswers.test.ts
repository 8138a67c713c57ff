import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { newKey, newPhone, ok, otp, type Reply, type Sent } from "../Client.ts"
import { type Customer, customerWith } from "../Operator.ts"
import { type Server, startServer, until } from "../Server.ts"

const GAP_MILLIS = 3_000

let server: Server
beforeAll(async () => {
  // A request waits for no slot that is further away than a quarter of a second.
  server = await startServer({
    env: { PEYK_ACCOUNT_GAP_MS: String(GAP_MILLIS), PEYK_SLOT_WAIT_MS: "250" }
  })
})
afterAll(() => server?.stop())

const expectReplay = (reply: Reply, first: Sent) => {
  expect(ok<Sent>(reply)).toEqual(first)
  expect(reply.headers.get("idempotency-replayed")).toBe("true")
}

const sender = (customer: Customer, channels: ReadonlyArray<string>) => {
  const api = otp(server, customer.live)
  const headers = { "idempotency-key": newKey() }
  const phone = newPhone()
  return () => api.send({ phone, channels }, headers)
}

describe("the answer of send", () => {
  it("names the channel that was called, and not one before it whose account is in a cooldown", async () => {
    const customer = await customerWith(server, { bale: { outcome: "throttled" }, eitaa: {} })
    const called = ok<Sent>(await sender(customer, ["bale"])())
    expect(called.current_attempt_channel.provider).toBe("bale")
    const again = sender(customer, ["bale", "eitaa"])
    const answer = ok<Sent>(await again())
    expect(answer.current_attempt_channel.provider).toBe("eitaa")
    const { attempts } = await otp(server, customer.live).status(answer.verification_id)
    expect(attempts.map(({ sequence, status }) => [sequence, status])).toEqual([[2, "sent"]])
    expectReplay(await again(), answer)
  })

  it("is failed when every account is in a cooldown, and the status says so on an attempt that was not made", async () => {
    const resting = { outcome: "throttled" }
    const customer = await customerWith(server, { bale: resting, eitaa: resting })
    for (const channel of ["bale", "eitaa"]) await sender(customer, [channel])()
    const again = sender(customer, ["bale", "eitaa"])
    const answer = ok<Sent>(await again())
    expect([answer.status, answer.current_attempt_channel.provider]).toEqual(["failed", "bale"])
    const status = await otp(server, customer.live).status(answer.verification_id)
    expect(status).toMatchObject({
      status: "failed",
      current_channel: { provider: "bale" },
      remaining_seconds: null
    })
    const notMade = {
      status: "failed",
      error_code: "account_unavailable",
      dispatched_at: null,
      delivery: null
    }
    expect(status.attempts).toMatchObject([
      { ...notMade, sequence: 1, channel: { provider: "bale" } },
      { ...notMade, sequence: 2, channel: { provider: "eitaa" } }
    ])
    expectReplay(await again(), answer)
  })

  it("is what a replay answers, though the only attempt was made after it, and failed", async () => {
    const customer = await customerWith(server, { sms: { outcome: "rejected" } })
    await sender(customer, ["sms"])()
    const again = sender(customer, ["sms"])
    const answer = ok<Sent>(await again())
    expect(answer.status).toBe("queued")
    expectReplay(await again(), answer)
    await until("the attempt at its slot to have failed", async () => {
      const { status } = await otp(server, customer.live).status(answer.verification_id)
      return status === "failed" ? true : undefined
    })
    expectReplay(await again(), answer)
  })
})
