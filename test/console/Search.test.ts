import { beforeAll, describe, expect, it } from "vitest"
import { newCustomer, sentCode } from "../contract/Operator.ts"
import { until } from "../contract/Server.ts"
import { type SharedServer, sharedServerWithDemo } from "../contract/SharedServer.ts"
import { demoApi } from "./Forms.ts"
import { newOperator, signedIn, type Visitor } from "./Visitor.ts"

let server: SharedServer
let owner: Visitor
let viewer: Visitor
let stranger: Visitor
let api: ReturnType<typeof demoApi>
beforeAll(async () => {
  server = await sharedServerWithDemo()
  api = demoApi(server)
  owner = await signedIn(server, server.demo.customer_id, "owner")
  viewer = await signedIn(server, server.demo.customer_id, "viewer")
  stranger = await signedIn(server, (await newCustomer(server)).id, "owner")
})

/** The addresses that a search finds. */
const found = async (visitor: Visitor, q: string, lang = "en") => {
  const { status, text } = await visitor.get(`/console/search?${new URLSearchParams({ q, lang })}`)
  expect(status, q).toBe(200)
  return [...text.matchAll(/href="([^"]+)" data-hit/g)].map(([, href]) => href)
}

describe("the search", () => {
  it("finds a phone however it is written, and by its last four digits", async () => {
    await sentCode(server, server.demo.live_key, { phone: "09129876543" })
    const page = "/console/phones/+989129876543"
    for (const q of ["09129876543", "+98 912 987 6543", "۰۹۱۲۹۸۷۶۵۴۳", "6543", "۶۵۴۳"])
      expect(await found(owner, q), q).toContain(page)
    expect(await found(stranger, "6543")).not.toContain(page)
  })

  it("finds ids of every kind, and nothing of another customer's", async () => {
    const { id } = await sentCode(server, server.demo.live_key, { phone: "09129876543" })
    const requestId = `search-${crypto.randomUUID()}`
    const reply = await fetch(`${server.url}/v1/otp/${id}`, {
      headers: { "x-api-key": server.demo.live_key, "x-request-id": requestId }
    })
    expect(reply.status).toBe(200)
    const template = await api<{ id: number }>("POST", "/templates", {
      name: "Autumn greeting",
      body: "{{code}}"
    })
    const users = await api<{ data: ReadonlyArray<{ id: string }> }>("GET", "/users")
    const audit = await api<{ data: ReadonlyArray<{ id: string }> }>("GET", "/audit-log")
    const accounts = await api<{ data: ReadonlyArray<{ credential_id: number }> }>("GET", "/accounts")
    const keys = await api<{ data: ReadonlyArray<{ id: number; prefix: string }> }>("GET", "/api-keys")
    const all: ReadonlyArray<readonly [string, string]> = [
      [id, `/console/verifications/${id}`],
      [` ${id.toUpperCase()} `, `/console/verifications/${id}`],
      [String(template.id), `/console/templates/${template.id}`],
      ["autumn", `/console/templates/${template.id}`],
      [users.data[0]?.id ?? "", `/console/users/${users.data[0]?.id}`],
      [audit.data[0]?.id ?? "", `/console/audit/${audit.data[0]?.id}`],
      [String(accounts.data[0]?.credential_id), `/console/channels/${accounts.data[0]?.credential_id}`],
      [keys.data[0]?.prefix ?? "", `/console/keys/${keys.data[0]?.id}`]
    ]
    for (const [q, page] of all) {
      expect(await found(owner, q), q).toContain(page)
      expect(await found(stranger, q), q).not.toContain(page)
    }
    expect((await found(owner, requestId))[0]).toMatch(/^\/console\/requests\//)
    expect(await found(stranger, requestId)).toEqual([])
    expect(await found(stranger, id)).toEqual([])
  })

  it("finds events and entries of the ledger by their ids", async () => {
    const { id } = await sentCode(server, server.demo.live_key, { phone: "09129876543" })
    const { data: entries } = await api<{
      data: ReadonlyArray<{ id: string; subject: { id: string } | null }>
    }>("GET", "/wallet/ledger")
    const charge = entries.find(({ subject }) => subject?.id === id)
    const topUp = entries.find(({ subject }) => subject === null)
    for (const entry of [charge, topUp]) {
      const [address = ""] = await found(owner, entry?.id ?? "")
      expect(address).toContain(`#row-${entry?.id}`)
      const page = await owner.get(address.replaceAll("&amp;", "&"))
      const [, first] = /<tr role="row" id="row-([^"]+)"/.exec(page.text.split(">Ledger<").at(-1) ?? "") ?? []
      expect(first).toBe(entry?.id)
      expect(await found(stranger, entry?.id ?? "")).toEqual([])
    }
    const path = `/console/verifications/${id}`
    const events = await until("the code's event", async () => {
      const { text } = await owner.get(path)
      const all = [...text.matchAll(/id="event-([0-9a-f-]{36})"/g)].map(([, each]) => each ?? "")
      return all.length > 0 ? all : undefined
    })
    expect(await found(owner, events[0] ?? "")).toEqual([`${path}#event-${events[0]}`])
    expect(await found(stranger, events[0] ?? "")).toEqual([])
    const { id: endpoint } = await api<{ id: number }>("POST", "/webhooks", {
      url: "https://example.com/hook",
      events: ["*"]
    })
    const { event_id: tested } = await api<{ event_id: string }>("POST", `/webhooks/${endpoint}/test`)
    expect(await found(owner, tested)).toEqual([`/console/webhooks/${endpoint}/events/${tested}`])
    expect(await found(viewer, tested)).toEqual([`/console/webhooks/${endpoint}/events/${tested}`])
    expect(await found(stranger, tested)).toEqual([])
  })

  it("finds users for owners alone, as the page of users shows them", async () => {
    const { data } = await api<{ data: ReadonlyArray<{ id: string; email: string }> }>("GET", "/users")
    const { id = "", email = "" } = data.find(({ email: each }) => each.includes("@")) ?? {}
    for (const q of [id, email]) {
      expect(await found(owner, q), q).toContain(`/console/users/${id}`)
      expect(await found(viewer, q), q).toEqual([])
    }
  })

  it("finds by its last four digits a phone whose requests were all refused", async () => {
    await api("POST", "/guard/deny", { type: "phone", value: "+989127773841" })
    const body = JSON.stringify({ phone: "09127773841" })
    const headers = {
      "content-type": "application/json",
      "x-api-key": server.demo.live_key,
      "idempotency-key": crypto.randomUUID()
    }
    expect((await fetch(`${server.url}/v1/otp/send`, { method: "POST", headers, body })).status).toBe(403)
    expect(await found(owner, "۳۸۴۱")).toEqual(["/console/requests?q=3841&amp;outcome=refused&amp;mode=live"])
    expect(await found(stranger, "3841")).toEqual([])
  })

  it("finds pages and actions in both languages, and only those that somebody has", async () => {
    expect(await found(owner, "routing")).toContain("/console/routing")
    expect(await found(owner, "کیف پول", "fa")).toContain("/console/wallet")
    expect(await found(owner, "invite")).toEqual(["/console/users/new"])
    expect(await found(viewer, "invite")).toEqual([])
    expect(await found(viewer, "create")).toEqual([])
    expect(await found(owner, "health")).toEqual([])
    expect(await found(owner, "")).toContain("/console/keys/new")
  })

  it("leads to pages that there are", async () => {
    for (const address of await found(owner, ""))
      expect([200, 302], address).toContain((await owner.get(address ?? "")).status)
  })

  it("is for operators a search of customers, until they enter one", async () => {
    const operator = await newOperator(server, `search-${crypto.randomUUID()}@example.ir`)
    const { id } = await newCustomer(server)
    expect(await found(operator, id)).toContain(`/console/customers/${id}`)
    expect(await found(operator, "health")).toEqual(["/console/health"])
    expect(await found(operator, "09129876543")).toEqual([])
  })

  it("says what it did not find, and takes any text", async () => {
    const { text } = await owner.get("/console/search?q=zzzzzz")
    expect(text).toContain("Nothing found")
    expect(
      (await owner.get(`/console/search?q=${encodeURIComponent("<b>'\u0000%_".repeat(90))}`)).status
    ).toBe(200)
    const { headers } = await owner.get("/console/search?q=09129876543")
    expect(headers.get("referrer-policy")).toBe("no-referrer")
  })
})
