// @effect-diagnostics globalDate:off
import { beforeAll, describe, expect, it } from "vitest"
import { tehranDay } from "../../../src/domain/Calendar.ts"
import { ok, request } from "../../contract/Client.ts"
import { type SharedServer, sharedServerWithDemo } from "../../contract/SharedServer.ts"
import { inStore, type NewAlarm, raiseAlarm } from "../Alarms.ts"
import { demoApi, submit } from "../Forms.ts"
import { signedIn, type Visitor } from "../Visitor.ts"

let server: SharedServer
let owner: Visitor
let viewer: Visitor
let api: ReturnType<typeof demoApi>

const raise = (alarm: NewAlarm) => raiseAlarm(server, alarm)

const send = async (phone: string, ip: string) =>
  ok<{ readonly verification_id: string }>(
    await request(server, "POST", "/v1/otp/send", {
      headers: {
        "content-type": "application/json",
        "x-api-key": server.demo.live_key,
        "idempotency-key": `guard-page-${phone}`
      },
      body: JSON.stringify({ phone, client: { ip } })
    })
  ).verification_id

beforeAll(async () => {
  server = await sharedServerWithDemo()
  api = demoApi(server)
  owner = await signedIn(server, server.demo.customer_id, "owner")
  viewer = await signedIn(server, server.demo.customer_id, "viewer")
})

describe("the page of the guard", () => {
  it("says first what enforcing would have refused in seven days, from the store", async () => {
    await inStore(
      server,
      (sql) => sql`
        insert into guard_days (customer_id, day, codes, verified, flagged, flagged_verified, refused)
        select ${server.demo.customer_id}, ${tehranDay(Date.now())}::date - n, 500, 300, 10, 1, 0
        from generate_series(0, 20) n`
    )
    const { text } = await owner.get("/console/guard")
    const words = text.replaceAll(/<[^>]*>/g, " ").replaceAll(/\s+/g, " ")
    expect(words).toContain("Mode: Record only")
    expect(words).toContain(
      "Enforcing would have refused 70 codes of the last 7 days, 7 of them later verified."
    )
    expect(words).toContain("What to do: Open the alarms")
    expect(words.indexOf("Mode: Record only")).toBeLessThan(words.indexOf("No alarms yet"))
    // the chart's table: today's 9 that nobody verified, and 1 that was
    expect(text).toMatch(/data-value="9">9<\/td>\s*<td class="end" data-value="1">1</)
  })

  it("offers to enforce once that is advised, and only the mode changes", async () => {
    await api("PATCH", "/guard", { sms_price: 1500 })
    await inStore(
      server,
      (sql) => sql`
        update guard_days set flagged = 0, flagged_verified = 0 where customer_id = ${server.demo.customer_id}`
    )
    const page = await owner.get("/console/guard")
    expect(page.text).toContain("Start enforcing: for 21 days with 6,300 verified codes")
    expect((await viewer.get("/console/guard")).text).not.toContain('action="/console/guard/mode"')
    const { status } = await submit(owner, "/console/guard", "/console/guard/mode", { mode: "enforcing" })
    expect(status).toBe(303)
    expect(await api("GET", "/guard")).toMatchObject({ mode: "enforcing", sms_price: 1500 })
    await api("PATCH", "/guard", { mode: "record" })
  })

  it("groups alarms, and names a range of numbers with its operator", async () => {
    await raise({ kind: "prefix", key: "+98935123", isOpen: false })
    await raise({ kind: "prefix", key: "+98935123" })
    const { text } = await owner.get("/console/guard")
    const rows = text.split("<tr").filter((row) => row.includes("+98935123••••"))
    expect(rows).toHaveLength(1)
    expect(rows[0]).toContain("Irancell")
    expect(rows[0]).toContain("2 times")
    expect(rows[0]).toContain("6 of 80")
  })

  it("names the alarm in the question of its button", async () => {
    const id = await raise({ kind: "prefix", key: "+98921777" })
    for (const path of ["/console/guard", `/console/guard/alarms/${id}`]) {
      const { text } = await owner.get(path)
      const [, question = ""] =
        new RegExp(`aria-label="Clear alarm">([^]*?)action="/console/guard/alarms/${id}/clear"`).exec(
          text.slice(text.lastIndexOf("<details", text.indexOf(`${id}/clear`)))
        ) ?? []
      expect(question).toContain("+98921777••••")
      expect(question).toContain("Codes are not verified")
      expect(text).toContain("Cancel")
    }
  })
})

describe("the page of an alarm", () => {
  it("has its codes and no others, and what to do", async () => {
    const [attacked, other] = ["+989361110001", "+989361110002"]
    const id = await send(attacked, "203.0.113.9")
    await send(other, "198.51.100.1")
    const [row] = await inStore(
      server,
      (sql) =>
        sql<{
          network: string
        }>`select client ->> 'network' as network from verifications where id = ${id}::uuid`
    )
    const alarm = await raise({ kind: "network", key: row?.network ?? "" })
    const { status, text } = await owner.get(`/console/guard/alarms/${alarm}`)
    expect(status).toBe(200)
    expect(text).toContain("What to do:")
    expect(text).toContain(attacked)
    expect(text).not.toContain(other)
    expect(text).not.toContain("203.0.113")
    // its range of numbers has both
    const range = await raise({ kind: "prefix", key: "+98936111" })
    const both = (await owner.get(`/console/guard/alarms/${range}`)).text
    expect(both).toContain(attacked)
    expect(both).toContain(other)
    expect(both).toContain('name="deny_value" value="+98936111"')
  })

  it.each([
    ["customer", ""],
    ["customer", "common"],
    ["device", "0".repeat(32)],
    ["phone", "+98936•••0001"],
    ["network", `around:${"a".repeat(34)}`]
  ])("is there for a %s %s", async (kind, key) => {
    const alarm = await raise({ kind, key, reason: kind === "phone" ? "bombed" : "budget" })
    expect((await owner.get(`/console/guard/alarms/${alarm}`)).status).toBe(200)
    expect((await owner.get(`/console/guard/alarms/${alarm}?lang=fa`)).text).toContain("چه باید کرد")
  })

  it("is not there for another customer's, for an unknown id, and for no id", async () => {
    const others = await sharedServerWithDemo()
    const stranger = await signedIn(others, others.demo.customer_id, "owner")
    const alarm = await raise({ kind: "device", key: "f".repeat(32) })
    expect((await stranger.get(`/console/guard/alarms/${alarm}`)).status).toBe(404)
    expect((await owner.get("/console/guard/alarms/01900000-0000-7000-8000-000000000000")).status).toBe(404)
    expect((await owner.get("/console/guard/alarms/no-id")).status).toBe(404)
  })

  it("has no buttons for somebody who may only read", async () => {
    const alarm = await raise({ kind: "prefix", key: "+98937222" })
    const { text } = await viewer.get(`/console/guard/alarms/${alarm}`)
    expect(text).not.toContain("/clear")
    expect(text).not.toContain("deny_value")
  })
})
