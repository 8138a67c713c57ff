import { beforeAll, describe, expect, it } from "vitest"
import { issues, messages, newPhone, ok, otp, refused, request, type Status } from "../Client.ts"
import { etagOf, ifMatch, type Manager, newManager } from "../ManagedSetUp.ts"
import { type SharedServer, sharedServerWithDemo } from "../SharedServer.ts"

let server: SharedServer
let owner: Awaited<ReturnType<typeof newManager>>
let other: Manager
beforeAll(async () => {
  server = await sharedServerWithDemo()
  ;[owner, other] = await Promise.all([newManager(server), newManager(server)])
})

const auditOf = async (action: string) => {
  const { data } = ok<{ readonly data: ReadonlyArray<{ readonly action: string }> }>(
    await owner.get("/audit-log?limit=100")
  )
  return data.filter((entry) => entry.action === action)
}

describe("DELETE /v1/manage/accounts/{id}", () => {
  it("removes the account; history keeps its label", async () => {
    const account = await owner.newAccount("eitaa")
    const key = (await owner.newKey()).secret
    const api = otp(server, key)
    const { verification_id: id } = await api.sent({ channels: "eitaa" })
    expect((await owner.delete(`/accounts/${account.credential_id}`)).status).toBe(204)
    refused(await owner.get(`/accounts/${account.credential_id}`), 404, "not_found")
    refused(await owner.delete(`/accounts/${account.credential_id}`), 404, "not_found")
    expect((await api.status(id)).attempts[0]?.channel.label).toBe(account.label)
    expect(await auditOf("account.remove")).toHaveLength(1)
  })

  it("is 409 conflict while the routing order names it", async () => {
    const { credential_id } = await owner.newAccount("rubika")
    ok(await owner.put("/routing", { steps: [{ channel: "rubika", account_id: credential_id }] }))
    const { details } = refused(await owner.delete(`/accounts/${credential_id}`), 409, "conflict")
    expect(details).toMatchObject({ reason: expect.stringMatching(/routing order/), used_by: "routing" })
    ok(await owner.put("/routing", { steps: [] }))
    expect((await owner.delete(`/accounts/${credential_id}`)).status).toBe(204)
  })

  it("is 409 conflict while a code or a message under way may use it", async () => {
    const [first, second] = [await owner.newAccount("bale"), await owner.newAccount("sms")]
    const key = (await owner.newKey()).secret
    const { verification_id: id } = await otp(server, key).sent({ channels: ["bale", "sms"] })
    const code = refused(await owner.delete(`/accounts/${second.credential_id}`), 409, "conflict")
    expect(code.details).toMatchObject({ reason: expect.stringMatching(/code/), used_by: "codes" })
    const { message_id } = await messages(server, key).created({ channels: "bale", delay: "1h" })
    const message = refused(await owner.delete(`/accounts/${first.credential_id}`), 409, "conflict")
    expect(message.details).toMatchObject({ reason: expect.stringMatching(/message/), used_by: "messages" })
    const headers = { "x-api-key": key }
    for (const path of [`/v1/otp/${id}`, `/v1/messages/${message_id}`]) {
      ok<Status>(await request(server, "POST", `${path}/cancel`, { headers }))
    }
    for (const { credential_id } of [first, second]) {
      expect((await owner.delete(`/accounts/${credential_id}`)).status).toBe(204)
    }
    refused(await otp(server, key).send({ phone: newPhone(), channels: "bale" }), 422, "no_credentials")
  })

  it("is 404 for another customer's account", async () => {
    const { credential_id } = await owner.newAccount("eitaa")
    refused(await other.delete(`/accounts/${credential_id}`), 404, "not_found")
  })
})

describe("DELETE /v1/manage/templates/{id}", () => {
  it("removes the template, unless a step of the routing order names it", async () => {
    const account = await owner.newAccount("bale")
    const { id } = ok<{ readonly id: number }>(
      await owner.post("/templates", { name: "login", body: "{{code}}" }),
      201
    )
    ok(await owner.put("/routing", { steps: [{ channel: "bale", template_id: id }] }))
    const { details } = refused(await owner.delete(`/templates/${id}`), 409, "conflict")
    expect(details).toMatchObject({ reason: expect.stringMatching(/routing order/), used_by: "routing" })
    ok(await owner.put("/routing", { steps: [] }))
    refused(await other.delete(`/templates/${id}`), 404, "not_found")
    expect((await owner.delete(`/templates/${id}`)).status).toBe(204)
    refused(await owner.get(`/templates/${id}`), 404, "not_found")
    expect(await auditOf("template.remove")).toHaveLength(1)
    expect((await owner.delete(`/accounts/${account.credential_id}`)).status).toBe(204)
  })
})

describe("a deletion with If-Match", () => {
  const webhook = { url: "http://127.0.0.1:9/", events: ["*"] }
  const account = { channel: "eitaa", provider: "simulator", label: "Eitaa", settings: {} }
  it.each([
    ["/accounts", account, { label: "other" }],
    ["/templates", { name: "x", body: "y" }, { body: "z" }],
    ["/webhooks", webhook, { description: "other" }],
    ["/api-keys", { name: "shop", mode: "live" }, { name: "other" }]
  ])("under %s is 412 for a stale version, and deletes nothing", async (path, body, change) => {
    const made = ok<{ readonly id?: number; readonly credential_id?: number }>(
      await owner.post(path, body),
      201
    )
    const one = `${path}/${made.credential_id ?? made.id}`
    const changed = ok(await owner.patch(one, change))
    const stale = await owner.delete(one, ifMatch(1))
    expect(refused(stale, 412, "precondition_failed").details).toEqual({ version: 2 })
    expect(issues(await owner.delete(one, ifMatch("x")))).toEqual(["headers.if-match"])
    const reply = await owner.get(one)
    expect(ok(reply)).toEqual(changed)
    expect(reply.headers.get("etag")).toBe(etagOf(2))
    expect((await owner.delete(one, ifMatch(2))).status).toBe(204)
  })
})

describe("on the command line", () => {
  it("accounts, templates and webhooks are deleted too", async () => {
    const { credential_id } = await owner.newAccount("eitaa")
    const account = await server.cli("account", "delete", "--account", String(credential_id))
    expect(account).toEqual({ credential_id, deleted: true })
    const { id } = ok<{ readonly id: number }>(await owner.post("/templates", { name: "x", body: "y" }), 201)
    expect(await server.cli("template", "delete", "--template", String(id))).toEqual({ id, deleted: true })
    const customer = owner.customerId
    const made = await server.cli(
      "webhook",
      "create",
      "--customer",
      customer,
      "--url",
      "http://127.0.0.1:9/h",
      "--events",
      "*"
    )
    const webhook = (made as { readonly id: number }).id
    const flags = ["--customer", customer, "--webhook", String(webhook)]
    expect(await server.cli("webhook", "delete", ...flags)).toEqual({ id: webhook, deleted: true })
    refused(await owner.get(`/webhooks/${webhook}`), 404, "not_found")
  })
})
