import { beforeAll, describe, expect, it } from "vitest"
import { newPhone, ok, otp, type Reply, refused, timestamp } from "../Client.ts"
import type { List } from "../ManagedCustomer.ts"
import {
  type Account,
  type AuditLine,
  type CreatedApiKey,
  done,
  type Manager,
  manager,
  newManager,
  readerOf
} from "../ManagedSetUp.ts"
import { codeOf, simulated } from "../Operator.ts"
import { type SharedServer, sharedServerWithDemo } from "../SharedServer.ts"

let server: SharedServer
/** Manages the demo customer, which is another customer. */
let stranger: Manager
beforeAll(async () => {
  server = await sharedServerWithDemo()
  const { token } = server.demo as typeof server.demo & { readonly token: string }
  stranger = manager(server, token)
})

const BOT_TOKEN = "3000000003:NobodysTelegramToken_0123456789abcdefg"
const telegramBot = {
  channel: "telegram",
  provider: "telegram_bot",
  label: "Our bot",
  settings: { token: BOT_TOKEN },
  check: false
}

describe("a customer with nothing but a token", () => {
  it("connects accounts, orders them, makes a key and a template, and sends a code that verifies", async () => {
    const mine = await newManager(server)
    const bale = await mine.newAccount("bale", { settings: { outcome: "unreachable" } })
    const eitaa = await mine.newAccount("eitaa", { label: "The shop's Eitaa", default: true })
    const steps = [
      { channel: "bale", wait: 45 },
      { channel: "eitaa", account_id: eitaa.credential_id }
    ]
    expect(ok(await mine.put("/routing", { steps }))).toEqual({ steps, version: 1 })
    const { secret } = await mine.newKey()
    const template = await mine.newTemplate("رمز فروشگاه: {{code}} ({{minutes}} دقیقه)")
    expect(template).toMatchObject({ problem: null, carries_codes: true })

    const phone = newPhone()
    const sent = await otp(server, secret).sent({ phone, template_id: template.id })
    expect(sent).toMatchObject({
      status: "queued",
      current_attempt_channel: { provider: "bale", credential_id: bale.credential_id }
    })
    const { attempts } = await otp(server, secret).attempted(sent.verification_id, 2)
    expect(attempts).toMatchObject([
      { channel: { credential_id: bale.credential_id }, status: "failed" },
      { channel: { credential_id: eitaa.credential_id, label: "The shop's Eitaa" }, status: "sent" }
    ])
    const code = await codeOf(server, phone)
    expect((await simulated(server, phone)).map(({ text }) => text)).toEqual([
      `رمز فروشگاه: ${code} (5 دقیقه)`
    ])
    const outcome = await otp(server, secret).outcome(sent.verification_id, code)
    expect(outcome).toEqual({ verified: true, reason: "ok" })
    expect(await mine.read(`/verifications/${sent.verification_id}`)).toMatchObject({ status: "verified" })
  })
})

