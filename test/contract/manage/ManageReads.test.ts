import { beforeAll, describe, expect, it } from "vitest"
import { insertToken } from "../../support/InsertedTokens.ts"
import { issues, messages, newPhone, ok, otp, refused, request, timestamp, unknownId } from "../Client.ts"
import { type Identified, type List, managedCustomer, query } from "../ManagedCustomer.ts"
import { sentCode } from "../Operator.ts"
import { type SharedServer, sharedServer } from "../SharedServer.ts"

type Managed = Awaited<ReturnType<typeof managedCustomer>>

let server: SharedServer
let customer: Managed["customer"]
let token: string
let others: string
let get: Managed["get"]
let list: Managed["list"]
beforeAll(async () => {
  server = sharedServer()
  ;({ customer, token, others, get, list } = await managedCustomer(server))
})

const paths = ["verifications", "messages", "usage", "wallet", "wallet/holds", "wallet/ledger", "audit-log"]
const lists = ["verifications", "messages", "wallet/holds", "wallet/ledger", "audit-log"]
const searches = ["verifications", "messages", "wallet/ledger", "audit-log", "usage"]

describe("every read", () => {
  it.each(paths)("of %s needs a credential that may manage", async (path) => {
    refused(await request(server, "GET", `/v1/manage/${path}`), 401, "unauthenticated")
    refused(await get(path, `svc_pat_${"x".repeat(43)}`), 401, "unauthenticated")
    const serviceKey = { headers: { "x-api-key": customer.live } }
    refused(await request(server, "GET", `/v1/manage/${path}`, serviceKey), 403, "scope_insufficient")
  })

  it.each(paths)("of %s is open to a token that may only read, and to HEAD", async (path) => {
    const reader = await insertToken(server.dataDir, customer.id, "read_only")
    ok(await get(path, reader))
    const head = await get(path, reader, "HEAD")
    expect([head.status, head.text]).toEqual([200, ""])
  })

  it.each(paths)("of %s is all there is: nothing is written there", async (path) => {
    refused(await get(path, token, "DELETE"), 405, "method_not_allowed")
  })

  it.each(lists)("of %s refuses a cursor that is none", async (path) => {
    for (const cursor of ["x", "%00", "MV8y", "9".repeat(400)]) {
      expect(issues(await get(`${path}?cursor=${cursor}`))).toEqual(["query.cursor"])
    }
  })

  it.each(lists)("of %s takes a limit from 1 to 100", async (path) => {
    for (const limit of ["0", "101", "1.5", "x"]) {
      expect(new Set(issues(await get(`${path}?limit=${limit}`)))).toEqual(new Set(["query.limit"]))
    }
  })

  it.each(searches)("of %s refuses a time that is none", async (path) => {
    for (const from of [
      "yesterday",
      "2026-02-30T00:00:00Z",
      "2026-01-01",
      "0000-01-01T00:00:00Z",
      "9999-12-31T23:59:59-14:00"
    ]) {
      expect(issues(await get(`${path}?${query({ from })}`))).toEqual(["query.from"])
    }
  })

  it("of times names the years that it takes", async () => {
    const { text } = await get(`usage?${query({ from: "1969-12-31T23:59:59Z" })}`)
    expect(text).toContain("Expected a time between the years 1970 and 9999")
  })
})

