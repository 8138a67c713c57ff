// @effect-diagnostics globalDate:off
import { createHmac } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { bytesOfBase32, codeIn, counterOf, stepOf } from "../../../src/domain/user/Totp.ts"
import { submit } from "../Forms.ts"
import { csrfIn, newOperator, newVisitor, signedIn, type Visitor } from "../Visitor.ts"
import { auth, manage, PASSWORD, signIn } from "../../contract/Manager.ts"
import { type Server, startServer } from "../../contract/Server.ts"

const SECURITY = "/console/settings/security"
const STEP = 30_000

let server: Server
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server?.stop())

const customer = () => String(server.demo.customer_id)

const codeOf = (key: string, off = 0) =>
  codeIn(
    createHmac("sha1", bytesOfBase32(key))
      .update(counterOf(stepOf(Date.now()) + off))
      .digest()
  )

const keyIn = (text: string) => /data-copy="([A-Z2-7]{32})"/.exec(text)?.[1] ?? ""
const codesIn = (text: string) => text.match(/[a-z2-7]{5}(?:-[a-z2-7]{5}){3}-[a-z2-7]{6}/g) ?? []

/** Sets up an app, as its page says; returns its key, the recovery codes, and the code that it was set up with. */
const enrol = async (visitor: Visitor) => {
  const page = await visitor.get(`${SECURITY}/app`)
  const key = keyIn(page.text)
  expect(page.text).toContain(`secret=${key}`)
  const fields = Object.fromEntries(
    ["csrf", "once", "offer"].map((name) => [
      name,
      new RegExp(`name="${name}"\\s+value="([^"]+)"`).exec(page.text)?.[1] ?? ""
    ])
  )
  const code = codeOf(key)
  const reply = await visitor.post(`${SECURITY}/app`, { ...fields, code })
  expect(reply.status, reply.text).toBe(200)
  const codes = [...new Set(codesIn(reply.text))]
  expect(codes).toHaveLength(10)
  return { key, codes, fields, code }
}

const second = async (visitor: Visitor, code: string) =>
  visitor.post("/console/sign-in/second", {
    code,
    csrf: csrfIn(await visitor.get("/console/sign-in/second"))
  })

