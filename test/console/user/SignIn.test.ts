import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { csrfIn, newVisitor, signedIn } from "../Visitor.ts"
import { firstUser, manage, PASSWORD } from "../../contract/Manager.ts"
import { type Server, startServer } from "../../contract/Server.ts"

let server: Server
beforeAll(async () => {
  server = await startServer({ env: { PEYK_TRUSTED_PROXIES: "1" } })
})
afterAll(() => server?.stop())

const customer = () => String(server.demo.customer_id)
const owner = () => ({ authorization: `apikey ${server.demo.token}` })

const newLink = async (...options: ReadonlyArray<string>) => {
  const args = ["user", "sign-in-link", "--customer", customer(), ...options]
  const { url, expires_at } = (await server.cli(...args)) as { url: string; expires_at: string }
  return { path: url.replace(server.url, ""), url, expires_at }
}

const tokenIn = (path: string) => new URL(path, server.url).searchParams.get("token") ?? ""

describe("GET /", () => {
  it("sends a browser to the console", async () => {
    const reply = await newVisitor(server).get("/")
    expect(reply).toMatchObject({ status: 302, location: "/console" })
  })

  it.each(["*/*", "application/json", "text/html;q=0"])(
    "answers links to a program that accepts %s",
    async (accept) => {
      const reply = await newVisitor(server).get("/", { accept })
      expect(reply.status).toBe(200)
      expect(JSON.parse(reply.text)).toEqual({
        docs: "/docs",
        openapi: "/openapi.json",
        console: "/console",
        health: "/healthz"
      })
    }
  )

  it("answers 405 to what it does not have, and OPTIONS with what it has", async () => {
    const refused = await newVisitor(server).post("/", {})
    expect(refused.status).toBe(405)
    const options = await fetch(server.url, { method: "OPTIONS" })
    expect(options.headers.get("allow")).toBe("GET, HEAD, OPTIONS")
  })
})

describe("signing in", () => {
  it("is where /console leads without a session", async () => {
    expect(await newVisitor(server).get("/console")).toMatchObject({
      status: 302,
      location: "/console/sign-in"
    })
  })

  it("leads back to the page that was asked for, and to no other site", async () => {
    const visitor = newVisitor(server)
    const { location } = await visitor.get("/console/overview?theme=dark")
    expect(location).toBe("/console/sign-in?next=%2Fconsole%2Foverview%3Ftheme%3Ddark")
    const { email } = await firstUser(server, customer(), "viewer")
    for (const [next, end] of [
      ["/console/overview?theme=dark", "/console/overview?theme=dark"],
      ["//evil.example/console/", "/console/overview"],
      ["https://evil.example", "/console/overview"],
      ["/console/\\evil", "/console/overview"]
    ] as const) {
      const csrf = csrfIn(await visitor.get("/console/sign-in"))
      const reply = await visitor.post("/console/sign-in", { email, password: PASSWORD, csrf, next })
      expect(reply).toMatchObject({ status: 303, location: end })
    }
  })

  it("says that a form was lost whose session had ended, and nothing of a page", async () => {
    const visitor = newVisitor(server)
    const { location } = await visitor.post("/console/settings", { name: "Typed for long" })
    const lost = "your changes were not saved"
    expect((await visitor.get(location ?? "")).text).toContain(lost)
    const asked = await visitor.get("/console/settings")
    expect((await visitor.get(asked.location ?? "")).text).not.toContain(lost)
    expect((await visitor.post("/console/sign-out", {})).location).toBe("/console/sign-in")
  })

  it("shows the whole command that makes a link", async () => {
    const { text } = await newVisitor(server).get("/console/sign-in")
    const shown = text.replaceAll(/<[^>]*>/g, "").replaceAll(/\s+/g, " ")
    expect(shown).toContain("peyk user sign-in-link --customer ID --email EMAIL")
  })

  it("makes a session whose cookie scripts cannot read, and other sites cannot send with forms", async () => {
    const { email } = await firstUser(server, customer(), "owner")
    const visitor = newVisitor(server)
    const reply = await visitor.signIn(email)
    expect(reply).toMatchObject({ status: 303, location: "/console/overview" })
    expect(reply.headers.getSetCookie()[0]).toMatch(
      /^peyk_session=svc_console_[\w-]{43}; Path=\/; HttpOnly; SameSite=Lax$/
    )
    const page = await visitor.get("/console/overview")
    expect(page.status).toBe(200)
    expect(page.text).toContain(email)
    expect(page.headers.get("cache-control")).toBe("no-store")
  })

  it("gives a browser that came by https a cookie of this host alone", async () => {
    const { email } = await firstUser(server, customer(), "owner")
    const visitor = newVisitor(server, { "x-forwarded-proto": "https" })
    const reply = await visitor.signIn(email)
    expect(reply.headers.getSetCookie()[0]).toMatch(
      /^__Host-peyk_session=\S+; Path=\/; HttpOnly; Secure; SameSite=Lax$/
    )
    expect((await visitor.get("/console/overview")).status).toBe(200)
  })

  it("says the same of a wrong password and of an unknown address", async () => {
    const { email } = await firstUser(server, customer(), "owner")
    const wrong = await newVisitor(server).signIn(email, "wrong password")
    const unknown = await newVisitor(server).signIn("nobody@example.ir", "wrong password")
    expect([wrong.status, unknown.status]).toEqual([401, 401])
    expect(wrong.text).toContain("Wrong email or password.")
    expect(unknown.text).toContain("Wrong email or password.")
  })

  it("is refused after as many failures as on the API, with Retry-After", async () => {
    const { email } = await firstUser(server, customer(), "owner")
    const visitor = newVisitor(server)
    for (let round = 0; round < 10; round++)
      expect((await visitor.signIn(email, "wrong password")).status).toBe(401)
    const reply = await visitor.signIn(email)
    expect(reply.status).toBe(429)
    expect(Number(reply.headers.get("retry-after"))).toBeGreaterThan(0)
  })

  it("is refused without the token of the form, and with another's", async () => {
    const { email } = await firstUser(server, customer(), "owner")
    const other = csrfIn(await newVisitor(server).get("/console/sign-in"))
    const visitor = newVisitor(server)
    await visitor.get("/console/sign-in")
    for (const fields of [{}, { csrf: other }, { csrf: "" }]) {
      const reply = await visitor.post("/console/sign-in", { email, password: PASSWORD, ...fields })
      expect(reply.status).toBe(403)
      expect(reply.headers.get("content-type")).toMatch(/^text\/html/)
    }
  })

  it("shows what was typed as text", async () => {
    const reply = await newVisitor(server).signIn(`"><script>alert(1)</script>`, "wrong password")
    expect(reply.text).not.toContain("<script>alert")
    expect(reply.text).toContain("&quot;&gt;&lt;script&gt;")
  })
})

