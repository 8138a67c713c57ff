// @effect-diagnostics globalDate:off
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

interface Entry {
  readonly kind: string
  readonly amount: number
  readonly channel: string | null
  readonly occurred_at: string
}

const inTehran = (at: string, calendar: string, fields: Intl.DateTimeFormatOptions): string => {
  const options = { timeZone: "Asia/Tehran", ...fields } as const
  const parts = new Intl.DateTimeFormat(`en-u-ca-${calendar}-nu-latn`, options).formatToParts(new Date(at))
  const part = (type: string) => parts.find((each) => each.type === type)?.value
  return ["year", "month", "day"].flatMap((type) => part(type) ?? []).join("-")
}

const MONTH = { year: "numeric", month: "2-digit" } as const
const DAY = { ...MONTH, day: "2-digit" } as const

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

  it("has the days of Tehran, which begin at 20:30 UTC", async () => {
    const read = async (from: string, to: string) =>
      ok<{ from: string; to: string; data: ReadonlyArray<{ day: string }> }>(
        await get(`usage?${query({ from, to, timezone: "Asia/Tehran" })}`, others)
      )
    const { data: entries } = await list<Entry>("wallet/ledger?limit=100&kind=capture", others)
    // Two of them, if midnight is between the sends of this file.
    const days = [...new Set(entries.map(({ occurred_at: at }) => inTehran(at, "gregory", DAY)))].toSorted()
    const begin = new Date(`${days[0]}T00:00:00+03:30`).toISOString()
    const usage = await read(begin, new Date().toISOString())
    expect(usage).toMatchObject({ from: begin, data: days.map((day) => ({ day })) })
    const before = new Date(Date.parse(begin) - 1).toISOString()
    expect((await read(new Date(Date.parse(begin) - 86_400_000).toISOString(), before)).data).toEqual([])
    expect(issues(await get("usage?timezone=Tehran"))).toEqual(["query.timezone"])
  })

  it("is of at most 92 days, forwards, in a known grouping", async () => {
    const period = (from: string, to: string) => get(`usage?${query({ from, to })}`)
    ok(await period("2026-01-01T00:00:00Z", "2026-04-03T00:00:00Z"))
    expect(issues(await period("2026-01-01T00:00:00Z", "2026-04-03T00:00:00.001Z"))).toEqual(["query.from"])
    expect(issues(await period("2026-01-02T00:00:00Z", "2026-01-01T00:00:00Z"))).toEqual(["query.from"])
    expect(issues(await get("usage?group_by=month"))).toEqual(["query.group_by"])
  })
})

describe("the statement of a month", () => {
  it("is the ledger's sums, by channel, in UTC or Tehran, in either calendar", async () => {
    const { live_key: key } = server.demo
    await messages(server, key).delivered({ channels: "eitaa" })
    const { data } = await list<Entry>("wallet/ledger?limit=100", others)
    const sumOf = (entries: ReadonlyArray<Entry>, kind: string, channel?: string) =>
      entries
        .filter((entry) => entry.kind === kind && (channel === undefined || entry.channel === channel))
        .reduce((sum, { amount }) => sum + amount, 0)
    const months: ReadonlyArray<readonly [(at: string) => string, string]> = [
      [(at) => at.slice(0, 7), ""],
      [(at) => inTehran(at, "gregory", MONTH), "?timezone=Asia/Tehran"],
      [(at) => inTehran(at, "persian", MONTH), "?timezone=Asia/Tehran&calendar=jalali"]
    ]
    const captured = new Set(data.flatMap(({ channel }) => (channel === null ? [] : [channel])))
    for (const [monthOf, parameters] of months) {
      // That of the last entry: another month may have begun since, or since the first.
      const month = data.map(({ occurred_at: at }) => monthOf(at)).reduce((a, b) => (a > b ? a : b))
      const own = data.filter(({ occurred_at: at }) => monthOf(at) === month)
      const opening =
        data.reduce((sum, { amount }) => sum + amount, 0) - own.reduce((sum, { amount }) => sum + amount, 0)
      const channels = new Set(own.flatMap(({ channel }) => (channel === null ? [] : [channel])))
      expect(ok(await get(`statements/${month}${parameters}`, others)), parameters).toEqual({
        month,
        opening,
        top_ups: sumOf(own, "top_up"),
        captures: Object.fromEntries(
          [...channels].map((channel) => [channel, -sumOf(own, "capture", channel)])
        ),
        closing: opening + sumOf(own, "top_up") + sumOf(own, "capture"),
        currency: "IRR"
      })
    }
    expect(captured).toContain("eitaa")
    expect(ok(await get("statements/2026-01", others))).toMatchObject({ captures: {}, closing: 0 })
  })

  it.each([
    ["2026-13", ["path.month"]],
    ["2026-1", ["path.month"]],
    ["1405-09", ["path.month"]],
    ["2026-11?calendar=jalali", ["path.month"]],
    ["1405-13?calendar=jalali", ["path.month"]],
    ["2026-11?timezone=Asia/Tabriz", ["query.timezone"]],
    ["2026-11?calendar=persian", ["query.calendar"]]
  ])("is refused for %s", async (path, paths) => {
    expect(issues(await get(`statements/${path}`))).toEqual(paths)
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
