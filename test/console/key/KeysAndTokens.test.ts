import { beforeAll, describe, expect, it } from "vitest"
import { request } from "../../contract/Client.ts"
import { manage, type Role } from "../../contract/Manager.ts"
import { type SharedServer, sharedServerWithDemo } from "../../contract/SharedServer.ts"
import { submit } from "../Forms.ts"
import { type Answer, signedIn, type Visitor } from "../Visitor.ts"

let server: SharedServer
let owner: Visitor
beforeAll(async () => {
  server = await sharedServerWithDemo()
  owner = await signedIn(server, server.demo.customer_id, "owner")
})

const as = (role: Role) => signedIn(server, server.demo.customer_id, role)

const secretIn = ({ text }: Answer): string => /<code>(\w+_[\w+/=-]{20,})<\/code>/.exec(text)?.[1] ?? ""

const actions = async (): Promise<ReadonlyArray<string>> => {
  const reply = await manage(server, "GET", "/audit-log?limit=20", {
    authorization: `apikey ${server.demo.token}`
  })
  const { data } = JSON.parse(reply.text) as {
    data: ReadonlyArray<{ action: string; actor: { kind: string } }>
  }
  return data.filter(({ actor }) => actor.kind === "user").map(({ action }) => action)
}

const sendWith = (key: string) => request(server, "GET", "/v1/account", { headers: { "x-api-key": key } })

describe("API keys in the console", () => {
  it("makes a key that works, and shows it once", async () => {
    const made = await submit(owner, "/console/keys/new", "/console/keys/new", { name: "shop", mode: "live" })
    expect(made.status, made.text).toBe(200)
    const secret = secretIn(made)
    expect(secret).toMatch(/^svc_live_/)
    expect((await sendWith(secret)).status).toBe(200)
    expect(made.text).toContain("/dev/urandom")
    const list = await owner.get("/console/keys")
    expect(list.text).toContain("shop")
    expect(list.text).not.toContain(secret)
    expect(await actions()).toContain("api_key.create")
  })

  it("shows the form again with what was typed and what is wrong with it", async () => {
    const typed = {
      name: "a <b>",
      mode: "live",
      allowed_ips: "10.0.0.0/8\nnowhere",
      rate_limit_per_minute: "x"
    }
    const refused = await submit(owner, "/console/keys/new", "/console/keys/new", typed)
    expect(refused.status).toBe(422)
    expect(refused.text).toContain("a &lt;b&gt;")
    expect(refused.text).toMatch(/id="field-allowed_ips"[^>]*aria-invalid="true"/s)
    expect(refused.text).toMatch(/id="field-rate_limit_per_minute"[^>]*aria-invalid="true"/s)
  })

  it("keeps a key until the end of the day that was chosen, which the calendar of the console offers", async () => {
    const form = await owner.get("/console/keys/new")
    expect(form.text).toContain('data-date-open="field-expires_at"')
    const fields = { name: "until", mode: "test", expires_at: "۱۴۰۸/۱۰/۱۱" }
    expect((await submit(owner, "/console/keys/new", "/console/keys/new", fields)).status).toBe(200)
    expect((await owner.get("/console/keys")).text).toContain('datetime="2029-12-31T20:30:00')
  })

  it("names the key that it asks to revoke, in both languages", async () => {
    const made = await submit(owner, "/console/keys/new", "/console/keys/new", { name: "till", mode: "test" })
    expect(made.status).toBe(200)
    const [, path = ""] =
      /href="(\/console\/keys\/\d+)"[^>]*>(?:<bdi>)?till/.exec((await owner.get("/console/keys")).text) ?? []
    const named = async (language: string) => (await owner.get(`${path}?lang=${language}`)).text
    expect(await named("fa")).toContain("درخواست‌های کلید «\u2068till\u2069» رد می‌شود")
    expect(await named("en")).toContain("Requests with “\u2068till\u2069” are refused from now on.")
  })

  it("changes, rotates and revokes a key", async () => {
    const made = await submit(owner, "/console/keys/new", "/console/keys/new", { name: "old", mode: "live" })
    const secret = secretIn(made)
    const { text } = await owner.get("/console/keys")
    const path = /href="(\/console\/keys\/\d+)"><bdi>old/.exec(text)?.[1] ?? ""
    const renamed = await submit(owner, path, path, {
      name: "renamed",
      allowed_ips: "203.0.113.7",
      version: "1"
    })
    expect(renamed).toMatchObject({ status: 303, location: `${path}?notice=saved` })
    expect((await sendWith(secret)).status).toBe(403)
    await submit(owner, path, path, { name: "renamed", allowed_ips: "", version: "2" })
    const rotated = await submit(owner, path, `${path}/rotate`, { overlap_seconds: "3600" })
    expect((await sendWith(secretIn(rotated))).status).toBe(200)
    expect((await sendWith(secret)).status).toBe(200)
    const revoked = await submit(owner, path, `${path}/revoke`)
    expect(revoked).toMatchObject({ status: 303, location: `${path}?notice=revoked` })
    expect((await sendWith(secret)).status).toBe(401)
    expect(await actions()).toEqual(
      expect.arrayContaining(["api_key.update", "api_key.rotate", "api_key.revoke"])
    )
  })

  it("is for reading only to viewers, and other customers' keys are not there", async () => {
    const viewer = await as("viewer")
    const list = await viewer.get("/console/keys")
    expect(list.text).not.toContain("/console/keys/new")
    expect((await viewer.get("/console/keys/new")).status).toBe(403)
    expect(
      (await submit(viewer, "/console/keys", "/console/keys/new", { name: "x", mode: "live" })).status
    ).toBe(403)
    expect((await submit(viewer, "/console/keys", "/console/keys/1/revoke")).status).toBe(403)
    expect((await owner.get("/console/keys/999999")).status).toBe(404)
    expect((await owner.get("/console/keys/none")).status).toBe(404)
  })
})

describe("tokens in the console", () => {
  it("are made and revoked by owners", async () => {
    const made = await submit(owner, "/console/tokens/new", "/console/tokens/new", {
      name: "deployment",
      scope: "read_only"
    })
    const authorization = `apikey ${secretIn(made)}`
    expect((await manage(server, "GET", "/wallet", { authorization })).status).toBe(200)
    const { text } = await owner.get("/console/tokens")
    const action = /action="(\/console\/tokens\/\d+\/revoke)"/.exec(text)?.[1] ?? ""
    expect((await submit(owner, "/console/tokens", action)).status).toBe(303)
    expect((await manage(server, "GET", "/wallet", { authorization })).status).toBe(401)
  })

  it("are only read by developers", async () => {
    const developer = await as("developer")
    expect((await developer.get("/console/tokens")).status).toBe(200)
    expect((await developer.get("/console/tokens/new")).status).toBe(403)
    const refused = await submit(developer, "/console/tokens", "/console/tokens/new", {
      name: "mine",
      scope: "full"
    })
    expect(refused.status).toBe(403)
  })
})