describe("a second factor", () => {
  it("is set up with a code, asked for at the next sign-in, and works once", async () => {
    const owner = await signedIn(server, customer(), "owner")
    const { key, codes, code } = await enrol(owner)
    const page = await owner.get(SECURITY)
    expect(page.text).toContain("10 of 10")
    expect(page.text).toContain("127.0.0.0/24")

    const visitor = newVisitor(server)
    const begun = await visitor.signIn(owner.user.email)
    expect(begun).toMatchObject({ status: 303, location: "/console/sign-in/second" })
    // half a sign-in opens nothing
    expect((await visitor.get("/console/overview")).location).toContain("/console/sign-in")
    const used = await second(visitor, code)
    expect(used.status).toBe(401)
    expect(used.text).toContain("Tries left: 4")
    const [recovery = ""] = codes
    expect(await second(visitor, recovery)).toMatchObject({ status: 303, location: "/console/overview" })
    expect((await visitor.get("/console/overview")).status).toBe(200)
    expect((await visitor.get(SECURITY)).text).toContain("9 of 10")

    const again = newVisitor(server)
    await again.signIn(owner.user.email)
    expect((await second(again, recovery)).status).toBe(401)
    expect(await second(again, codeOf(key, 1))).toMatchObject({ status: 303 })
  })

  it("is asked for after a link too", async () => {
    const owner = await signedIn(server, customer(), "owner")
    const { codes } = await enrol(owner)
    const made = await server.cli(
      "user",
      "sign-in-link",
      "--customer",
      customer(),
      "--email",
      owner.user.email
    )
    const { pathname, search, searchParams } = new URL((made as { url: string }).url)
    const visitor = newVisitor(server)
    const csrf = csrfIn(await visitor.get(`${pathname}${search}`))
    const token = searchParams.get("token") ?? ""
    const begun = await visitor.post("/console/sign-in-link", { csrf, token })
    expect(begun).toMatchObject({ status: 303, location: "/console/sign-in/second" })
    expect(await second(visitor, codes[1] ?? "")).toMatchObject({ status: 303 })
  })

  it("ends a sign-in after five wrong codes, and needs the form's token", async () => {
    const owner = await signedIn(server, customer(), "owner")
    const { codes } = await enrol(owner)
    const visitor = newVisitor(server)
    await visitor.signIn(owner.user.email)
    expect((await visitor.post("/console/sign-in/second", { code: codes[0] ?? "", csrf: "" })).status).toBe(
      403
    )
    for (let left = 4; left >= 0; left -= 1) {
      const page = await second(visitor, "not a code")
      expect(page.status).toBe(401)
      expect(page.text).toContain(left === 0 ? "Sign in again" : `Tries left: ${left}`)
    }
    const ended = await visitor.post("/console/sign-in/second", {
      code: codes[0] ?? "",
      csrf: csrfIn(await visitor.get("/console/sign-in"))
    })
    expect(ended).toMatchObject({ status: 303, location: "/console/sign-in?notice=sign_in_again" })
  })

  it("says that the phone's clock is an hour off, in both languages, and keeps the key", async () => {
    const owner = await signedIn(server, customer(), "owner")
    const page = await owner.get(`${SECURITY}/app`)
    const key = keyIn(page.text)
    const offer = /name="offer"\s+value="([^"]+)"/.exec(page.text)?.[1] ?? ""
    const off = Math.round(3_600_000 / STEP)
    const fields = { csrf: csrfIn(page), offer, code: codeOf(key, off) }
    const fast = await owner.post(`${SECURITY}/app`, fields)
    expect(fast.status).toBe(422)
    expect(fast.text).toContain("The clock of your phone is one hour fast.")
    expect(keyIn(fast.text)).toBe(key)
    const slow = await owner.post(`${SECURITY}/app?lang=fa`, { ...fields, code: codeOf(key, -off) })
    expect(slow.text).toContain("ساعت گوشی شما یک ساعت عقب است")
    expect((await owner.post(`${SECURITY}/app`, { ...fields, offer: "x", code: codeOf(key) })).status).toBe(
      422
    )
  })

  it("is required of everybody if an owner says so: who has none can only set one up", async () => {
    const made = (await server.cli("customer", "create", "--name", "Strict", "--plan", "free")) as {
      id: number
    }
    const owner = await signedIn(server, made.id, "owner")
    const developer = await signedIn(server, made.id, "developer")
    const { access_token } = await signIn(server, developer.user.email)
    const authorization = `Bearer ${access_token}`
    expect((await manage(server, "GET", "/me", { authorization })).status).toBe(200)
    expect((await submit(owner, SECURITY, `${SECURITY}/required`, { required: "true" })).status).toBe(303)
    expect((await owner.get("/console/overview")).location).toBe(SECURITY)
    expect((await developer.get("/console/messages/export.csv")).location).toBe(SECURITY)
    expect((await manage(server, "GET", "/me", { authorization })).status).toBe(401)
    expect((await developer.get(SECURITY)).text).toContain("Your account requires a second factor")
    const email = developer.user.email
    const refused = await auth(server, "sign-in", { email, password: PASSWORD })
    expect(refused.status).toBe(401)
    expect(JSON.stringify(refused)).toContain("second_factor_required")
    const { codes } = await enrol(developer)
    const second_factor = codes[0] ?? ""
    expect((await auth(server, "sign-in", { email, password: PASSWORD })).status).toBe(401)
    expect((await auth(server, "sign-in", { email, password: PASSWORD, second_factor })).status).toBe(200)
    expect((await developer.get("/console/overview")).status).toBe(200)
    expect((await manage(server, "GET", "/me", { authorization })).status).toBe(200)
    // the last one stays
    expect((await developer.get(SECURITY)).text).not.toContain("Remove the app")
  })

  it("is reset by an owner and on the command line, which ends the sessions", async () => {
    const owner = await signedIn(server, customer(), "owner")
    const member = await signedIn(server, customer(), "developer")
    await enrol(member)
    const path = `/console/users/${member.user.id}`
    expect((await submit(owner, path, `${path}/second-factor/reset`)).status).toBe(303)
    expect((await member.get("/console/overview")).status).toBe(302)
    expect((await member.signIn(member.user.email)).location).toBe("/console/overview")
    await enrol(member)
    const reset = await server.cli("user", "reset-second-factor", "--user", member.user.id)
    expect(reset).toMatchObject({ id: member.user.id, second_factor: false })
    expect((await member.get("/console/overview")).status).toBe(302)
    const { text } = await owner.get("/console/audit")
    expect(text).toContain("reset the second factor of")
  })

  it("shows who invited whom, and ends one session", async () => {
    const owner = await signedIn(server, customer(), "owner")
    const other = newVisitor(server)
    await other.signIn(owner.user.email)
    const { text } = await owner.get(SECURITY)
    const id = /security\/sessions\/([0-9a-f-]{36})\/end/.exec(text)?.[1] ?? ""
    expect((await submit(owner, SECURITY, `${SECURITY}/sessions/${id}/end`)).status).toBe(303)
    expect((await other.get("/console/overview")).status).toBe(302)
    const token = await owner.get("/console/users/new")
    const invited = await owner.post("/console/users/new", {
      csrf: csrfIn(token),
      name: "Reza",
      email: `reza-${Date.now()}@example.ir`,
      role: "viewer"
    })
    expect(invited.status).toBe(200)
    const list = await owner.get("/console/users")
    const path = /href="(\/console\/users\/[0-9a-f-]{36})"><bdi>Reza/.exec(list.text)?.[1] ?? ""
    expect((await owner.get(path)).text).toMatch(/Invited by<\/dt>\s*<dd><bdi>owner/)
  })
})

describe("operators", () => {
  it("need a second factor where Peyk listens on more than loopback: without one they set one up", async () => {
    const open = await startServer({ env: { PEYK_HOST: "0.0.0.0" } })
    try {
      const operator = await newOperator(open, "root@example.ir")
      expect((await operator.get("/console/customers")).location).toBe(SECURITY)
      await enrol(operator)
      expect((await operator.get("/console/customers")).status).toBe(200)
    } finally {
      await open.stop()
    }
  })
})
