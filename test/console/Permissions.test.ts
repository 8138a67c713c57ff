import { beforeAll, describe, expect, it } from "vitest"
import { newCustomer } from "../contract/Operator.ts"
import { type SharedServer, sharedServerWithDemo } from "../contract/SharedServer.ts"
import { csrfIn, signedIn, type Visitor } from "./Visitor.ts"
import { demoApi } from "./Forms.ts"

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

describe("set-up pages", () => {
  /** Of the owner's customer. */
  let account: string
  let template: string
  beforeAll(async () => {
    const { data } = await api<{ data: ReadonlyArray<{ credential_id: number }> }>("GET", "/accounts")
    account = `/console/channels/${data[0]?.credential_id}`
    const { id } = await api<{ id: number }>("POST", "/templates", { name: "theirs", body: "{{code}}" })
    template = `/console/templates/${id}`
  })

  it("have no forms for viewers, who could not send them either", async () => {
    const pages = ["routing", "templates", "test", "guard"].map((name) => `/console/${name}`)
    for (const path of [account, ...pages]) {
      const { status, text } = await viewer.get(path)
      expect(status, path).toBe(200)
      expect(text, path).not.toMatch(new RegExp(`action="(?!/console/sign-out)[^"]*"`))
    }
    const csrf = csrfIn(await viewer.get("/console/overview"))
    for (const path of [
      `${account}/disable`,
      "/console/routing",
      "/console/templates/new",
      "/console/test"
    ]) {
      expect((await viewer.post(path, { csrf })).status, path).toBe(403)
    }
  })

  it("do not exist for another customer", async () => {
    const csrf = csrfIn(await stranger.get("/console/overview"))
    for (const path of [account, template, "/console/channels/0", "/console/channels/x"]) {
      expect((await stranger.get(path)).status, path).toBe(404)
    }
    for (const action of ["", "/check", "/disable", "/settings", "/contacts", "/outcome", "/inbox/rotate"]) {
      const reply = await stranger.post(`${account}${action}`, {
        csrf,
        label: "x",
        phone: "09121234567",
        chat_id: "7"
      })
      expect(reply.status, action).toBe(404)
    }
  })

  it("change nothing without the form's token", async () => {
    for (const path of [
      `${account}/disable`,
      "/console/routing",
      "/console/templates/new",
      "/console/test"
    ]) {
      expect((await owner.post(path, { csrf: "x" })).status, path).toBe(403)
    }
  })
})

describe("a form that a link leads to", () => {
  const paths = {
    "keys/new": "name=Chosen-elsewhere&mode=test&rate_limit_per_minute=7",
    "tokens/new": "name=Chosen-elsewhere&scope=full",
    "users/new": "name=Chosen-elsewhere&email=chosen%40elsewhere.example&role=owner",
    "channels/connect":
      "channel=sms&provider=bridge&label=Chosen-elsewhere&url=https%3A%2F%2Fchosen.elsewhere"
  }
  it.each(Object.entries(paths))("has nothing of the link's own: %s", async (path, query) => {
    const { status, text } = await owner.get(`/console/${path}?${query}`)
    expect(status).toBe(200)
    const main = text.slice(text.indexOf("<form", text.indexOf("<h1>")))
    expect(main).not.toMatch(/chosen.elsewhere/i)
  })
})

it("says of a bridge's address when it may be http", async () => {
  const { text } = await owner.get("/console/channels/connect?channel=sms&provider=bridge&lang=en")
  expect(text).toContain("https; http too where PEYK_ALLOW_PRIVATE_ADDRESSES is set")
})
