import { beforeAll, describe, expect, it } from "vitest"
import { type SharedServer, sharedServerWithDemo } from "../../contract/SharedServer.ts"
import { signedIn, type Visitor } from "../Visitor.ts"
import { demoApi, hiddenFields, submit } from "../Forms.ts"

let server: SharedServer
let owner: Visitor
let api: ReturnType<typeof demoApi>
beforeAll(async () => {
  server = await sharedServerWithDemo()
  api = demoApi(server)
  owner = await signedIn(server, server.demo.customer_id, "owner")
})

describe("a form of the guard that is refused", () => {
  it("keeps the settings that were typed", async () => {
    const typed = { mode: "enforcing", unverified_hour: "many", sms_price: "1200" }
    const { status, text } = await submit(owner, "/console/guard", "/console/guard", typed)
    expect(status).toBe(422)
    expect(text).toContain('<option value="enforcing" selected')
    expect(text).toMatch(/name="unverified_hour"[^>]*value="many"/)
    expect(text).toMatch(/name="sms_price"[^>]*value="1200"/)
  })

  it("does not overwrite somebody else's change, and is saved after it has shown that", async () => {
    const path = "/console/guard"
    const { version } = hiddenFields(await owner.get(path), path)
    const typed = { mode: "record", unverified_hour: "", sms_price: "1300", version: version ?? "" }
    await api("PATCH", "/guard", { mode: "enforcing" })
    const late = await submit(owner, path, path, typed)
    expect(late.status).toBe(412)
    expect(late.text).toMatch(/name="sms_price"[^>]*value="1300"/)
    expect(await api("GET", "/guard")).toMatchObject({ mode: "enforcing", sms_price: null })
    const again = await submit(owner, path, path, { ...typed, ...hiddenFields(late, path) })
    expect(again.status).toBe(303)
    expect(await api("GET", "/guard")).toMatchObject({ mode: "record", sms_price: 1300 })
  })

  it("keeps the kind and the value of a line", async () => {
    const typed = { deny_type: "ip", deny_value: "203.0.113.x" }
    const { status, text } = await submit(owner, "/console/guard", "/console/guard/deny/add", typed)
    expect(status).toBe(422)
    expect(text).toContain('<option value="ip" selected')
    expect(text).toMatch(/name="deny_value"[^>]*value="203\.0\.113\.x"/)
    expect(text).toMatch(/name="allow_value"[^>]*value=""/)
  })
})
