import { beforeAll, describe, expect, it } from "vitest"
import { issues, newPhone, ok, otp, refused, request, timestamp, unknownId } from "../Client.ts"
import type { List } from "../ManagedCustomer.ts"
import { done, etagOf, ifMatch, type Manager, newManager, readerOf, withKey } from "../ManagedSetUp.ts"
import { until } from "../Server.ts"
import { type SharedServer, sharedServer } from "../SharedServer.ts"

interface Alarm {
  readonly alarm_id: string
  readonly segment: { readonly kind: string; readonly key: string }
  readonly reason: string
  readonly enforced: boolean
  readonly cleared_at: string | null
}
interface Guard {
  readonly mode: string
  readonly version: number
  readonly alarms: ReadonlyArray<Alarm>
  readonly last_30_days: Readonly<Record<string, number | null>>
}

const DEFAULTS = { mode: "record", unverified_hour: null, sms_price: null }
/** The least budget of unverified codes from one network. */
const BUDGET = 26
const ATTACKER = "203.0.113.9"

let server: SharedServer
let mine: Manager
beforeAll(async () => {
  server = sharedServer()
  mine = await newManager(server)
})

/** Phones in a row share all but the last four digits; these do not. */
const scattered = () => `+98912${Array.from(newPhone().slice(-7)).toReversed().join("")}`

const guardOf = (manager: Manager) => manager.read<Guard>("/guard")

/** A customer with an sms account and a live key, whose guard is in this mode. */
const customerIn = async (mode: string) => {
  const manager = await newManager(server)
  await manager.newAccount("sms")
  const { secret } = await manager.newKey()
  ok(await manager.put("/guard", { mode }))
  const send = (fields: Readonly<Record<string, unknown>> = {}) =>
    otp(server, secret).send({ phone: scattered(), channels: "sms", client: { ip: ATTACKER }, ...fields })
  return { manager, send }
}

describe("the guard's settings", () => {
  it("record by default, at version 0", async () => {
    const manager = await newManager(server)
    const reply = await manager.get("/guard")
    expect(ok<Guard>(reply)).toMatchObject({
      ...DEFAULTS,
      version: 0,
      enforcing_advised: false,
      clean_days: 0,
      maturity_seconds: null,
      expected_conversion: null,
      outage: null,
      alarms: [],
      last_30_days: { days: 0, codes: 0, refused: 0, would_refuse: 0, would_save_rials: null }
    })
    expect(reply.headers.get("etag")).toBe(etagOf(0))
  })

  it("are replaced whole, or changed in part", async () => {
    const all = { mode: "enforcing", unverified_hour: 100, sms_price: 1500 }
    expect(ok(await mine.put("/guard", all))).toMatchObject(all)
    expect(ok(await mine.patch("/guard", { sms_price: null }))).toMatchObject({ ...all, sms_price: null })
    expect(ok(await mine.put("/guard", { mode: "off" }))).toMatchObject({ ...DEFAULTS, mode: "off" })
  })

  it("are saved only at the version that was read", async () => {
    const { version } = await guardOf(mine)
    refused(await mine.patch("/guard", { mode: "record" }, ifMatch(version + 1)), 412, "precondition_failed")
    const saved = ok<Guard>(await mine.patch("/guard", { mode: "record" }, ifMatch(version)))
    expect(saved.version).toBe(version + 1)
  })

  it.each([
    [{ mode: "strict" }, "body.mode"],
    [{ mode: "record", unverified_hour: -1 }, "body.unverified_hour"],
    [{ mode: "record", budget: 5 }, "body.budget"]
  ])("refuse %j", async (body, path) => {
    const reply = await mine.put("/guard", body)
    refused(reply, 422, "validation_error")
    expect(issues(reply)).toContain(path)
  })

  it("are read, and not changed, by a token that may only read", async () => {
    const reader = await readerOf(server, mine)
    ok(await reader.get("/guard"))
    refused(await reader.put("/guard", { mode: "off" }), 403, "scope_insufficient")
    refused(await reader.post("/guard/deny", { type: "ip", value: "10.0.0.1" }), 403, "scope_insufficient")
  })

  it("are in the audit log", async () => {
    ok(await mine.patch("/guard", { sms_price: 900 }))
    const [line] = await mine.audit()
    expect(line).toMatchObject({ action: "guard.save", details: { sms_price: 900 } })
  })
})

