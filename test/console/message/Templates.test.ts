import { beforeAll, describe, expect, it } from "vitest"
import { type SharedServer, sharedServerWithDemo } from "../../contract/SharedServer.ts"
import { signedIn, type Visitor } from "../Visitor.ts"
import { demoApi, submit } from "../Forms.ts"

let server: SharedServer
let owner: Visitor
let api: ReturnType<typeof demoApi>
beforeAll(async () => {
  server = await sharedServerWithDemo()
  api = demoApi(server)
  owner = await signedIn(server, server.demo.customer_id, "owner")
})

describe("a template", () => {
  const fields = { name: "Sign-in", body: "کد شما: {{code}}" }

  it("is previewed before it is saved, with the parts of an SMS", async () => {
    const body = "س".repeat(71)
    const reply = await submit(owner, "/console/templates/new", "/console/templates/new", {
      ...fields,
      body,
      do: "preview"
    })
    expect(reply.status).toBe(200)
    expect(reply.text).toMatch(/2 SMS parts · 71 characters, 63 left/)
  })

  it("is created, changed and switched off", async () => {
    const created = await submit(owner, "/console/templates/new", "/console/templates/new", {
      ...fields,
      do: "save"
    })
    const path = (created.location ?? "").replace(/\?.*/, "")
    expect(path).toMatch(/^\/console\/templates\/\d+$/)
    await submit(owner, path, path, { ...fields, name: "Other", version: "1", do: "save" })
    await submit(owner, path, `${path}/disable`, {})
    expect(await api("GET", `/templates/${path.split("/").at(-1)}`)).toMatchObject({
      name: "Other",
      active: false
    })
  })

  it("keeps what was typed next to somebody else's change, and is saved after that", async () => {
    const made = await submit(owner, "/console/templates/new", "/console/templates/new", {
      ...fields,
      do: "save"
    })
    const path = (made.location ?? "").replace(/\?.*/, "")
    await submit(owner, path, path, { ...fields, name: "Theirs", version: "1", do: "save" })
    const mine = { name: "Mine", body: "رمز: {{code}}" }
    const preview = await submit(owner, path, path, { ...mine, version: "1", do: "preview" })
    expect(preview.text).toContain('name="version" value="1"')
    const late = await submit(owner, path, path, { ...mine, version: "1", do: "save" })
    expect(late.status).toBe(412)
    expect(late.text).toContain("Someone else changed this in the meantime.")
    expect(late.text).toContain("<bdi>Theirs</bdi>")
    expect(late.text).toContain("رمز: {{code}}")
    const version = /name="version" value="(\d+)"/.exec(late.text)?.[1] ?? ""
    const again = await submit(owner, path, path, { ...mine, version, do: "save" })
    expect(again.status).toBe(303)
    expect(await api("GET", `/templates/${path.split("/").at(-1)}`)).toMatchObject(mine)
  })

  it("shows its text as text", async () => {
    const body = `<script>alert("{{name}}")</script>`
    const { text } = await submit(owner, "/console/templates/new", "/console/templates/new", {
      name: "x",
      body,
      do: "preview"
    })
    expect(text).not.toContain("<script>alert")
    expect(text).toContain("&lt;script&gt;")
  })
})
