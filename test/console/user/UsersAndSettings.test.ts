import { beforeAll, describe, expect, it } from "vitest"
import { newEmail, PASSWORD } from "../../contract/Manager.ts"
import { newCustomer } from "../../contract/Operator.ts"
import { type SharedServer, sharedServerWithDemo } from "../../contract/SharedServer.ts"
import { submit } from "../Forms.ts"
import { csrfIn, newVisitor, signedIn, type Visitor } from "../Visitor.ts"

let server: SharedServer
let owner: Visitor
beforeAll(async () => {
  server = await sharedServerWithDemo()
  owner = await signedIn(server, server.demo.customer_id, "owner")
})

const linkIn = (text: string): string =>
  /<code>(http[^<]+)<\/code>/.exec(text)?.[1]?.replaceAll("&amp;", "&") ?? ""

const openLink = async (url: string) => {
  const visitor = newVisitor(server)
  const { pathname, search, searchParams } = new URL(url)
  const csrf = csrfIn(await visitor.get(`${pathname}${search}`))
  const reply = await visitor.post("/console/sign-in-link", { csrf, token: searchParams.get("token") ?? "" })
  return { visitor, reply }
}

const invite = async (role: "viewer" | "developer") => {
  const email = newEmail(role)
  const fields = { name: `New ${role}`, email, role }
  const made = await submit(owner, "/console/users/new", "/console/users/new", fields)
  expect(made.status, made.text).toBe(200)
  return { email, link: linkIn(made.text) }
}

describe("users", () => {
  it("are invited by a link, and then choose their password", async () => {
    const { email, link } = await invite("developer")
    const { visitor, reply } = await openLink(link)
    expect(reply).toMatchObject({ status: 303, location: "/console/overview" })
    const set = await submit(visitor, "/console/settings", "/console/settings/password", {
      password: PASSWORD
    })
    expect(set).toMatchObject({ status: 303, location: "/console/sign-in?notice=password_set" })
    expect((await visitor.get("/console/overview")).status).toBe(302)
    expect((await newVisitor(server).signIn(email)).status).toBe(303)
  })

  it("get other names and roles, are disabled, and are let in again", async () => {
    const { email, link } = await invite("viewer")
    const { visitor } = await openLink(link)
    const list = await owner.get("/console/users")
    const path =
      new RegExp(`href="(/console/users/[0-9a-f-]{36})"><bdi>New viewer`).exec(list.text)?.[1] ?? ""
    expect((await owner.get(path)).text).toContain(email)
    await submit(owner, path, path, { name: "Sara", role: "developer" })
    expect((await visitor.get("/console/keys/new")).status).toBe(200)
    await submit(owner, path, `${path}/disable`)
    expect((await visitor.get("/console/overview")).status).toBe(302)
    await submit(owner, path, `${path}/enable`)
    const again = await submit(owner, path, `${path}/link`)
    expect((await openLink(linkIn(again.text))).reply.status).toBe(303)
  })

  it("need an address of their own", async () => {
    const { email } = await invite("viewer")
    const fields = { name: "Twin", email, role: "viewer" }
    const refused = await submit(owner, "/console/users/new", "/console/users/new", fields)
    expect(refused.status).toBe(422)
    expect(refused.text).toContain("This email address is already in use.")
  })

  it("keep what was typed when the last owner would be none, and say so", async () => {
    const only = await signedIn(server, (await newCustomer(server)).id, "owner")
    const list = await only.get("/console/users")
    const path = /href="(\/console\/users\/[0-9a-f-]{36})"/.exec(list.text)?.[1] ?? ""
    const alone = await submit(only, path, path, { name: "Typed name", role: "viewer" })
    expect(alone.status).toBe(409)
    expect(alone.text).toContain("The account needs at least one owner.")
    expect(alone.text).toContain('value="Typed name"')
    expect(alone.text).toContain('<option value="viewer" selected')
  })

  it("are managed by owners only", async () => {
    const developer = await signedIn(server, server.demo.customer_id, "developer")
    expect((await developer.get("/console/users")).text).toContain("Only owners can see users")
    expect((await developer.get("/console/users/new")).status).toBe(403)
    const fields = { name: "x", email: newEmail("owner"), role: "owner" }
    expect((await submit(developer, "/console/users", "/console/users/new", fields)).status).toBe(403)
  })
})

describe("settings", () => {
  it("are changed by owners, and refused with the field that is wrong", async () => {
    const saved = await submit(owner, "/console/settings", "/console/settings", {
      name: "Shop",
      brand: "Shop",
      locale: "en",
      webotp_host: "shop.example.ir",
      webotp_origins: "https://shop.example.ir\r\nhttps://club.example.ir\r\n",
      app_hash: "FA+9qCX9VSu"
    })
    expect(saved.location).toBe("/console/settings?notice=saved")
    const { text } = await owner.get("/console/settings")
    expect(text).toContain('value="shop.example.ir"')
    expect(text).toContain("https://shop.example.ir\nhttps://club.example.ir</textarea>")
    expect(text).toContain('value="FA+9qCX9VSu"')
    const refused = await submit(owner, "/console/settings", "/console/settings", {
      name: "",
      webotp_host: "not a host",
      webotp_origins: "https://a.ir http://b.ir",
      app_hash: "short"
    })
    expect(refused.status).toBe(422)
    for (const field of ["webotp_host", "webotp_origins", "app_hash"])
      expect(refused.text).toMatch(new RegExp(`id="field-${field}"[^>]*aria-invalid="true"`, "s"))
    const viewer = await signedIn(server, server.demo.customer_id, "viewer")
    expect((await submit(viewer, "/console/settings", "/console/settings", { name: "x" })).status).toBe(403)
  })

  it("of codes are changed by developers too, but not the name", async () => {
    const developer = await signedIn(server, server.demo.customer_id, "developer")
    const { text } = await developer.get("/console/settings")
    expect(text).toContain('name="brand"')
    expect(text).not.toContain('name="name"')
    const settings = "/console/settings"
    expect((await submit(developer, settings, settings, { brand: "Bazar" })).status).toBe(303)
    expect((await owner.get(settings)).text).toContain('value="Bazar"')
    expect((await submit(developer, settings, settings, { name: "Bazar" })).status).toBe(403)
  })

  it("refuse a short password", async () => {
    const viewer = await signedIn(server, server.demo.customer_id, "viewer")
    const refused = await submit(viewer, "/console/settings", "/console/settings/password", {
      password: "short"
    })
    expect(refused.status).toBe(422)
  })
})
