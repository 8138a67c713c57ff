import { beforeAll, describe, expect, it } from "vitest"
import { newPhone } from "../contract/Client.ts"
import { newAccount, newCustomer } from "../contract/Operator.ts"
import { type SharedServer, sharedServerWithDemo } from "../contract/SharedServer.ts"
import { hiddenFields, rowsOf } from "./Forms.ts"
import { type Answer, newOperator, signedIn, type Visitor } from "./Visitor.ts"

let server: SharedServer
let customer: string
let owner: Visitor
let operator: Visitor

beforeAll(async () => {
  server = await sharedServerWithDemo()
  customer = (await newCustomer(server, "start")).id
  await server.cli("wallet", "top-up", "--customer", customer, "--amount", "100000")
  await newAccount(server, customer, "bale", { settings: { latency_ms: 600 } })
  owner = await signedIn(server, customer, "owner")
  operator = await newOperator(server, "root@example.ir")
})

type Fields = Readonly<Record<string, string>>

/** Sends one form of a page twice at the same time, as two clicks do while the first answer is on its way. */
const sendTwice = async (visitor: Visitor, page: string, action: string, typed: Fields) => {
  const fields = { ...hiddenFields(await visitor.get(page), action), ...typed }
  return Promise.all([visitor.post(action, fields), visitor.post(action, fields)])
}

const shown = ({ text }: Answer): string => /class="secret">\s*<code>([^<]+)<\/code>/.exec(text)?.[1] ?? ""
const rows = ({ text }: Answer): number =>
  (/<tbody.*?<\/tbody>/s.exec(text)?.[0] ?? "").split("<tr").length - 1
/** How many entries of the audit log say that this customer made a key. */
const madeKeys = async () =>
  rowsOf(await owner.get("/console/audit?what=api_key.")).filter((row) =>
    row.includes("created the live key")
  ).length

const toppedUp = async (path: string) =>
  (await operator.get(path)).text.match(/[\d,]+ IRR/)?.[0]?.replaceAll(",", "")

describe("a form that is sent twice", () => {
  it("adds an amount to a wallet once, and again only from a page that was loaded again", async () => {
    const { id } = await newCustomer(server, "start")
    const path = `/console/customers/${id}`
    const top = () => sendTwice(operator, path, `${path}/top-up`, { amount: "1000" })
    for (const { status, location } of await top()) {
      expect({ status, location }).toEqual({ status: 303, location: `${path}?notice=topped_up` })
    }
    expect(await toppedUp(path)).toBe("1000 IRR")
    await top()
    expect(await toppedUp(path)).toBe("2000 IRR")
  })

  it("with another amount is refused, and adds nothing", async () => {
    const { id } = await newCustomer(server, "start")
    const path = `/console/customers/${id}`
    const fields = hiddenFields(await operator.get(path), `${path}/top-up`)
    await operator.post(`${path}/top-up`, { ...fields, amount: "1000" })
    const other = await operator.post(`${path}/top-up`, { ...fields, amount: "5000" })
    expect(other.status).toBe(409)
    expect(other.text).toContain("This form was already submitted with other values.")
    expect(await toppedUp(path)).toBe("1000 IRR")
  })

  it("makes one key, and shows it both times", async () => {
    const before = rows(await owner.get("/console/keys"))
    const audited = await madeKeys()
    const made = await sendTwice(owner, "/console/keys/new", "/console/keys/new", {
      name: "shop",
      mode: "live"
    })
    const [first, second] = made.map(shown)
    expect(first).toMatch(/^svc_live_/)
    expect(second).toBe(first)
    expect(rows(await owner.get("/console/keys"))).toBe(before + 1)
    expect(await madeKeys()).toBe(audited + 1)
  })

  it("makes one token, and shows it both times", async () => {
    const typed = { name: "deploy", scope: "read_only" }
    const [first, second] = (await sendTwice(owner, "/console/tokens/new", "/console/tokens/new", typed)).map(
      shown
    )
    expect(first).toMatch(/^svc_pat_/)
    expect(second).toBe(first)
  })

  it("rotates a key once", async () => {
    const list = (await owner.get("/console/keys")).text
    const path = /href="(\/console\/keys\/\d+)"/.exec(list)?.[1] ?? ""
    const [first, second] = await sendTwice(owner, path, `${path}/rotate`, { overlap_seconds: "3600" })
    expect(shown(first as Answer)).toMatch(/^svc_/)
    expect(shown(second as Answer)).toBe(shown(first as Answer))
  })

  it("invites a person once, and shows the link both times", async () => {
    const made = await sendTwice(owner, "/console/users/new", "/console/users/new", {
      name: "Zed",
      email: "zed@example.ir",
      role: "viewer"
    })
    expect(made.map(({ status }) => status)).toEqual([200, 200])
    const [first, second] = made.map(shown)
    expect(first).toContain("/console/sign-in-link?token=")
    expect(second).toBe(first)
  })

  it("makes one webhook, and shows its secret both times", async () => {
    const typed = { url: "http://127.0.0.1:9/hook", mode: "live", events: "*" }
    const made = await sendTwice(owner, "/console/webhooks/new", "/console/webhooks/new", typed)
    const [first, second] = made.map(shown)
    expect(first).toMatch(/^whsec_/)
    expect(second).toBe(first)
    expect(rows(await owner.get("/console/webhooks"))).toBe(1)
  })

  it("makes one template and one customer", async () => {
    const templates = await sendTwice(owner, "/console/templates/new", "/console/templates/new", {
      name: "welcome",
      body: "Hello"
    })
    const customers = await sendTwice(operator, "/console/customers/new", "/console/customers/new", {
      name: "Shop",
      plan: "free"
    })
    for (const [first, second] of [templates, customers]) {
      expect(first?.location).toMatch(/\/\d+\?notice=created$/)
      expect(second?.location).toBe(first?.location)
    }
  })

  it.each(["sandbox", "live"])(
    "sends one test code (%s), even before the first answer came",
    async (mode) => {
      const typed = { mode, kind: "code", phone: newPhone(), target: "bale", do: "send" }
      const [first, second] = await sendTwice(owner, "/console/test", "/console/test", typed)
      expect(first?.location, first?.text).toMatch(/^\/console\/test\?.*id=/)
      expect(second?.location).toBe(first?.location)
      const list = await owner.get(
        `/console/verifications?q=${typed.phone}&mode=${mode === "live" ? "live" : "test"}`
      )
      expect([...list.text.matchAll(/class="row-link"/g)]).toHaveLength(1)
    }
  )

  it.each(["sandbox", "live"])("sends one test message (%s)", async (mode) => {
    const typed = { mode, kind: "message", phone: newPhone(), target: "bale", message: "Hello", do: "send" }
    const [first, second] = await sendTwice(owner, "/console/test", "/console/test", typed)
    expect(first?.location, first?.text).toMatch(/^\/console\/test\?.*id=/)
    expect(second?.location).toBe(first?.location)
  })
})
