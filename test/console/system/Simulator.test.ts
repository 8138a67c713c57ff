import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { demoApi, submit } from "../Forms.ts"
import { csrfIn, newVisitor, signedIn, type Visitor } from "../Visitor.ts"
import { type Server, startServer } from "../../contract/Server.ts"

let server: Server
let owner: Visitor
let viewer: Visitor
let api: ReturnType<typeof demoApi>
beforeAll(async () => {
  server = await startServer()
  api = demoApi(server)
  owner = await signedIn(server, server.demo.customer_id, "owner")
  viewer = await signedIn(server, server.demo.customer_id, "viewer")
})
afterAll(() => server?.stop())

describe("the simulator", () => {
  const send = (phone: string) =>
    submit(owner, "/console/test", "/console/test", { mode: "live", do: "send", phone, target: "sms:" })

  it("finds messages by a part of the number, and by the code", async () => {
    await send("09121110021")
    const { text } = await owner.get("/simulator?phone=0912111002")
    expect(text).toContain("+989121110021")
    const code = /class="mono"><bdi dir="ltr">(\d+)</.exec(text)?.[1] ?? ""
    expect(code).toMatch(/^\d{6}$/)
    expect((await owner.get(`/simulator?text=${code}`)).text).toContain("+989121110021")
    expect((await owner.get("/simulator?phone=0935")).text).not.toContain("+989121110021")
  })

  it("shows the newest message whole, or the one that was chosen", async () => {
    const preview = async (query: string) => {
      const { text } = await owner.get(`/simulator${query}`)
      return /id="preview"[^]*?<\/section>/.exec(text)?.[0] ?? ""
    }
    await send("09121110031")
    await send("09121110032")
    expect(await preview("?phone=0912111003")).toContain("+989121110032")
    const { text } = await owner.get("/simulator?phone=0912111003")
    const row = text.split("<li>").find((item) => item.includes("+989121110031")) ?? ""
    const [, link = ""] = /href="([^"#]+)#preview"/.exec(row) ?? []
    const chosen = await preview(link.replaceAll("&amp;", "&").replace("/simulator", ""))
    expect(chosen).toContain("+989121110031")
    expect(chosen).not.toContain("+989121110032")
    expect(await preview("?message=999999999")).toContain("+989121110032")
  })

  it("answers a search for what cannot be stored, and so does every list of the console", async () => {
    const names = [
      "phone",
      "channel",
      "text",
      "q",
      "status",
      "id",
      "kind",
      "from",
      "to",
      "by",
      "what",
      "event"
    ]
    const query = names.map((name) => `${name}=%00x`).join("&")
    const lists = ["verifications", "messages", "requests", "audit", "webhooks", "guard", "money", "usage"]
    for (const path of ["/simulator", ...lists.map((list) => `/console/${list}`)]) {
      expect((await owner.get(`${path}?${query}`)).status, path).toBeLessThan(500)
    }
  })

  it("can be looked at by anybody, and changed only by those who may write", async () => {
    const nobody = newVisitor(server)
    const { status, text } = await nobody.get("/simulator")
    expect(status).toBe(200)
    expect(text).not.toContain('method="post"')
    for (const visitor of [nobody, viewer]) {
      const csrf = visitor === viewer ? csrfIn(await viewer.get("/console/overview")) : "x"
      expect((await visitor.post("/simulator/delete", { csrf, all: "true" })).status).toBe(403)
    }
    expect((await viewer.get("/simulator")).text).not.toContain('action="/simulator/delete"')
  })

  it("deletes its messages", async () => {
    await send("09121110022")
    await submit(owner, "/simulator", "/simulator/delete", { all: "true" })
    const { data } = (await (await fetch(`${server.url}/simulator/messages`)).json()) as {
      data: ReadonlyArray<unknown>
    }
    expect(data).toEqual([])
  })

  it("forces the outcome of an account's next send, once", async () => {
    const path = "/console/channels/6"
    const forced = await submit(owner, path, `${path}/outcome`, { outcome: "rejected", back: "simulator" })
    expect(forced.location).toBe("/simulator")
    const outcomes = []
    for (const phone of ["09121110023", "09121110024"]) {
      const { location } = await send(phone)
      const id = new URL(location ?? "", server.url).searchParams.get("id") ?? ""
      outcomes.push(await api("GET", `/verifications/${id}`))
    }
    expect(outcomes).toMatchObject([{ status: "failed" }, { status: "queued" }])
  })
})
