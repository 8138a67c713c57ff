import { beforeAll, describe, expect, it } from "vitest"
import { issues, messages, newPhone, ok, otp, refused, timestamp } from "../Client.ts"
import type { List } from "../ManagedCustomer.ts"
import { etagOf, ifMatch, type Manager, newManager, type Template } from "../ManagedSetUp.ts"
import { textOf } from "../Operator.ts"
import { until } from "../Server.ts"
import { type SharedServer, sharedServer } from "../SharedServer.ts"

let server: SharedServer
let mine: Manager
beforeAll(async () => {
  server = sharedServer()
  mine = await newManager(server)
})

describe("a template", () => {
  it("is created with what is in it", async () => {
    const reply = await mine.post("/templates", {
      name: "greeting",
      body: "سلام {{name}}، {{ order }} {{name}}"
    })
    const made = ok<Template>(reply, 201)
    expect(made).toEqual({
      id: expect.any(Number),
      name: "greeting",
      body: "سلام {{name}}، {{ order }} {{name}}",
      active: true,
      placeholders: ["name"],
      problem: expect.any(String),
      carries_codes: false,
      created_at: expect.stringMatching(timestamp),
      version: 1
    })
    expect(reply.headers.get("etag")).toBe(etagOf(1))
    expect(await mine.read(`/templates/${made.id}`)).toEqual(made)
  })

  it.each([
    ["{{code}}", true, null],
    ["{{code}} {{minutes}}", true, null],
    ["{{code}} {{name}}", false, null],
    ["{{minutes}}", false, null],
    ["سلام", false, null],
    ["{{code}} {{", false, expect.any(String)],
    ["{{کد}}", false, expect.any(String)]
  ])(
    "of the text %s says whether it carries codes, and its problem",
    async (body, carries_codes, problem) => {
      expect(await mine.newTemplate(body)).toMatchObject({ body, carries_codes, problem })
    }
  )

  it.each([
    ["no name", { body: "x" }, ["body.name"]],
    ["an empty name", { name: " ", body: "x" }, ["body.name"]],
    ["an empty text", { name: "x", body: "" }, ["body.body"]],
    ["a text that is too long", { name: "x", body: "x".repeat(4001) }, ["body.body"]],
    ["an unpaired surrogate", { name: "x", body: "x\ud800" }, ["body.body"]],
    ["a null character", { name: "x", body: "x\u0000" }, ["body.body"]],
    ["nothing right", { name: 1, body: 2 }, ["body.body", "body.name"]]
  ])("with %s is refused", async (_what, body, paths) => {
    expect(issues(await mine.post("/templates", body))).toEqual(paths)
  })

  it("is changed where it says, and what it sends then too", async () => {
    const { secret } = await mine.newKey()
    await mine.newAccount("eitaa")
    const made = await mine.newTemplate("old {{code}}")
    const reply = await mine.patch(`/templates/${made.id}`, { body: "new {{name}}" })
    expect(ok(reply)).toEqual({
      ...made,
      body: "new {{name}}",
      placeholders: ["name"],
      carries_codes: false,
      version: 2
    })
    expect(reply.headers.get("etag")).toBe(etagOf(2))
    const to = newPhone()
    const template = { id: made.id, parameters: { name: "Sara" } }
    await messages(server, secret).delivered({ to, channels: "eitaa", template, message: undefined })
    expect(await textOf(server, to)).toBe("new Sara")
    expect(ok(await mine.patch(`/templates/${made.id}`, { name: "renamed" }))).toMatchObject({
      name: "renamed",
      body: "new {{name}}"
    })
  })

  it("that is switched off is of no use until it is switched on", async () => {
    const owner = await newManager(server)
    await owner.newAccount("eitaa")
    const { secret } = await owner.newKey()
    const { id } = await owner.newTemplate("{{code}}")
    const send = () => otp(server, secret).send({ channels: "eitaa", template_id: id })
    const untilAnswered = (status: number) =>
      until(
        `a send with the template to be answered ${status}`,
        async () => {
          const reply = await send()
          return reply.status === status ? reply : undefined
        },
        10_000
      )
    await untilAnswered(200)
    expect(ok(await owner.patch(`/templates/${id}`, { active: false }))).toMatchObject({ active: false })
    refused(await untilAnswered(422), 422, "template_invalid")
    expect(ok(await owner.patch(`/templates/${id}`, { active: true }))).toMatchObject({ active: true })
    await untilAnswered(200)
  })

  it("takes null for absent in a change", async () => {
    const made = await mine.newTemplate("{{code}}")
    const reply = await mine.patch(`/templates/${made.id}`, { name: null, body: null, active: null })
    expect(ok(reply)).toMatchObject({ name: made.name, body: made.body, active: true })
  })

  it("is guarded by If-Match", async () => {
    const { id } = await mine.newTemplate("a")
    ok(await mine.patch(`/templates/${id}`, { body: "b" }, ifMatch(1)))
    const stale = await mine.patch(`/templates/${id}`, { body: "c" }, ifMatch(1))
    expect(refused(stale, 412, "precondition_failed").details).toEqual({ version: 2 })
    ok(await mine.patch(`/templates/${id}`, { body: "d" }, ifMatch("*")))
    expect(issues(await mine.patch(`/templates/${id}`, { body: "e" }, ifMatch("d")))).toEqual([
      "headers.if-match"
    ])
    expect(await mine.read(`/templates/${id}`)).toMatchObject({ body: "d", version: 3 })
  })

  it("is in the list, in parts that make up the whole", async () => {
    const owner = await newManager(server)
    for (let n = 0; n < 5; n++) await owner.newTemplate(`text ${n}`)
    const whole = (await owner.read<List<Template>>("/templates")).data
    expect(whole.map(({ body }) => body).sort()).toEqual([0, 1, 2, 3, 4].map((n) => `text ${n}`))
    const parts = await owner.parts<Template>("/templates", 2)
    expect(parts.map((part) => part.length)).toEqual([2, 2, 1])
    expect(parts.flat()).toEqual(whole)
    expect(issues(await owner.get("/templates?cursor=%00x"))).toEqual(["query.cursor"])
    for (const limit of ["0", "101", "abc"]) {
      expect(new Set(issues(await owner.get(`/templates?limit=${limit}`)))).toEqual(new Set(["query.limit"]))
    }
  })
})
