import { beforeAll, describe, expect, it } from "vitest"
import { newCustomer } from "../contract/Operator.ts"
import { type SharedServer, sharedServerWithDemo } from "../contract/SharedServer.ts"
import { csrfIn, newOperator, signedIn, type Visitor } from "./Visitor.ts"

let server: SharedServer
let viewer: Visitor
beforeAll(async () => {
  server = await sharedServerWithDemo()
  viewer = await signedIn(server, server.demo.customer_id, "viewer")
})

const save = async (visitor: Visitor, name: string, query: string, page = "verifications") =>
  visitor.post("/console/views", {
    csrf: csrfIn(await visitor.get("/console/views")),
    page,
    name,
    query
  })

const idsIn = (text: string) =>
  [...text.matchAll(/action="\/console\/views\/(\d+)\/delete"/g)].map(([, id]) => id)

describe("saved views", () => {
  it("keep the filters of a list under a name, for those who may only read too", async () => {
    const page = await viewer.get("/console/verifications?status=failed&channel=bale&q=")
    expect(page.text).toContain("Save this view")
    expect(page.text).toContain('name="query" value="status=failed&amp;channel=bale"')
    const saved = await save(viewer, "Failed over Bale", "status=failed&channel=bale")
    expect(saved).toMatchObject({
      status: 303,
      location: "/console/verifications?status=failed&channel=bale&notice=saved"
    })
    const again = await viewer.get("/console/verifications?channel=sms")
    expect(again.text).toContain('href="/console/verifications?status=failed&amp;channel=bale"')
    const shown = await viewer.get("/console/verifications?status=failed&channel=bale")
    expect(shown.text).toMatch(/class="chip"[^>]*aria-current="true"/)
    expect(shown.text).not.toContain("Save this view")
    expect((await viewer.get("/console/messages")).text).not.toContain("Failed over Bale")
  })

  it("keep no phone, and nothing else that is searched for", async () => {
    await save(viewer, "Phone", "q=09121234567&metadata=a%3Db&status=verified&lang=fa")
    const { text } = await viewer.get("/console/views")
    expect(text).toContain('href="/console/verifications?status=verified"')
    expect(text).not.toContain("1234567")
  })

  it("are of one user in one customer's console, and others' do not exist", async () => {
    const other = await signedIn(server, server.demo.customer_id, "owner")
    const stranger = await signedIn(server, (await newCustomer(server)).id, "owner")
    await save(viewer, "Mine", "status=expired")
    const [id] = idsIn((await viewer.get("/console/views")).text)
    for (const visitor of [other, stranger]) {
      const { text } = await visitor.get("/console/views")
      expect(text).not.toContain("Mine")
      const csrf = csrfIn(await visitor.get("/console/views"))
      expect((await visitor.post(`/console/views/${id}/delete`, { csrf })).status).toBe(404)
      expect((await visitor.post(`/console/views/${id}/rename`, { csrf, name: "x" })).status).toBe(404)
    }
    const operator = await newOperator(server, `views-${crypto.randomUUID()}@example.ir`)
    expect((await operator.get("/console/views")).status).toBe(302)
  })

  it("are renamed, replaced by their name, and deleted", async () => {
    const user = await signedIn(server, server.demo.customer_id, "developer")
    await save(user, "One", "status=failed")
    await save(user, "Two", "status=locked")
    await save(user, "One", "status=expired")
    const page = await user.get("/console/views")
    const csrf = csrfIn(page)
    const [one = "", two = ""] = idsIn(page.text)
    expect(idsIn(page.text)).toHaveLength(2)
    expect(page.text).toContain("status=expired")
    expect((await user.post(`/console/views/${one}/rename`, { csrf, name: "Eins" })).status).toBe(303)
    const taken = await user.post(`/console/views/${two}/rename`, { csrf, name: "Eins" })
    expect(taken.status).toBe(409)
    expect(taken.text).toContain("Another view of this page has this name.")
    expect((await user.post(`/console/views/${one}/delete`, { csrf })).status).toBe(303)
    expect(idsIn((await user.get("/console/views")).text)).toEqual([two])
  })

  it("are at most 20, also when many are saved at once", async () => {
    const user = await signedIn(server, server.demo.customer_id, "developer")
    const csrf = csrfIn(await user.get("/console/views"))
    const answers = await Promise.all(
      Array.from({ length: 26 }, (_, n) =>
        user.post("/console/views", { csrf, page: "messages", name: `v${n}`, query: `status=s${n}` })
      )
    )
    expect(answers.filter(({ status }) => status === 303)).toHaveLength(20)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(6)
    expect(idsIn((await user.get("/console/views")).text)).toHaveLength(20)
  })

  it("refuse another page, a long query and a missing name", async () => {
    expect((await save(viewer, "x", "", "settings")).status).toBe(422)
    expect((await save(viewer, "", "status=failed")).status).toBe(422)
    expect((await save(viewer, "x", "a=".padEnd(1002, "b"))).status).toBe(422)
  })
})
