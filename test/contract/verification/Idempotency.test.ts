import { beforeAll, describe, expect, it } from "vitest"
import { json, newKey, newPhone, ok, otp, refused, type Reply, type Sent } from "../Client.ts"
import { codeOf, customerWith, simulated } from "../Operator.ts"
import { type SharedServer, sharedServer } from "../SharedServer.ts"

let server: SharedServer
let live: ReturnType<typeof otp>
beforeAll(async () => {
  server = sharedServer()
  live = otp(server, server.demo.live_key)
})

const withKey = (key: string | undefined) => ({ "idempotency-key": key })
const replayed = (reply: Reply) => reply.headers.get("idempotency-replayed")

describe("the Idempotency-Key of a send", () => {
  it("is required", async () => {
    refused(await live.send({ channels: "sms" }, withKey(undefined)), 400, "idempotency_required")
  })

  it("is too long with 256 characters", async () => {
    refused(await live.send({ channels: "sms" }, withKey("k".repeat(256))), 400, "idempotency_key_too_long")
  })

  it("may have 255 characters", async () => {
    const key = withKey("k".repeat(255))
    const phone = newPhone()
    const first = await live.send({ phone, channels: "sms" }, key)
    const again = await live.send({ phone, channels: "sms" }, key)
    expect(ok<Sent>(again)).toEqual(ok<Sent>(first))
  })

  it("makes a repetition answer the same body with Idempotency-Replayed, and send no second code", async () => {
    const key = withKey(newKey())
    const phone = newPhone()
    const first = await live.send({ phone, channels: "sms" }, key)
    const again = await live.send({ phone, channels: "sms" }, key)
    expect(replayed(first)).toBeNull()
    expect(replayed(again)).toBe("true")
    expect(ok<Sent>(again)).toEqual(ok<Sent>(first))
    expect(await simulated(server, phone)).toHaveLength(1)
  })

  it("makes a repetition answer what was answered, also after the verification moved on", async () => {
    const key = withKey(newKey())
    const phone = newPhone()
    const first = ok<Sent>(await live.send({ phone, channels: "sms" }, key))
    await live.outcome(first.verification_id, await codeOf(server, phone))
    expect((await live.status(first.verification_id)).status).toBe("verified")
    expect(ok<Sent>(await live.send({ phone, channels: "sms" }, key))).toEqual(first)
  })

  it("makes a repetition answer a send that failed, without another attempt", async () => {
    const customer = await customerWith(server, { bale: { outcome: "rejected" } })
    const api = otp(server, customer.live)
    const key = withKey(newKey())
    const phone = newPhone()
    const first = ok<Sent>(await api.send({ phone, channels: "bale" }, key))
    expect(first.status).toBe("failed")
    const again = await api.send({ phone, channels: "bale" }, key)
    expect(ok<Sent>(again)).toEqual(first)
    expect(replayed(again)).toBe("true")
    expect((await api.status(first.verification_id)).attempts).toHaveLength(1)
  })

  it("does not care about white space and the order of keys", async () => {
    const key = withKey(newKey())
    const phone = newPhone()
    const first = await live.postSend(`{"phone":"${phone}","channels":[{"channel":"sms","wait":45}]}`, key)
    const again = await live.postSend(
      `{ "channels": [ { "wait": 45, "channel": "sms" } ],\n\t"phone": "${phone}" }`,
      key
    )
    expect(ok<Sent>(again)).toEqual(ok<Sent>(first))
    expect(replayed(again)).toBe("true")
  })

  it.each([
    ["another phone", () => ({ phone: newPhone(), channels: ["sms", "bale"] })],
    ["other channels", (phone: string) => ({ phone, channels: ["sms", "eitaa"] })],
    ["another order of channels", (phone: string) => ({ phone, channels: ["bale", "sms"] })],
    ["one more field", (phone: string) => ({ phone, channels: ["sms", "bale"], channel_timeout: 60 })]
  ])("conflicts when it comes again with %s", async (_, other) => {
    const key = withKey(newKey())
    const phone = newPhone()
    const first = ok<Sent>(await live.send({ phone, channels: ["sms", "bale"] }, key))
    refused(await live.send(other(phone), key), 409, "idempotency_key_conflict")
    expect(ok<Sent>(await live.send({ phone, channels: ["sms", "bale"] }, key))).toEqual(first)
  })

  it("means nothing to another customer", async () => {
    const other = await customerWith(server, { sms: {} })
    const key = withKey(newKey())
    const body = { phone: newPhone(), channels: "sms" }
    const mine = ok<Sent>(await live.send(body, key))
    const reply = await otp(server, other.live).send(body, key)
    expect(replayed(reply)).toBeNull()
    expect(ok<Sent>(reply).verification_id).not.toBe(mine.verification_id)
  })

  it("makes the same body a new send when it is another key", async () => {
    const phone = newPhone()
    const first = await live.sent({ phone, channels: "sms" })
    const second = await live.sent({ phone, channels: "sms" })
    expect(second.verification_id).not.toBe(first.verification_id)
    expect(await simulated(server, phone)).toHaveLength(2)
  })

  it("is in progress while the first request still calls the provider, and replays afterwards", async () => {
    const slow = await customerWith(server, { bale: { latency_ms: 2_000 } })
    const api = otp(server, slow.live)
    const key = withKey(newKey())
    const phone = newPhone()
    const body = { phone, channels: "bale" }
    const both = await Promise.all([api.send(body, key), api.send(body, key)])
    const [accepted, early] = both.toSorted((a, b) => a.status - b.status)
    if (accepted === undefined || early === undefined) throw new Error("two requests, two answers")
    const sent = ok<Sent>(accepted)
    refused(early, 409, "idempotency_key_in_progress")
    const again = await api.send(body, key)
    expect(ok<Sent>(again)).toEqual(sent)
    expect(replayed(again)).toBe("true")
    expect(await simulated(server, phone)).toHaveLength(1)
  })

  it("makes 50 parallel identical sends one verification and one code", async () => {
    const key = withKey(newKey())
    const phone = newPhone()
    const body = { phone, channels: "eitaa" }
    const replies = await Promise.all(Array.from({ length: 50 }, () => live.send(body, key)))
    const answered = replies.filter((reply) => reply.status === 200)
    for (const reply of replies) {
      if (reply.status !== 200) refused(reply, 409, "idempotency_key_in_progress")
    }
    expect(answered.filter((reply) => replayed(reply) === null)).toHaveLength(1)
    expect(new Set(answered.map((reply) => json<Sent>(reply).verification_id)).size).toBe(1)
    expect(await simulated(server, phone)).toHaveLength(1)
  })
})
