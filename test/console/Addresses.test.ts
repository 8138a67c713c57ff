import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { unknownId } from "../contract/Client.ts"
import { PASSWORD } from "../contract/Manager.ts"
import { newCustomer } from "../contract/Operator.ts"
import { type Server, startServer } from "../contract/Server.ts"
import { hiddenFields, submit } from "./Forms.ts"
import { newOperator, newVisitor, signedIn } from "./Visitor.ts"

const PUBLIC_URL = "https://peyk.example.ir"

let server: Server
let customer: string
let owner: Awaited<ReturnType<typeof signedIn>>

beforeAll(async () => {
  server = await startServer({ env: { PEYK_PUBLIC_URL: PUBLIC_URL } })
  customer = (await newCustomer(server, "start")).id
  owner = await signedIn(server, customer, "owner")
})
afterAll(() => server?.stop())

const HTML = { accept: "text/html", "content-type": "application/x-www-form-urlencoded" }

const postAsBrowser = (path: string, body: string) =>
  fetch(`${server.url}${path}`, { method: "POST", headers: HTML, body, redirect: "manual" })

describe("the public address", () => {
  it("is that of invitation links and of example requests, whatever the Host header says", async () => {
    const invited = await submit(owner, "/console/users/new", "/console/users/new", {
      name: "Zed",
      email: "zed@example.ir",
      role: "viewer"
    })
    expect(invited.text).toContain(`<code>${PUBLIC_URL}/console/sign-in-link?token=`)
    expect((await owner.get("/console/test")).text).toContain(`curl -X POST ${PUBLIC_URL}/v1/`)
    const key = { name: "shop", mode: "live" }
    const made = await submit(owner, "/console/keys/new", "/console/keys/new", key)
    expect(made.text).toContain(`curl ${PUBLIC_URL}/v1/otp/send`)
  })
})

describe("the path of a form", () => {
  it.each([
    ["/console/channels/7/contacts", "/console/channels/7"],
    ["/console/settings/password", "/console/settings"],
    ["/console/guard/allow/add", "/console/guard"],
    ["/console/keys/3/rotate", "/console/keys/3"],
    ["/console/tokens/3/revoke", "/console/tokens"],
    ["/console/test/verify", "/console/test"],
    ["/console/customers/leave", "/console/customers"]
  ])("%s leads to its page %s", async (path, page) => {
    expect(await owner.get(path)).toMatchObject({ status: 303, location: page })
  })

  it("is not the address of a page that shows the form again", async () => {
    const page = "/console/settings"
    const refused = await submit(owner, page, `${page}/password`, { password: "short" })
    expect(refused.status).toBe(422)
    expect(refused.text).toContain(`href="${page}?lang=fa"`)
    expect(refused.text).toContain(`data-address="${page}"`)
  })

  it("is not where a sign-in leads that a form needs, but its page is", async () => {
    const stranger = newVisitor(server)
    expect(await stranger.post("/console/channels/7/contacts", {})).toMatchObject({
      status: 302,
      location: `/console/sign-in?next=${encodeURIComponent("/console/channels/7")}&notice=session_ended`
    })
  })
})

describe("a sign-in", () => {
  const leadsTo = async (next: string) => {
    const visitor = newVisitor(server)
    const page = await visitor.get(`/console/sign-in?next=${encodeURIComponent(next)}`)
    const fields = hiddenFields(page, "/console/sign-in")
    return (
      await visitor.post("/console/sign-in", { ...fields, email: owner.user.email, password: PASSWORD })
    ).location
  }

  it("leads to a request whose id has dots", async () => {
    expect(await leadsTo("/console/requests/01a2.b-7..c_9")).toBe("/console/requests/01a2.b-7..c_9")
  })

  it.each([
    "/console/../v1",
    "/console/..",
    "/console/./x",
    "/console//evil.example",
    "//evil.example/console/x"
  ])("does not lead to %s", async (next) => {
    expect(await leadsTo(next)).toBe("/console/overview")
  })
})

describe("an error that no page could answer", () => {
  it("is a page for a browser, and an envelope for a program: a wrong method", async () => {
    const shown = await postAsBrowser("/console/audit", "")
    expect([shown.status, shown.headers.get("allow")]).toEqual([405, "GET, HEAD, OPTIONS"])
    expect(await shown.text()).toContain("<!doctype html>")
    const told = await fetch(`${server.url}/console/audit`, { method: "POST" })
    expect(await told.json()).toMatchObject({ error: { code: "method_not_allowed" } })
  })

  it("is a page for a browser: a form that is too large", async () => {
    const shown = await postAsBrowser("/console/sign-in", `csrf=${"x".repeat(2_000_000)}`)
    expect(shown.status).toBe(413)
    expect(await shown.text()).toContain("<!doctype html>")
  })
})

describe("the page of a test", () => {
  it.each(["nonsense", "", unknownId])("says that there is no code %s to verify", async (id) => {
    const typed = { id, mode: "sandbox", code: "123456" }
    expect((await submit(owner, "/console/test", "/console/test/verify", typed)).status).toBe(404)
  })

  it("claims no outcome that an address names, and shows the true one", async () => {
    const phone = "09121230099"
    const sent = await submit(owner, "/console/test", "/console/test", {
      mode: "sandbox",
      kind: "code",
      phone,
      do: "send"
    })
    const page = sent.location ?? ""
    expect((await owner.get(`${page}&reason=ok`)).text).not.toContain("the right code was entered")
    const id = new URL(page, server.url).searchParams.get("id") ?? ""
    const enter = (code: string) => submit(owner, page, "/console/test/verify", { id, mode: "sandbox", code })
    const wrong = await enter("000000")
    expect(wrong.status).toBe(422)
    expect(wrong.text).toContain("Wrong code. Try again.")
    const right = await enter("123456")
    expect(right.status).toBe(303)
    expect((await owner.get(right.location ?? "")).text).toContain("Verified: the right code was entered.")
  })
})

describe("an operator", () => {
  it.each(["without a customer's console", "in a customer's console"])(
    "sets their own password, in the platform's audit log: %s",
    async (where) => {
      const email = `${where.replaceAll(/\W/g, "")}@example.ir`
      const operator = await newOperator(server, email)
      const path = `/console/customers/${customer}`
      const isWithin = where.startsWith("in ")
      if (isWithin) await submit(operator, path, `${path}/enter`, {})
      const settings = await operator.get("/console/settings")
      expect(settings.status).toBe(200)
      expect(settings.text.includes("Brand in codes")).toBe(isWithin)
      expect((await operator.get(isWithin ? "/console/overview" : "/console/customers")).text).toContain(
        'href="/console/settings"'
      )
      const password = "another long password"
      const set = await submit(operator, "/console/settings", "/console/settings/password", { password })
      expect(set.location).toBe("/console/sign-in?notice=password_set")
      const again = newVisitor(server)
      expect((await again.get(set.location ?? "")).text).toContain("Password changed.")
      expect((await again.signIn(email, password)).status).toBe(303)
      expect((await owner.get("/console/audit")).text).not.toContain("user.set_password")
    }
  )
})
