import { beforeAll, describe, expect, it } from "vitest"
import { issues, messages, ok, otp, request, timestamp } from "../Client.ts"
import { managedCustomer, query } from "../ManagedCustomer.ts"
import { sentCode } from "../Operator.ts"
import { type SharedServer, sharedServerWithDemo } from "../SharedServer.ts"

type Managed = Awaited<ReturnType<typeof managedCustomer>>

let server: SharedServer
let customer: Managed["customer"]
let token: string
let others: string
let get: Managed["get"]
let list: Managed["list"]
beforeAll(async () => {
  server = await sharedServerWithDemo()
  ;({ customer, token, others, get, list } = await managedCustomer(server))
})

describe("usage", () => {
  it("shows what was accepted, sent, verified and paid, by day and channel", async () => {
    const { live_key: key } = server.demo
    const { id, code } = await sentCode(server, key, { channels: "bale" })
    ok(await otp(server, key).verify(id, code))
    await messages(server, key).delivered({ channels: "bale" })

    const usage = ok<{ data: ReadonlyArray<{ day: string }> }>(
      await get("usage?group_by=day,channel", others)
    )
    const sends = { accepted: 1, sent: 1, failed: 0, errors: {}, delivered: 0, undelivered: 0, cost: 1000 }
    expect(usage).toEqual({
      from: expect.stringMatching(/T00:00:00.000Z$/),
      to: expect.stringMatching(timestamp),
      group_by: "day,channel",
      data: [
        {
          day: expect.stringMatching(/^\d{4}-\d\d-\d\d$/),
          channel: "bale",
          codes: { ...sends, verified: 1, conversion: 1, median_seconds: expect.any(Number) },
          messages: sends
        }
      ]
    })
    const byDay = ok<{ data: ReadonlyArray<object> }>(await get("usage", others))
    expect(byDay.data.map((group) => Object.keys(group))).toEqual([["day", "codes", "messages"]])
  })

  it("is of at most 92 days, forwards, in a known grouping", async () => {
    const period = (from: string, to: string) => get(`usage?${query({ from, to })}`)
    ok(await period("2026-01-01T00:00:00Z", "2026-04-03T00:00:00Z"))
    expect(issues(await period("2026-01-01T00:00:00Z", "2026-04-03T00:00:00.001Z"))).toEqual(["query.from"])
    expect(issues(await period("2026-01-02T00:00:00Z", "2026-01-01T00:00:00Z"))).toEqual(["query.from"])
    expect(issues(await get("usage?group_by=month"))).toEqual(["query.group_by"])
  })
})

describe("the wallet", () => {
  it("shows what it has, what is held for what, and every movement", async () => {
    const before = ok<{ balance: number; held: number }>(await get("wallet"))
    const { live } = customer
    const sent = await messages(server, live).delivered({ channels: "eitaa" })
    const planned = await messages(server, live).created({ channels: "eitaa", delay: "1h" })
    const [balance, held] = [before.balance - 1000, before.held + 1000]
    expect(ok(await get("wallet"))).toEqual({ balance, held, available: balance - held, currency: "IRR" })

    const holds = await list<unknown>("wallet/holds")
    expect(holds.data[0]).toEqual({
      subject: { type: "message", id: planned.message_id },
      amount: 1000,
      created_at: expect.stringMatching(timestamp)
    })
    const ledger = await list<unknown>("wallet/ledger")
    const entry = { id: expect.any(String), occurred_at: expect.stringMatching(timestamp) }
    const spent = {
      ...entry,
      kind: "capture",
      amount: -1000,
      subject: { type: "message", id: sent.message_id },
      channel: "eitaa",
      balance
    }
    expect(ledger.data[0]).toEqual(spent)
    expect(ledger.data.at(-1)).toEqual({
      ...entry,
      kind: "top_up",
      amount: 100_000,
      subject: null,
      channel: null,
      balance: 100_000
    })
    // what is left out between two entries changed the balance too
    const ofOneKind = await list<unknown>("wallet/ledger?kind=capture")
    expect(ofOneKind.data[0]).toEqual({ ...spent, balance: null })
    expect(JSON.stringify(await list("wallet/ledger", others))).not.toContain(sent.message_id)
    expect(JSON.stringify(await list("wallet/holds", others))).not.toContain(planned.message_id)
    expect(issues(await get("wallet/ledger?kind=gift"))).toEqual(["query.kind"])
  })
})

describe("the audit log", () => {
  it("says of a change who made it, from where, and in which request", async () => {
    const created = ok<{ id: number }>(
      await request(server, "POST", "/v1/manage/api-keys", {
        headers: {
          authorization: `apikey ${token}`,
          "content-type": "application/json",
          "user-agent": "shop/1",
          "x-request-id": "audited-1"
        },
        body: JSON.stringify({ name: "shop", mode: "live" })
      }),
      201
    )
    const filters = {
      actor_kind: "token",
      action: "api_key.",
      subject_type: "api_key",
      subject_id: String(created.id)
    }
    const { data } = await list<unknown>(`audit-log?${query(filters)}`)
    expect(data).toEqual([
      {
        id: expect.any(String),
        actor: { kind: "token", id: expect.any(String), name: "CI" },
        action: "api_key.create",
        subject: { type: "api_key", id: String(created.id), name: "shop" },
        details: { name: "shop", mode: "live" },
        previous: {},
        ip: expect.any(String),
        user_agent: "shop/1",
        request_id: "audited-1",
        occurred_at: expect.stringMatching(timestamp)
      }
    ])
    expect((await list("audit-log?action=template.")).data).toEqual([])
    expect((await list("audit-log", others)).data).toEqual([])
  })

  it("refuses a filter that nothing can match", async () => {
    expect(issues(await get(`audit-log?action=%00&subject_id=${"x".repeat(201)}`))).toEqual([
      "query.action",
      "query.subject_id"
    ])
    expect(issues(await get("audit-log?actor_kind=robot"))).toEqual(["query.actor_kind"])
  })
})