describe("verifications", () => {
  it("are shown with the results of all their attempts, and without the code", async () => {
    const { id, phone, code } = await sentCode(server, customer.live, { channels: ["bale", "eitaa"] })
    expect(ok(await otp(server, customer.live).verify(id, code))).toEqual({ verified: true, reason: "ok" })
    const attempt = {
      dispatched_at: expect.stringMatching(timestamp),
      provider_message_id: null,
      delivery: null
    }
    const status = await otp(server, customer.live).status(id)
    const read = ok(await get(`verifications/${id}`))
    expect(read).toEqual({
      ...status,
      created_at: expect.stringMatching(timestamp),
      cost: 1000,
      phone,
      attempts: [
        {
          ...attempt,
          sequence: 1,
          channel: expect.objectContaining({ provider: "bale" }),
          status: "failed",
          transition_reason: "failed",
          error_code: "recipient_unreachable",
          provider_error: "simulated: unreachable"
        },
        {
          ...attempt,
          sequence: 2,
          channel: expect.objectContaining({ provider: "eitaa" }),
          status: "sent",
          transition_reason: null,
          error_code: null,
          provider_error: null
        }
      ]
    })
    expect((await list(`verifications?${query({ phone })}`)).data).toEqual([read])
    expect(ok(await get(`verifications/${id.toUpperCase()}`))).toEqual(read)
  })

  it("are found by their phone in any form", async () => {
    const { id, phone } = await sentCode(server, customer.live)
    const national = phone.slice(3)
    for (const form of [
      phone,
      `0${national}`,
      `0098${national}`,
      national,
      `0${national.slice(0, 3)} ${national.slice(3)}`
    ]) {
      const { data } = await list(`verifications?${query({ phone: form })}`)
      expect(data.map((each) => each.verification_id)).toEqual([id])
    }
    expect((await list(`verifications?phone=${phone}`)).data).toHaveLength(1)
    for (const phoneOfNobody of ["", "12", "02122334455"]) {
      refused(await get(`verifications?${query({ phone: phoneOfNobody })}`), 422, "invalid_phone")
    }
  })

  it("are found by status, channel and time, and refused by what is none", async () => {
    const { id } = await sentCode(server, customer.live, { channels: "eitaa" })
    const { created_at } = ok<{ created_at: string }>(await get(`verifications/${id}`))
    const found = async (fields: Readonly<Record<string, string>>) =>
      (await list(`verifications?${query(fields)}`)).data.some((each) => each.verification_id === id)
    expect(await found({ status: "queued", channel: "eitaa", from: created_at })).toBe(true)
    expect(await found({ status: "verified" })).toBe(false)
    expect(await found({ channel: "bale" })).toBe(false)
    expect(await found({ to: created_at })).toBe(false)
    expect(issues(await get("verifications?status=sent&channel=fax"))).toEqual([
      "query.channel",
      "query.status"
    ])
  })

  it("come in parts that make up the whole list", async () => {
    for (let n = 0; n < 5; n++) await otp(server, customer.live).sent({ channels: "sms" })
    const whole = (await list("verifications?limit=100")).data
    const parts: Array<Identified> = []
    let cursor: string | null = ""
    while (cursor !== null) {
      const path: string = cursor === "" ? "verifications?limit=2" : `verifications?limit=2&cursor=${cursor}`
      const part: List<Identified> = await list(path)
      expect(part.data.length).toBeLessThanOrEqual(2)
      parts.push(...part.data)
      cursor = part.next_cursor
    }
    expect(parts).toEqual(whole)
  })

  it("of another customer, of nobody and of the sandbox do not exist", async () => {
    const { id } = await sentCode(server, customer.live)
    refused(await get(`verifications/${id}`, others), 404, "not_found")
    expect(JSON.stringify(await list("verifications", others))).not.toContain(id)
    const simulated = ok<Identified>(
      await request(server, "POST", "/v1/sandbox/otp/send", {
        headers: { "x-api-key": customer.test, "content-type": "application/json" },
        body: JSON.stringify({ phone: newPhone() })
      })
    )
    for (const nothing of [unknownId, "x", "0", "%00", simulated.verification_id]) {
      refused(await get(`verifications/${nothing}`), 404, "not_found")
    }
  })
})

describe("messages", () => {
  it("are shown with their text, their cost, and their metadata to the letter", async () => {
    const to = newPhone()
    const metadata = '{"big":12345678901234567890,"exact":1.10,"z":"‌"}'
    const body = `{"to":"${to}","message":"سلام","channels":"eitaa","metadata":${metadata}}`
    const { message_id: id } = ok<Identified>(await messages(server, customer.live).post(body), 201)
    await messages(server, customer.live).completed(id)
    const reply = await get(`messages/${id}`)
    const status = await messages(server, customer.live).status(id)
    expect(ok(reply)).toEqual({
      ...status,
      attempts: status.attempts.map((attempt) => ({ ...attempt, provider_message_id: null, delivery: null })),
      text: "سلام",
      cost: 1000
    })
    expect(reply.text).toContain(`"metadata":${metadata}`)
    const found = await get(`messages?${query({ phone: to })}`)
    expect(ok<List<unknown>>(found).data).toEqual([ok(reply)])
    expect(found.text).toContain(`"metadata":${metadata}`)
  })

  it("are found by status, strategy and channel", async () => {
    const { message_id: id } = await messages(server, customer.live).delivered({
      channels: ["bale", "sms"],
      strategy: "broadcast"
    })
    const found = async (fields: Readonly<Record<string, string>>) =>
      (await list(`messages?${query(fields)}`)).data.some((each) => each.message_id === id)
    expect(await found({ status: "partial_failed", strategy: "broadcast", channel: "bale" })).toBe(true)
    expect(await found({ status: "sent" })).toBe(false)
    expect(await found({ strategy: "failover" })).toBe(false)
    expect(await found({ channel: "eitaa" })).toBe(false)
    expect(issues(await get("messages?status=queue&strategy=x"))).toEqual(["query.status", "query.strategy"])
    refused(await get(`messages?${query({ phone: "abc" })}`), 422, "invalid_phone")
  })

  it("of another customer and of nobody do not exist", async () => {
    const { message_id: id } = await messages(server, customer.live).created()
    refused(await get(`messages/${id}`, others), 404, "not_found")
    expect(JSON.stringify(await list("messages", others))).not.toContain(id)
    for (const nothing of [unknownId, "x"]) refused(await get(`messages/${nothing}`), 404, "not_found")
  })
})