describe("another customer's resources", () => {
  const targets = { key: 0, account: 0, template: 0 }
  let owner: Manager
  let before: ReadonlyArray<unknown>
  const everything = () =>
    Promise.all(
      ["/api-keys", "/accounts", `/accounts/${targets.account}/contacts`, "/templates", "/routing"].map(
        (path) => owner.read(path)
      )
    )
  beforeAll(async () => {
    owner = await newManager(server)
    targets.key = (await owner.newKey()).id
    targets.account = ok<Account>(await owner.post("/accounts", telegramBot), 201).credential_id
    targets.template = (await owner.newTemplate("{{code}}")).id
    const contacts = [{ phone: "09121111111", chat_id: "77" }]
    ok(await owner.put(`/accounts/${targets.account}/contacts`, { contacts }))
    before = await everything()
  })

  const operations: ReadonlyArray<[method: string, of: keyof typeof targets, rest: string, body?: unknown]> =
    [
      ["GET", "key", ""],
      ["PATCH", "key", "", { name: "mine now" }],
      ["DELETE", "key", ""],
      ["POST", "key", "/rotate", {}],
      ["GET", "account", ""],
      ["PATCH", "account", "", { label: "mine now" }],
      ["PATCH", "account", "", { settings: telegramBot.settings, check: false }],
      ["PATCH", "account", "", { settings: {} }],
      ["POST", "account", "/check"],
      ["GET", "account", "/inbox"],
      ["POST", "account", "/inbox/rotate", {}],
      ["GET", "account", "/contacts"],
      ["PUT", "account", "/contacts", { contacts: [{ phone: "09122222222", chat_id: "78" }] }],
      ["PUT", "account", "/contacts", { contacts: [] }],
      ["DELETE", "account", "/contacts/09121111111"],
      ["GET", "template", ""],
      ["PATCH", "template", "", { body: "mine now" }]
    ]
  const roots = { key: "api-keys", account: "accounts", template: "templates" }

  it.each(operations)("are not found by %s of a %s%s", async (method, of, rest, body) => {
    refused(await stranger.call(method, `/${roots[of]}/${targets[of]}${rest}`, body), 404, "not_found")
  })

  it("are not found by HEAD either", async () => {
    for (const kind of ["key", "account", "template"] as const) {
      const { status, text } = await stranger.call("HEAD", `/${roots[kind]}/${targets[kind]}`)
      expect([status, text]).toEqual([404, ""])
    }
  })

  it.each(["key", "account", "template"] as const)("of each kind (%s) are in no list", async (of) => {
    const path = `/${roots[of]}?limit=100`
    const { data } = await stranger.read<List<Record<string, unknown>>>(path)
    expect(data.map((each) => each["id"] ?? each["credential_id"])).not.toContain(targets[of])
  })

  it("are as they were, and the audit logs say nothing of the attempts", async () => {
    expect(await everything()).toEqual(before)
    const ids = Object.values(targets).map(String)
    expect((await stranger.audit()).filter(({ subject }) => ids.includes(subject.id))).toEqual([])
    // The operator, who made the customer, has entries too.
    const own = (await owner.audit()).filter(({ actor }) => actor.kind !== "operator")
    expect(own.map(({ action }) => action)).toEqual([
      "contacts.import",
      "template.create",
      "account.connect",
      "api_key.create"
    ])
  })
})

describe("a token that may only read", () => {
  let owner: Manager
  let reader: Manager
  const ids = { key: 0, account: 0, template: 0 }
  beforeAll(async () => {
    owner = await newManager(server)
    reader = await readerOf(server, owner)
    ids.key = (await owner.newKey()).id
    ids.account = ok<Account>(await owner.post("/accounts", telegramBot), 201).credential_id
    ids.template = (await owner.newTemplate("{{code}}")).id
  })

  const at = (path: string) =>
    path
      .replace("KEY", String(ids.key))
      .replace("ACCOUNT", String(ids.account))
      .replace("TEMPLATE", String(ids.template))

  it.each([
    "/api-keys",
    "/api-keys/KEY",
    "/accounts",
    "/accounts/ACCOUNT",
    "/accounts/ACCOUNT/contacts",
    "/routing",
    "/templates",
    "/templates/TEMPLATE"
  ])("reads %s", async (path) => {
    ok(await reader.get(at(path)))
    expect((await reader.call("HEAD", at(path))).status).toBe(200)
  })

  it("does not see the secret path of an account's inbox", async () => {
    refused(await reader.get(at("/accounts/ACCOUNT/inbox")), 403, "scope_insufficient")
  })

  it.each([
    ["POST", "/api-keys", { name: "x", mode: "live" }],
    ["PATCH", "/api-keys/KEY", { name: "x" }],
    ["DELETE", "/api-keys/KEY", undefined],
    ["POST", "/api-keys/KEY/rotate", {}],
    ["POST", "/accounts", telegramBot],
    ["PATCH", "/accounts/ACCOUNT", { active: false }],
    ["POST", "/accounts/ACCOUNT/check", undefined],
    ["POST", "/accounts/ACCOUNT/inbox/rotate", {}],
    ["PUT", "/accounts/ACCOUNT/contacts", { contacts: [{ phone: "09121111111", chat_id: "1" }] }],
    ["DELETE", "/accounts/ACCOUNT/contacts/09121111111", undefined],
    ["PUT", "/routing", { steps: [{ channel: "sms" }] }],
    ["POST", "/templates", { name: "x", body: "x" }],
    ["PATCH", "/templates/TEMPLATE", { active: false }]
  ] as const)("is refused a %s of %s, and nothing changes", async (method, path, body) => {
    const before = await owner.audit()
    refused(await reader.call(method, at(path), body), 403, "scope_insufficient")
    // Before the body is looked at.
    refused(await reader.call(method, at(path), "not what is expected"), 403, "scope_insufficient")
    expect(await owner.audit()).toEqual(before)
  })
})

