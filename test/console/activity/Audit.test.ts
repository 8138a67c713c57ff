import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { demoApi, rowsOf, submit } from "../Forms.ts"
import { newOperator, signedIn, type Visitor } from "../Visitor.ts"
import { ok } from "../../contract/Client.ts"
import { manage } from "../../contract/Manager.ts"
import { type Server, startServer } from "../../contract/Server.ts"

interface AuditRecord {
  readonly id: string
  readonly action: string
  readonly subject: { readonly type: string; readonly id: string; readonly name: string | null }
  readonly details: Readonly<Record<string, unknown>>
  readonly previous: Readonly<Record<string, unknown>>
}

let server: Server
let owner: Visitor & { readonly user: { readonly id: string; readonly name?: string } }
let operator: Visitor
let api: ReturnType<typeof demoApi>

beforeAll(async () => {
  server = await startServer({ env: { PEYK_ALLOW_PRIVATE_ADDRESSES: "true" } })
  owner = await signedIn(server, server.demo.customer_id, "owner")
  operator = await newOperator(server, "audit@example.ir")
  api = demoApi(server)
})
afterAll(() => server?.stop())

const newest = async (): Promise<AuditRecord> => {
  const log = await manage(server, "GET", "/audit-log?limit=1", {
    authorization: `apikey ${server.demo.token}`
  })
  const [entry] = ok<{ readonly data: ReadonlyArray<AuditRecord> }>(log).data
  if (entry === undefined) throw new Error("the log is empty")
  return entry
}

const plain = (html: string): string =>
  html
    .replaceAll(/<[^>]+>/g, "")
    .replaceAll(/[\u2066-\u2069]/g, "")
    .replaceAll(/\s+/g, " ")

describe("an entry of the audit log has the values before the change:", () => {
  it("of a key", async () => {
    const { id } = await api<{ readonly id: number }>("POST", "/api-keys", { name: "Shop", mode: "live" })
    await api("PATCH", `/api-keys/${id}`, { name: "Shop 2", rate_limit_per_minute: 60 })
    expect(await newest()).toMatchObject({
      subject: { id: String(id), name: "Shop" },
      details: { name: "Shop 2", rate_limit_per_minute: 60 },
      previous: { name: "Shop", rate_limit_per_minute: null }
    })
    await api("PATCH", `/api-keys/${id}`, { rate_limit_per_minute: null })
    expect((await newest()).previous).toEqual({ rate_limit_per_minute: 60 })
    await manage(server, "DELETE", `/api-keys/${id}`, { authorization: `apikey ${server.demo.token}` })
    expect(await newest()).toMatchObject({
      action: "api_key.revoke",
      subject: { name: "Shop 2" },
      previous: {}
    })
  })

  it("of the routing", async () => {
    await api("PUT", "/routing", { steps: [{ channel: "bale", wait: 60 }, { channel: "sms" }] })
    await api("PUT", "/routing", { steps: [{ channel: "bale", wait: 75 }, { channel: "sms" }] })
    expect(await newest()).toMatchObject({
      action: "routing.save",
      previous: { steps: [{ channel: "bale", wait: 60 }, { channel: "sms" }] }
    })
  })

  it("of an account, without its settings", async () => {
    const account = { channel: "rubika", provider: "bridge", label: "Gate" }
    const secret = `whsec_${"a".repeat(32)}`
    const settings = { url: "http://127.0.0.1:9/gate", secret }
    const { credential_id: id } = await api<{ readonly credential_id: number }>("POST", "/accounts", {
      ...account,
      settings
    })
    await api("PATCH", `/accounts/${id}`, { settings, gap_ms: 2000, active: false, label: "Gate 2" })
    const entry = await newest()
    expect(entry).toMatchObject({
      subject: { name: "Gate" },
      details: { settings: "replaced", gap_ms: 2000, active: false, label: "Gate 2" },
      previous: { gap_ms: null, active: true, label: "Gate" }
    })
    expect(JSON.stringify(entry)).not.toContain(secret)
  })

  it("of a webhook, without the path of its address", async () => {
    const { id } = await api<{ readonly id: number }>("POST", "/webhooks", {
      url: "http://127.0.0.1:9/secret-path",
      events: ["*"]
    })
    await api("PATCH", `/webhooks/${id}`, {
      url: "http://127.0.0.1:10/secret-path",
      events: ["message.sent"]
    })
    const entry = await newest()
    expect(entry).toMatchObject({
      subject: { name: "http://127.0.0.1:9" },
      details: { origin: "http://127.0.0.1:10", events: ["message.sent"] },
      previous: { origin: "http://127.0.0.1:9", events: ["*"] }
    })
    expect(JSON.stringify(entry)).not.toContain("secret-path")
  })

  it("of a template, without its text", async () => {
    const { id } = await api<{ readonly id: number }>("POST", "/templates", {
      name: "Hi",
      body: "{{code}} Sara"
    })
    await api("PATCH", `/templates/${id}`, { name: "Hello", body: "{{code}} Reza" })
    const entry = await newest()
    expect(entry).toMatchObject({ subject: { name: "Hi" }, previous: { name: "Hi" } })
    expect(JSON.stringify(entry)).not.toMatch(/Sara|Reza/)
  })

  it("of the guard, the customer, a user and limits", async () => {
    await api("PATCH", "/guard", { mode: "enforcing" })
    expect((await newest()).previous).toEqual({ mode: "record" })
    await api("PATCH", "/me", { brand: "Laleh" })
    expect((await newest()).previous).toEqual({ brand: null })
    const other = await signedIn(server, server.demo.customer_id, "viewer")
    await api("PATCH", `/users/${other.user.id}`, { role: "developer" })
    expect((await newest()).previous).toEqual({ role: "viewer" })
    await server.cli(
      "customer",
      "limits",
      "--customer",
      String(server.demo.customer_id),
      "--set",
      "phone_hour=7"
    )
    expect(await newest()).toMatchObject({ details: { phone_hour: 7 }, previous: { phone_hour: null } })
    await api("PATCH", "/guard", { mode: "record" })
  })
})