describe("a session", () => {
  it("lets several tabs work at once", async () => {
    const visitor = await signedIn(server, server.demo.customer_id, "owner")
    const pages = await Promise.all(Array.from({ length: 8 }, () => visitor.get("/console/overview")))
    expect(pages.map(({ status }) => status)).toEqual(Array.from({ length: 8 }, () => 200))
  })

  it("ends when its owner signs out, here and not elsewhere", async () => {
    const visitor = await signedIn(server, server.demo.customer_id, "owner")
    const elsewhere = newVisitor(server)
    await elsewhere.signIn(visitor.user.email)
    const secret = visitor.cookies.get("peyk_session") ?? ""
    const csrf = csrfIn(await visitor.get("/console/overview"))
    expect(await visitor.post("/console/sign-out", { csrf })).toMatchObject({
      status: 303,
      location: "/console/sign-in"
    })
    expect(visitor.cookies.has("peyk_session")).toBe(false)
    visitor.cookies.set("peyk_session", secret)
    expect((await visitor.get("/console/overview")).status).toBe(302)
    expect((await elsewhere.get("/console/overview")).status).toBe(200)
  })

  it("ends everywhere when its owner says so, sessions of the API too", async () => {
    const visitor = await signedIn(server, server.demo.customer_id, "owner")
    const elsewhere = newVisitor(server)
    await elsewhere.signIn(visitor.user.email)
    const body = { email: visitor.user.email, password: PASSWORD }
    const signIn = (path: string, json: unknown) =>
      fetch(`${server.url}/v1/auth/${path}`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(json)
      })
    const { refresh_token } = (await (await signIn("sign-in", body)).json()) as { refresh_token: string }
    const csrf = csrfIn(await visitor.get("/console/overview"))
    expect((await visitor.post("/console/sign-out-everywhere", { csrf })).status).toBe(303)
    expect((await elsewhere.get("/console/overview")).status).toBe(302)
    expect((await signIn("refresh", { refresh_token })).status).toBe(401)
  })

  it("is not ended by a form of another site", async () => {
    const visitor = await signedIn(server, server.demo.customer_id, "owner")
    const anothers = await signedIn(server, server.demo.customer_id, "owner")
    const csrf = csrfIn(await anothers.get("/console/overview"))
    expect((await visitor.post("/console/sign-out", {})).status).toBe(403)
    expect((await visitor.post("/console/sign-out", { csrf })).status).toBe(403)
    expect((await visitor.get("/console/overview")).status).toBe(200)
  })

  it("ends when its user is disabled, or gets another password", async () => {
    for (const [method, path, body] of [
      ["PATCH", "", { active: false }],
      ["PUT", "/password", { password: "another password" }]
    ] as const) {
      const visitor = await signedIn(server, server.demo.customer_id, "developer")
      const reply = await manage(server, method, `/users/${visitor.user.id}${path}`, owner(), body)
      expect(reply.status, reply.text).toBeLessThan(300)
      expect((await visitor.get("/console/overview")).status).toBe(302)
    }
  })

  it("is nothing that can be made up", async () => {
    const visitor = newVisitor(server)
    for (const secret of ["x", `svc_console_${"A".repeat(43)}`, "%00"]) {
      visitor.cookies.set("peyk_session", secret)
      expect((await visitor.get("/console/overview")).status).toBe(302)
    }
  })
})

