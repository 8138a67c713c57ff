import { beforeAll, describe, expect, it } from "vitest"
import { type SharedServer, sharedServerWithDemo } from "../../contract/SharedServer.ts"
import { newVisitor, signedIn, type Visitor } from "../Visitor.ts"

let server: SharedServer
let nobody: Visitor
beforeAll(async () => {
  server = await sharedServerWithDemo()
  nobody = newVisitor(server)
})

describe("an address that nothing serves", () => {
  it.each(["/nowhere", "/nowhere/at/all", "/v1x", "/simulator/nowhere"])(
    "%s is a page for browsers",
    async (path) => {
      const { status, headers, text } = await newVisitor(server).get(path)
      expect(status).toBe(404)
      expect(headers.get("content-type")).toContain("text/html")
      expect(headers.get("content-security-policy")).toContain("default-src 'self'")
      expect(text).toContain("Page not found")
      expect(text).toContain('href="/console"')
      expect((await nobody.get(`${path}?lang=fa`)).text).toContain("صفحه پیدا نشد")
    }
  )

  it.each(["/v1", "/v1/nowhere"])("%s is an envelope for everybody", async (path) => {
    const { status, headers, text } = await newVisitor(server).get(path)
    expect(status).toBe(404)
    expect(headers.get("content-type")).toContain("application/json")
    expect(JSON.parse(text)).toMatchObject({ error: { code: "not_found" } })
  })

  it("is an envelope for programs", async () => {
    const { text } = await nobody.get("/nowhere", { accept: "application/json" })
    expect(JSON.parse(text)).toMatchObject({ error: { code: "not_found" } })
  })
})

it("the icon is where browsers look for it", async () => {
  const { status, headers, text } = await nobody.get("/favicon.ico")
  expect(status).toBe(200)
  expect(headers.get("content-type")).toBe("image/svg+xml")
  expect(text).toContain("<svg")
})

it("the theme can be that of the system again, and the page says which was chosen", async () => {
  const owner = await signedIn(server, server.demo.customer_id, "owner")
  const chosen = (text: string) => /href="[^"]*theme=(\w+)"\s+aria-current="true"/.exec(text)?.[1]
  const themeOf = (text: string) => /data-theme="(\w+)"/.exec(text)?.[1]
  expect(themeOf((await owner.get("/console/settings?theme=dark")).text)).toBe("dark")
  expect(chosen((await owner.get("/console/settings")).text)).toBe("dark")
  await owner.get("/console/settings?theme=system")
  const { text } = await owner.get("/console/settings")
  expect(themeOf(text)).toBe("system")
  expect(chosen(text)).toBe("system")
})