describe("the audit log", () => {
  let mine: Manager
  beforeAll(async () => {
    mine = await newManager(server)
  })

  let requests = 0
  /** Makes one write and gives the one line that it left, checked for who, from where and in which request. */
  const lineOf = async (
    method: string,
    path: string,
    body?: unknown
  ): Promise<{ readonly reply: Reply; readonly line: AuditLine }> => {
    const before = await mine.audit()
    const request_id = `written-${(requests += 1)}`
    const reply = await mine.call(method, path, body, { "x-request-id": request_id, "user-agent": "shop/1" })
    expect(reply.status, reply.text).toBeOneOf([200, 201, 204])
    const [line, ...older] = await mine.audit()
    expect(older).toEqual(before)
    expect(line).toMatchObject({
      actor: { kind: "token", id: expect.any(String), name: "CI" },
      ip: "127.0.0.1",
      user_agent: "shop/1",
      request_id,
      occurred_at: expect.stringMatching(timestamp)
    })
    if (line === undefined) throw new Error("no line")
    return { reply, line }
  }

  /** The action, its subject and its details; and none of the secrets is in the line. */
  const told = async (secrets: ReadonlyArray<string>, method: string, path: string, body?: unknown) => {
    const { reply, line } = await lineOf(method, path, body)
    for (const secret of secrets) expect(JSON.stringify(line)).not.toContain(secret)
    return { reply, line: { action: line.action, subject: line.subject } }
  }

  it("records each write to a key, without its secret", async () => {
    const made = await lineOf("POST", "/api-keys", { name: "shop", mode: "live" })
    const { id, secret } = ok<CreatedApiKey>(made.reply, 201)
    const subject = { type: "api_key", id: String(id), name: expect.any(String) }
    expect(made.line).toMatchObject({ action: "api_key.create", subject })
    expect(JSON.stringify(made.line)).not.toContain(secret)
    const { line: changed } = await told([secret], "PATCH", `/api-keys/${id}`, { name: "till" })
    expect(changed).toEqual({ action: "api_key.update", subject })
    const rotated = await lineOf("POST", `/api-keys/${id}/rotate`, {})
    expect(rotated.line).toMatchObject({ action: "api_key.rotate", subject })
    expect(JSON.stringify(rotated.line)).not.toContain(ok<CreatedApiKey>(rotated.reply, 201).secret)
    const { line: revoked } = await told([secret], "DELETE", `/api-keys/${id}`)
    expect(revoked).toEqual({ action: "api_key.revoke", subject })
  })

  it("records each write to an account, without its settings, contacts or path", async () => {
    const secrets = [BOT_TOKEN, "NobodysTelegramToken", "9121111111", "chat-77"]
    const made = await told(secrets, "POST", "/accounts", telegramBot)
    const { credential_id: id } = ok<Account>(made.reply, 201)
    const subject = { type: "account", id: String(id), name: expect.any(String) }
    expect(made.line).toEqual({ action: "account.connect", subject })
    const change = { settings: telegramBot.settings, check: false, label: "Renamed", per_minute: 3 }
    const { line: changed } = await told(secrets, "PATCH", `/accounts/${id}`, change)
    expect(changed).toEqual({ action: "account.update", subject })
    const contacts = [{ phone: "+989121111111", chat_id: "chat-77" }]
    const { line: imported } = await told(secrets, "PUT", `/accounts/${id}/contacts`, { contacts })
    expect(imported).toEqual({ action: "contacts.import", subject })
    const { line: removed } = await told(secrets, "DELETE", `/accounts/${id}/contacts/09121111111`)
    expect(removed).toEqual({ action: "contacts.remove", subject })
    const rotated = await lineOf("POST", `/accounts/${id}/inbox/rotate`, {})
    expect(rotated.line).toMatchObject({ action: "account.rotate_inbox", subject })
    const { path } = ok<{ path: string }>(rotated.reply)
    expect(JSON.stringify(rotated.line)).not.toContain(path.split("/").at(-1))
  })

  it("records each write to the routing order and to templates", async () => {
    const { line: routed } = await told([], "PUT", "/routing", { steps: [{ channel: "sms" }] })
    expect(routed).toMatchObject({ action: "routing.save", subject: { type: "routing" } })
    const { line: removed } = await told([], "PUT", "/routing", { steps: [] })
    expect(removed).toMatchObject({ action: "routing.save" })
    const made = await told([], "POST", "/templates", { name: "hello", body: "سلام {{name}}" })
    const { id } = ok<{ id: number }>(made.reply, 201)
    const subject = { type: "template", id: String(id), name: expect.any(String) }
    expect(made.line).toEqual({ action: "template.create", subject })
    const { line: changed } = await told(["{{other}}"], "PATCH", `/templates/${id}`, { body: "{{other}}" })
    expect(changed).toEqual({ action: "template.update", subject })
  })

  it("is not written by a write that fails, nor by a read", async () => {
    const { id, version } = await mine.newKey()
    const account = await mine.newAccount("sms")
    const before = await mine.audit()
    const stale = { "if-match": `"${version + 7}"` }
    refused(await mine.post("/api-keys", { name: "", mode: "live" }), 422, "validation_error")
    const past = { name: "x", mode: "live", expires_at: "2020-01-01T00:00:00Z" }
    refused(await mine.post("/api-keys", past), 422, "validation_error")
    refused(await mine.patch(`/api-keys/${id}`, { name: "x" }, stale), 412, "precondition_failed")
    refused(await mine.post("/api-keys/2147483647/rotate", {}), 404, "not_found")
    refused(await mine.delete("/api-keys/2147483647"), 404, "not_found")
    const wrong = { channel: "sms", provider: "simulator", label: "x", settings: { outcome: "x" } }
    refused(await mine.post("/accounts", wrong), 422, "validation_error")
    refused(
      await mine.patch(`/accounts/${account.credential_id}`, { active: false }, stale),
      412,
      "precondition_failed"
    )
    refused(
      await mine.put("/routing", { steps: [{ channel: "sms", account_id: 1 }] }),
      422,
      "validation_error"
    )
    const twice = [{ channel: "sms" }, { channel: "sms" }]
    refused(await mine.put("/routing", { steps: twice }), 422, "duplicate_channel")
    refused(await mine.patch("/templates/2147483647", { body: "x" }), 404, "not_found")
    for (const path of ["/routing", "/templates", `/api-keys/${id}`]) ok(await mine.get(path))
    expect(await mine.audit()).toEqual(before)
    done(await mine.delete(`/api-keys/${id}`))
    expect(await mine.audit()).toHaveLength(before.length + 1)
  })
})