describe("a sign-in link", () => {
  it("signs its user in by a button, once", async () => {
    const { path, expires_at } = await newLink()
    expect(expires_at).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    const visitor = newVisitor(server)
    const page = await visitor.get(path)
    expect(page.text).toContain("<button")
    const fields = { csrf: csrfIn(page), token: tokenIn(path) }
    // Looking at it, as programs that preview links do, does not use it up.
    expect((await newVisitor(server).get(path)).status).toBe(200)
    expect(await visitor.post("/console/sign-in-link", fields)).toMatchObject({
      status: 303,
      location: "/console/overview"
    })
    expect((await visitor.get("/console/overview")).status).toBe(200)
    expect((await visitor.post("/console/sign-in-link", fields)).status).toBe(401)
  })

  it("signs in once only when it is used by several at once", async () => {
    const { path } = await newLink()
    const answers = await Promise.all(
      Array.from({ length: 6 }, async () => {
        const visitor = newVisitor(server)
        return visitor.post("/console/sign-in-link", {
          csrf: csrfIn(await visitor.get(path)),
          token: tokenIn(path)
        })
      })
    )
    expect(answers.map(({ status }) => status).toSorted()).toEqual([303, 401, 401, 401, 401, 401])
  })

  it("is the named user's, and needs somebody who may sign in", async () => {
    const { email } = await firstUser(server, customer(), "viewer")
    const { path } = await newLink("--email", email.toUpperCase())
    const visitor = newVisitor(server)
    await visitor.post("/console/sign-in-link", {
      csrf: csrfIn(await visitor.get(path)),
      token: tokenIn(path)
    })
    expect((await visitor.get("/console/overview")).text).toContain(email)
    const nobody = await server.run(
      "user",
      "sign-in-link",
      "--customer",
      customer(),
      "--email",
      "nobody@example.ir"
    )
    expect(nobody.code).toBe(1)
    expect(nobody.err).toContain("no user nobody@example.ir")
  })
})

describe("every page of the console", () => {
  it.each(["/console/sign-in", "/console/sign-in-link", "/console/overview", "/console"])(
    "runs no script but the console's own, and is in no frame: %s",
    async (path) => {
      const visitor = await signedIn(server, server.demo.customer_id, "viewer")
      const reply = await visitor.get(path)
      const policy = reply.headers.get("content-security-policy") ?? ""
      expect(policy).toContain("default-src 'self'")
      expect(policy).toContain("frame-ancestors 'none'")
      expect(policy).not.toMatch(/unsafe|https?:|\*/)
      expect(reply.headers.get("x-frame-options")).toBe("DENY")
      expect(reply.text).not.toMatch(
        /<style|<script>|\sstyle=|\son\w+="|(?:src|href|action)="(?:https?:)?\/\//
      )
    }
  )

  it("comes in the language that was asked for, and remembers it", async () => {
    const visitor = newVisitor(server)
    expect((await visitor.get("/console/sign-in")).text).toMatch(/<html\s+lang="en"\s+dir="ltr"/)
    expect((await visitor.get("/console/sign-in?lang=fa")).text).toMatch(/<html\s+lang="fa"\s+dir="rtl"/)
    expect((await visitor.get("/console/sign-in")).text).toMatch(/<html\s+lang="fa"\s+dir="rtl"/)
    expect((await visitor.get("/console/sign-in?lang=xx")).text).toMatch(/<html\s+lang="en"/)
  })

  it("has parts that a browser loads once, compressed", async () => {
    const visitor = newVisitor(server)
    const { text } = await visitor.get("/console/sign-in")
    const parts = [...text.matchAll(/(?:href|src)="(\/console\/assets\/[^"#]+)/g)].map(
      ([, path = ""]) => path
    )
    expect(new Set(parts).size).toBe(4)
    for (const path of parts) {
      const first = await visitor.get(path, { "accept-encoding": "gzip" })
      expect(first.headers.get("content-encoding")).toBe("gzip")
      expect(first.headers.get("cache-control")).toContain("immutable")
      const again = await visitor.get(path, { "if-none-match": first.headers.get("etag") ?? "" })
      expect(again.status).toBe(304)
    }
  })
})

describe("an address of the console that is not there", () => {
  it("has the console's own page for those who are signed in", async () => {
    const visitor = await signedIn(server, customer(), "owner")
    for (const path of ["/console/nowhere", "/console/keys/1/nothing", "/console/a/b/c"]) {
      const reply = await visitor.get(path)
      expect(reply.status, path).toBe(404)
      expect(reply.headers.get("content-type"), path).toMatch(/^text\/html/)
      expect(reply.text, path).toContain("Not found")
      expect(reply.text, path).toContain('<a class="button" href="/console/overview">Back</a>')
    }
    expect((await visitor.post("/console/nowhere", {})).status).toBe(404)
  })

  it("leads others to the sign-in", async () => {
    const reply = await newVisitor(server).get("/console/nowhere")
    expect(reply.status).toBe(302)
    expect(reply.location).toContain("/console/sign-in")
  })
})