describe("the page of the audit log", () => {
  it("says a change in one sentence, with a link to the thing and to the person", async () => {
    const path = "/console/routing"
    const { version } = await api<{ readonly version: number }>("GET", "/routing")
    const saved = await submit(owner, path, path, {
      do: "save",
      version: String(version),
      order: "saved",
      target: "bale:",
      wait: "90",
      template: ""
    })
    expect(saved.status, saved.text).toBe(303)
    const [row = ""] = rowsOf(await owner.get("/console/audit"))
    expect(plain(row)).toContain("changed the routing: removed SMS, wait of Bale 75 → 90 s")
    expect(row).toContain('href="/console/routing"')
    expect(row).toContain(`/console/audit?who=user%3A${owner.user.id}`)
    const persian = rowsOf(await owner.get("/console/audit?lang=fa"))[0] ?? ""
    expect(plain(persian)).toContain("ترتیب ارسال را تغییر داد: برداشتن پیامک، انتظار بله: از ۷۵ به ۹۰ ثانیه")
  })

  it("can be of one person, and of one thing", async () => {
    await owner.get("/console/audit?lang=en")
    const mine = rowsOf(await owner.get(`/console/audit?who=user:${owner.user.id}`))
    expect(mine.length).toBeGreaterThan(0)
    expect(mine.every((row) => row.includes(owner.user.id))).toBe(true)
    const { text } = await owner.get("/console/audit")
    expect(text).toContain(`<option value="user:${owner.user.id}"`)
    const keys = rowsOf(await owner.get("/console/audit?what=api_key."))
    expect(keys.length).toBeGreaterThan(3)
    expect(keys.map(plain).filter((row) => !row.includes(" key "))).toEqual([])
    expect((await owner.get("/console/audit?who=nobody")).text).toContain("choose one of the options")
  })

  it("has a page for each entry, of one's own customer", async () => {
    await owner.get("/console/audit?lang=en")
    const [row = ""] = rowsOf(await owner.get("/console/audit?what=routing."))
    const [, id = ""] = /\/console\/audit\/([0-9a-f-]{36})/.exec(row) ?? []
    const { status, text } = await owner.get(`/console/audit/${id}`)
    expect(status).toBe(200)
    expect(plain(text)).toContain("wait of Bale 75 → 90 s")
    expect((await owner.get("/console/audit/01890000-0000-7000-8000-000000000000")).status).toBe(404)
    expect((await owner.get("/console/audit/nothing")).status).toBe(404)
    const other = (await server.cli("customer", "create", "--name", "Other", "--plan", "free")) as {
      id: number
    }
    const stranger = await signedIn(server, other.id, "owner")
    expect((await stranger.get(`/console/audit/${id}`)).status).toBe(404)
  })

  it("shows operators the changes of all customers and of the installation, and nobody else", async () => {
    expect((await owner.get("/console/all-audit")).status).toBe(404)
    const { text, status } = await operator.get("/console/all-audit")
    expect(status).toBe(200)
    expect(plain(text)).toContain("created the customer “Other”")
    expect(plain((await operator.get("/console/all-audit?what=operator.")).text)).toMatch(
      /added the operator “\S+@\S+”/
    )
    const [row = ""] = rowsOf(await operator.get("/console/all-audit?what=routing."))
    expect(row).toContain(`href="/console/customers/${server.demo.customer_id}"`)
    const { id } = await newest()
    expect((await operator.get(`/console/all-audit/${id}`)).status).toBe(200)
  })

  it("calls an operator without a name by the address, in the list, the entry and the filter", async () => {
    const { id } = (await server.cli("operator", "create", "--email", "new@example.ir")) as { id: string }
    await server.cli("operator", "sign-in-link", "--email", "new@example.ir")
    const list = await operator.get("/console/all-audit?what=operator.")
    const sentences = rowsOf(list).map(plain)
    expect(sentences[0]).toContain("made a sign-in link for the operator “new@example.ir”")
    expect(sentences[1]).toContain("added the operator “new@example.ir”")
    expect(rowsOf(list)[0]).toContain(`href="/console/all-audit?who=operator%3A${id}"`)
    expect(list.text).toMatch(new RegExp(`<option value="operator:${id}"[^>]*>new@example.ir`))
    const [, entry = ""] = /\/console\/all-audit\/([0-9a-f-]{36})/.exec(rowsOf(list)[0] ?? "") ?? []
    expect(plain((await operator.get(`/console/all-audit/${entry}`)).text)).toContain("“new@example.ir”")
  })

  it("calls a user without a name by the address, to owners", async () => {
    await server.cli("user", "sign-in-link", "--customer", String(server.demo.customer_id))
    const [row = ""] = rowsOf(await owner.get("/console/audit?what=user."))
    const [, id = ""] = /href="\/console\/users\/([^"]+)"/.exec(row) ?? []
    const { email } = await api<{ readonly email: string }>("GET", `/users/${id}`)
    expect(plain(row)).toContain(`made a sign-in link for “${email}”`)
    const viewer = await signedIn(server, server.demo.customer_id, "viewer")
    expect((await viewer.get("/console/audit?what=user.")).text).not.toContain(email)
  })
})