describe("the lists", () => {
  it("have phones, prefixes and networks in their normal form, each once", async () => {
    const add = (type: string, value: string) => mine.post("/guard/allow", { type, value })
    const phone = ok(await add("phone", "0912 111 2233"), 201)
    expect(phone).toEqual({
      type: "phone",
      value: "+989121112233",
      created_at: expect.stringMatching(timestamp)
    })
    expect(ok(await add("prefix", "0912345"), 201)).toMatchObject({ value: "+98912345" })
    expect(ok(await add("ip", "198.51.100.0/24"), 201)).toMatchObject({ value: "198.51.100.0/24" })
    expect(ok(await add("phone", "+989121112233"), 201)).toEqual(phone)
    const { data } = await mine.read<List<unknown>>("/guard/allow")
    expect(data.length).toBe(3)
    expect((await mine.read<List<unknown>>("/guard/deny")).data).toEqual([])
  })

  it("have each network once, however it is written", async () => {
    const added = async (value: string) =>
      ok<{ value: string }>(await mine.post("/guard/deny", { type: "ip", value }), 201).value
    expect(await added("2001:DB8:0::/32")).toBe("2001:db8::/32")
    expect(await added("2001:db8::/032")).toBe("2001:db8::/32")
    expect(await added("::ffff:198.51.100.7")).toBe("198.51.100.7")
    expect(await added("::ffff:198.51.100.0/120")).toBe("::ffff:c633:6400/120")
    done(await mine.delete("/guard/deny/ip/2001:0DB8::%2F32"))
    done(await mine.delete("/guard/deny/ip/198.51.100.7"))
    done(await mine.delete("/guard/deny/ip/::ffff:198.51.100.0%2F120"))
    expect((await mine.read<List<unknown>>("/guard/deny")).data).toEqual([])
  })

  it("have pages, whose cursors belong to one of them", async () => {
    const page = (list: string, query: string) =>
      mine.read<List<{ value: string }>>(`/guard/${list}?${query}`)
    const first = await page("allow", "limit=2")
    const second = await page("allow", `limit=2&cursor=${first.next_cursor}`)
    expect([...first.data, ...second.data].map(({ value }) => value)).toEqual([
      "198.51.100.0/24",
      "+989121112233",
      "+98912345"
    ])
    expect(second.next_cursor).toBeNull()
    refused(await mine.get(`/guard/deny?cursor=${first.next_cursor}`), 422, "validation_error")
    refused(await mine.get("/guard/allow?limit=0"), 422, "validation_error")
  })

  it("take a line once for an Idempotency-Key, which is one list's", async () => {
    const line = { type: "ip", value: "203.0.113.7" }
    const headers = withKey()
    const first = await mine.post("/guard/deny", line, headers)
    done(await mine.delete("/guard/deny/ip/203.0.113.7"))
    const again = await mine.post("/guard/deny", line, headers)
    expect(ok(again, 201)).toEqual(ok(first, 201))
    expect(again.headers.get("idempotency-replayed")).toBe("true")
    refused(await mine.delete("/guard/deny/ip/203.0.113.7"), 404, "not_found")
    refused(await mine.post("/guard/allow", line, headers), 409, "idempotency_key_conflict")
    const other = { ...line, value: "203.0.113.8" }
    refused(await mine.post("/guard/deny", other, headers), 409, "idempotency_key_conflict")
    refused(await mine.post("/guard/deny", line, withKey("k".repeat(256))), 400, "idempotency_key_too_long")
  })

  it("refuse what is no phone, prefix or network", async () => {
    for (const [type, value] of [
      ["phone", "02112345678"],
      ["prefix", "021"],
      ["ip", "300.1.1.1"]
    ]) {
      refused(await mine.post("/guard/deny", { type, value }), 422, "validation_error")
    }
    refused(await mine.get("/guard/grey"), 422, "validation_error")
  })

  it("lose a line in any of its forms, once", async () => {
    ok(await mine.post("/guard/deny", { type: "ip", value: "192.0.2.0/24" }), 201)
    const path = `/guard/deny/ip/${encodeURIComponent("192.0.2.0/24")}`
    done(await mine.delete(path))
    refused(await mine.delete(path), 404, "not_found")
  })
})

describe("the guard in each mode", () => {
  it.each(["off", "record", "enforcing"])("%s: refuses what is on the deny list", async (mode) => {
    const { manager, send } = await customerIn(mode)
    const phone = newPhone()
    ok(await manager.post("/guard/deny", { type: "phone", value: phone }), 201)
    refused(await send({ phone }), 403, "blocked_phone")
    ok(await send())
  })

  it.each(["off", "record"])("%s: sends what exceeds a budget", async (mode) => {
    const { send } = await customerIn(mode)
    for (let n = 0; n < BUDGET + 4; n++) ok(await send())
  })

  it("enforcing: refuses what exceeds a budget, raises the alarm, and goes on when that is cleared", async () => {
    const { manager, send } = await customerIn("enforcing")
    for (let n = 0; n < BUDGET; n++) ok(await send())
    refused(await send(), 403, "suspected_fraud")
    ok(await send({ client: { ip: ATTACKER, trusted: true } }))
    ok(await send({ client: { ip: "198.51.100.77" } }))

    const alarm = await until("the alarm", async () => (await guardOf(manager)).alarms[0])
    expect(alarm).toMatchObject({
      segment: { kind: "network" },
      reason: "budget",
      level: 1,
      action: "refuse",
      enforced: true,
      codes: BUDGET,
      verified: 0,
      cleared_at: null
    })
    expect((await manager.read<List<Alarm>>("/guard/alarms")).data).toEqual([alarm])

    const cleared = ok<Alarm>(await manager.post(`/guard/alarms/${alarm.alarm_id}/clear`, {}))
    expect(cleared.cleared_at).toMatch(timestamp)
    expect((await guardOf(manager)).alarms).toEqual([])
    await until("codes to pass again", async () => ((await send()).status === 200 ? true : undefined), 20_000)
  })

  it("enforcing: counts what was refused", async () => {
    const { manager, send } = await customerIn("enforcing")
    ok(await manager.post("/guard/deny", { type: "ip", value: ATTACKER }), 201)
    refused(await send(), 403, "blocked_phone")
    const counted = await until(
      "the refusal to be counted",
      async () => {
        const { last_30_days } = await guardOf(manager)
        return last_30_days.denied === 1 ? last_30_days : undefined
      },
      20_000
    )
    expect(counted).toMatchObject({ denied: 1, refused: 0 })
  })
})

describe("an alarm", () => {
  it("is one of this customer, or none", async () => {
    refused(await mine.post(`/guard/alarms/${unknownId}/clear`, {}), 404, "not_found")
    refused(await mine.post("/guard/alarms/no-id/clear", {}), 404, "not_found")
  })

  it("is not shown without a token", async () => {
    refused(await request(server, "GET", "/v1/manage/guard/alarms"), 401, "unauthenticated")
  })
})
