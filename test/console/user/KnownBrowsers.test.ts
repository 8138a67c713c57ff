import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { submit } from "../Forms.ts"
import { csrfIn, newVisitor, type Visitor } from "../Visitor.ts"
import { firstUser, newEmail, PASSWORD } from "../../contract/Manager.ts"
import { type Server, startServer } from "../../contract/Server.ts"

let server: Server
beforeAll(async () => {
  server = await startServer({ env: { PEYK_TRUSTED_PROXIES: "1" } })
})
afterAll(() => server?.stop())

const WRONG = "wrong password"

let networks = 0
const newNetwork = () => {
  networks += 1
  return { "x-forwarded-for": `203.0.113.${networks}` }
}

const newUser = () => firstUser(server, String(server.demo.customer_id), "owner")

/** A browser in which somebody has signed in before. */
const knownBrowser = async (email: string) => {
  const visitor = newVisitor(server, newNetwork())
  expect((await visitor.signIn(email)).status).toBe(303)
  return visitor
}

/** Guesses from six networks, until the address is locked for everybody else. */
const lockOut = async (email: string) => {
  const guessFrom = async () => {
    const attacker = newVisitor(server, newNetwork())
    // one form for all guesses: a page for each would take as long as the guesses
    const csrf = csrfIn(await attacker.get("/console/sign-in"))
    const guess = () => attacker.post("/console/sign-in", { email, password: WRONG, csrf })
    for (let guesses = 0; guesses < 9; guesses++) expect([401, 429]).toContain((await guess()).status)
  }
  await Promise.all(Array.from({ length: 6 }, guessFrom))
  expect((await newVisitor(server, newNetwork()).signIn(email)).status).toBe(429)
}

describe("a browser in which somebody has signed in before", () => {
  it("lets them in while guesses from many networks lock their address", async () => {
    const { email } = await newUser()
    const browser = await knownBrowser(email)
    await submit(browser, "/console/overview", "/console/sign-out")
    await lockOut(email)
    expect((await browser.signIn(email, WRONG)).status).toBe(401)
    expect((await browser.signIn(email)).status).toBe(303)
  })

  it("has a number of tries of its own, which does not grow by signing in", async () => {
    const { email } = await newUser()
    const browser = await knownBrowser(email)
    await browser.signIn(email)
    const kept = browser.cookies.get("peyk_browser") ?? ""
    await lockOut(email)
    for (let guess = 0; guess < 10; guess++) expect((await browser.signIn(email, WRONG)).status).toBe(401)
    const refused = await browser.signIn(email)
    expect(refused.status).toBe(429)
    expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
    browser.cookies.set("peyk_browser", kept)
    expect((await browser.signIn(email)).status).toBe(429)
  })

  it("is known for them alone", async () => {
    const [mine, others] = [await newUser(), await newUser()]
    const browser = await knownBrowser(mine.email)
    await lockOut(others.email)
    expect((await browser.signIn(others.email)).status).toBe(429)
  })

  it("stays known for five people, in a cookie that does not grow, and that shows no address", async () => {
    const browser = newVisitor(server, newNetwork())
    const people = []
    for (let n = 0; n < 6; n++) people.push(await newUser())
    for (const { email } of people) await browser.signIn(email)
    const cookie = browser.cookies.get("peyk_browser") ?? ""
    expect(cookie.split("~")).toHaveLength(5)
    expect(cookie.length).toBeLessThan(460)
    for (const { email, id } of people) expect(cookie).not.toMatch(new RegExp(`${email}|${id}`))
    await lockOut(people[5]?.email ?? "")
    expect((await browser.signIn(people[5]?.email ?? "")).status).toBe(303)
  })

  const ends = {
    "sets a password": async (browser: Visitor) => {
      await submit(browser, "/console/settings", "/console/settings/password", { password: PASSWORD })
    },
    "signs out everywhere": async (browser: Visitor) => {
      await submit(browser, "/console/overview", "/console/sign-out-everywhere")
    }
  }
  it.each(Object.entries(ends))("is known no longer when its user %s", async (_, end) => {
    const { email } = await newUser()
    const browser = await knownBrowser(email)
    await end(browser)
    await lockOut(email)
    expect((await browser.signIn(email)).status).toBe(429)
  })

  it("keeps that in a cookie that scripts cannot read, for half a year", async () => {
    const { email } = await newUser()
    const reply = await newVisitor(server, { ...newNetwork(), "x-forwarded-proto": "https" }).signIn(email)
    expect(reply.headers.getSetCookie()[1]).toMatch(
      /^__Host-peyk_browser=[\w.~-]+; Max-Age=15552000; Path=\/; HttpOnly; Secure; SameSite=Lax$/
    )
  })
})

it("a cookie that was made up is as good as none", async () => {
  const { email } = await newUser()
  const browser = await knownBrowser(email)
  const real = browser.cookies.get("peyk_browser") ?? ""
  await lockOut(email)
  const [id = "", epoch = "", since = "", mac = ""] = real.split(".")
  const made = [
    "x",
    "~".repeat(3000),
    [id, epoch, since, "A".repeat(43)].join("."),
    ["B".repeat(22), epoch, since, mac].join("."),
    [id, epoch, "9999999999", mac].join(".")
  ]
  for (const cookie of made) {
    const visitor = newVisitor(server, newNetwork())
    visitor.cookies.set("peyk_browser", cookie)
    expect((await visitor.signIn(email)).status, cookie.slice(0, 50)).toBe(429)
  }
  expect((await browser.signIn(newEmail("owner"))).status).toBe(401)
  expect((await browser.signIn(email)).status).toBe(303)
})
