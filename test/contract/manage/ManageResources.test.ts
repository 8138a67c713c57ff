import { beforeAll, describe, expect, it } from "vitest"
import { issues, messages, newKey, newPhone, ok, otp, refused, request, timestamp } from "../Client.ts"
import type { List } from "../ManagedCustomer.ts"
import {
  type Account,
  type ApiKey,
  type CreatedApiKey,
  done,
  etagOf,
  ifMatch,
  type Manager,
  newManager,
  type Routing,
  type Template,
  useKey,
  withKey
} from "../ManagedSetUp.ts"
import { textOf } from "../Operator.ts"
import { until } from "../Server.ts"
import { type SharedServer, sharedServer } from "../SharedServer.ts"

let server: SharedServer
let mine: Manager
let others: Manager
beforeAll(async () => {
  server = sharedServer()
  ;[mine, others] = await Promise.all([newManager(server), newManager(server)])
})

describe("the routing order", () => {
  let owner: Manager
  let bale: number
  beforeAll(async () => {
    owner = await newManager(server)
    bale = (await owner.newAccount("bale")).credential_id
    await owner.newAccount("sms")
  })
  const routing = (of = owner) => of.read<Routing>("/routing")
  const save = (steps: unknown, headers = {}) => owner.put("/routing", { steps }, headers)
  /** The save must fail with this, and change nothing. */
  const unsaved = async (steps: unknown, code: string) => {
    const before = await routing()
    const error = refused(await save(steps), 422, code)
    expect(await routing()).toEqual(before)
    return error.details
  }

  it("is empty, of version 0, where none is saved", async () => {
    const reply = await others.get("/routing")
    expect(ok(reply)).toEqual({ steps: [], version: 0 })
    expect(reply.headers.get("etag")).toBe(etagOf(0))
  })

  it("is as measured, with measured waits, if the customer wants that, and says so", async () => {
    const manager = await newManager(server)
    await Promise.all([manager.newAccount("bale"), manager.newAccount("sms")])
    const steps = [{ channel: "sms", wait: "measured" }, { channel: "bale" }]
    const measured = ok(await manager.put("/routing", { order: "measured", steps }))
    expect(measured).toEqual({ order: "measured", steps, version: 1 })
    expect(await routing(manager)).toEqual(measured)

    const { secret } = await manager.newKey()
    const { verification_id } = await otp(server, secret).sent()
    const shown = await manager.read<Readonly<Record<string, unknown>>>(`/verifications/${verification_id}`)
    expect(shown).toMatchObject({
      measured_routing: {
        explored: expect.any(Boolean),
        steps: expect.arrayContaining([
          { channel: "bale", conversion: expect.any(Number), codes: 0, verified: 0 }
        ])
      }
    })
    const named = await otp(server, secret).sent({ channels: ["sms"] })
    expect(await manager.read(`/verifications/${named.verification_id}`)).not.toHaveProperty(
      "measured_routing"
    )

    expect(ok(await manager.put("/routing", { steps }))).toEqual({ steps, version: 2 })
    refused(await manager.put("/routing", { order: "best", steps }), 422, "validation_error")
    refused(
      await manager.put("/routing", { steps: [{ channel: "sms", wait: "learnt" }] }),
      422,
      "validation_error"
    )
  })

  it("is saved whole, with a new version each time", async () => {
    const steps = [{ channel: "bale", account_id: bale, wait: 45 }, { channel: "sms" }]
    const reply = await save(steps)
    const saved = ok<Routing>(reply)
    expect(saved.steps).toEqual(steps)
    expect(reply.headers.get("etag")).toBe(etagOf(saved.version))
    expect(await routing()).toEqual(saved)
    const next = ok<Routing>(await save([{ channel: "sms" }]))
    expect(next).toEqual({ steps: [{ channel: "sms" }], version: saved.version + 1 })
    expect(await routing(others)).toEqual({ steps: [], version: 0 })
  })

  it("takes null for absent in a step", async () => {
    const reply = await save([{ channel: "bale", account_id: null, wait: null }])
    expect(ok<Routing>(reply).steps).toEqual([{ channel: "bale" }])
  })

  it.each(["fax", "", "SMS", "__proto__"])(
    "of the unknown channel %j is refused as an invalid channel",
    async (channel) => {
      await unsaved([{ channel: "sms" }, { channel }], "invalid_channel")
    }
  )

  it("of a channel that carries no codes is refused as an invalid channel", async () => {
    await unsaved([{ channel: "telegram" }], "invalid_channel")
  })

  it("of one channel twice is refused, even with different accounts", async () => {
    const { credential_id } = await owner.newAccount("bale")
    const twice = [
      { channel: "bale", account_id: bale },
      { channel: "bale", account_id: credential_id }
    ]
    expect(await unsaved(twice, "duplicate_channel")).toEqual({ channel: "bale" })
  })

  it("of nobody's account, of another customer's, and of one on another channel is refused", async () => {
    const { credential_id: foreign } = await others.newAccount("bale")
    for (const account_id of [2_147_483_647, foreign]) {
      await unsaved([{ channel: "bale", account_id }], "validation_error")
    }
    await unsaved([{ channel: "sms", account_id: bale }], "validation_error")
  })

  it.each([
    ["a wait that is too short", [{ channel: "sms", wait: 44 }], ["body.steps[0].wait"]],
    ["a wait that is too long", [{ channel: "sms", wait: 121 }], ["body.steps[0].wait"]],
    ["an account id that is no number", [{ channel: "bale", account_id: "1" }], ["body.steps[0].account_id"]],
    ["a step that is none", ["sms"], ["body.steps[0]"]],
    ["no list", "sms", ["body.steps"]],
    ["nothing", undefined, ["body.steps"]]
  ])("with %s is refused", async (_what, steps, paths) => {
    expect(issues(await save(steps))).toEqual(paths)
  })

  it("with an account id beyond what ids are is refused", async () => {
    await unsaved([{ channel: "bale", account_id: 99_999_999_999 }], "validation_error")
    await unsaved([{ channel: "bale", account_id: -1 }], "validation_error")
  })

  it("is guarded by If-Match", async () => {
    const { version } = ok<Routing>(await save([{ channel: "sms" }]))
    const next = ok<Routing>(await save([{ channel: "bale" }], ifMatch(version)))
    const stale = await save([{ channel: "sms" }], ifMatch(version))
    expect(refused(stale, 412, "precondition_failed").details).toEqual({ version: next.version })
    expect(await routing()).toEqual(next)
    ok(await save([{ channel: "sms" }], ifMatch("*")))
    expect(issues(await save([{ channel: "bale" }], ifMatch("x")))).toEqual(["headers.if-match"])
  })

  it("is first saved by one of many at once that all say version 0", async () => {
    const fresh = await newManager(server)
    const replies = await Promise.all(
      ["sms", "bale", "eitaa", "rubika"].map((channel) =>
        fresh.put("/routing", { steps: [{ channel }] }, ifMatch(0))
      )
    )
    expect(replies.map(({ status }) => status).sort()).toEqual([200, 412, 412, 412])
  })

  it("never has an earlier version again: what was read before a removal is stale after it", async () => {
    const fresh = await newManager(server)
    const steps = (channel: string) => ({ steps: [{ channel }] })
    const { version } = ok<Routing>(await fresh.put("/routing", steps("sms")))
    ok(await fresh.put("/routing", { steps: [] }))
    ok(await fresh.put("/routing", steps("bale")))
    refused(await fresh.put("/routing", steps("eitaa"), ifMatch(version)), 412, "precondition_failed")
  })

  it("is removed by an empty list: a send has to name channels then", async () => {
    const { secret } = await owner.newKey()
    ok(await save([{ channel: "sms" }]))
    const untilAnswered = (status: number) =>
      until(
        `a send without channels to be answered ${status}`,
        async () => {
          const reply = await otp(server, secret).send()
          return reply.status === status ? reply : undefined
        },
        10_000
      )
    expect(ok(await untilAnswered(200))).toMatchObject({ current_attempt_channel: { type: "sms" } })
    const removed = ok<Routing>(await save([]))
    expect(removed.steps).toEqual([])
    refused(await untilAnswered(422), 422, "fallback_order_required")
    expect(await routing()).toEqual(removed)
  })
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

describe("a creation with an Idempotency-Key", () => {
  const account = { channel: "bale", provider: "simulator", label: "Once", settings: {} }
  const creations: ReadonlyArray<readonly [path: string, body: object, other: object, action: string]> = [
    ["/api-keys", { name: "once", mode: "live" }, { name: "twice", mode: "live" }, "api_key.create"],
    ["/accounts", account, { ...account, label: "Twice" }, "account.connect"],
    ["/templates", { name: "once", body: "{{code}}" }, { name: "once", body: "other" }, "template.create"]
  ]
  const count = async (of: Manager, path: string) =>
    (await of.read<List<unknown>>(`${path}?limit=100`)).data.length
  const lines = async (of: Manager, action: string) => (await of.audit(`&action=${action}`)).length

  it.each(creations)(
    "of %s makes one, and answers the same again, with its secret",
    async (path, body, other, action) => {
      const owner = await newManager(server)
      const key = newKey()
      const first = await owner.post(path, body, withKey(key))
      expect(first.headers.get("idempotency-replayed")).toBeNull()
      const reordered = Object.fromEntries(Object.entries(body).toReversed())
      for (const again of [body, reordered]) {
        const reply = await owner.post(path, again, withKey(key))
        expect(ok(reply, 201)).toEqual(ok(first, 201))
        expect(reply.headers.get("idempotency-replayed")).toBe("true")
      }
      refused(await owner.post(path, other, withKey(key)), 409, "idempotency_key_conflict")
      expect(await count(owner, path)).toBe(1)
      expect(await lines(owner, action)).toBe(1)
      const next = await owner.post(path, body, withKey())
      expect(next.headers.get("idempotency-replayed")).toBeNull()
      expect(await count(owner, path)).toBe(2)
      if (path === "/api-keys") {
        const { secret } = ok<CreatedApiKey>(first, 201)
        expect((await useKey(server, secret)).status).toBe(404)
      }
    }
  )

  it.each(creations)("of %s is one of twenty at once", async (path, body, _other, action) => {
    const owner = await newManager(server)
    const headers = withKey()
    const replies = await Promise.all(Array.from({ length: 20 }, () => owner.post(path, body, headers)))
    const bodies = new Set(replies.map((reply) => JSON.stringify(ok(reply, 201))))
    expect(bodies.size).toBe(1)
    const replayed = replies.filter(({ headers }) => headers.get("idempotency-replayed") === "true")
    expect(replayed).toHaveLength(19)
    expect(await count(owner, path)).toBe(1)
    expect(await lines(owner, action)).toBe(1)
  })

  it.each(creations)("of %s is refused with a key of more than 255 characters", async (path, body) => {
    const owner = await newManager(server)
    refused(await owner.post(path, body, withKey("k".repeat(256))), 400, "idempotency_key_too_long")
    expect(await count(owner, path)).toBe(0)
    ok(await owner.post(path, body, withKey("k".repeat(255))), 201)
  })

  it.each(creations)("of %s is refused for its key before its body is looked at", async (path) => {
    refused(await mine.post(path, { name: 1 }, withKey("k".repeat(256))), 400, "idempotency_key_too_long")
  })

  it("shares its key with no other operation and no other customer", async () => {
    const headers = withKey()
    const key = { name: "same", mode: "live" }
    for (const [path, body] of creations) ok(await mine.post(path, body, headers), 201)
    const { id } = await mine.newKey()
    ok(await mine.post(`/api-keys/${id}/rotate`, {}, headers), 201)
    const one = ok<CreatedApiKey>(await mine.post("/api-keys", key, withKey("shared")), 201)
    const other = await others.post("/api-keys", key, withKey("shared"))
    expect(other.headers.get("idempotency-replayed")).toBeNull()
    expect(ok<CreatedApiKey>(other, 201).secret).not.toBe(one.secret)
  })

  it("that failed is not kept: the same key can be used again", async () => {
    const headers = withKey()
    const past = { name: "x", mode: "live", expires_at: "2020-01-01T00:00:00Z" }
    refused(await mine.post("/api-keys", past, headers), 422, "validation_error")
    const reply = await mine.post("/api-keys", { name: "x", mode: "live" }, headers)
    ok(reply, 201)
    expect(reply.headers.get("idempotency-replayed")).toBeNull()
  })

  it("is answered with what it made then, and that it was revoked since", async () => {
    const headers = withKey()
    const body = { name: "short-lived", mode: "live" }
    const first = ok<CreatedApiKey>(await mine.post("/api-keys", body, headers), 201)
    done(await mine.delete(`/api-keys/${first.id}`))
    const { status, revoked_at } = await mine.read<ApiKey>(`/api-keys/${first.id}`)
    expect(status).toBe("revoked")
    expect(ok(await mine.post("/api-keys", body, headers), 201)).toEqual({ ...first, status, revoked_at })
  })

  it("of a rotation rotates once", async () => {
    const { id } = await mine.newKey()
    const headers = withKey()
    const rotate = (of: number, body: object = {}) => mine.post(`/api-keys/${of}/rotate`, body, headers)
    const first = ok<CreatedApiKey>(await rotate(id, { overlap_seconds: 0 }), 201)
    const again = await rotate(id, { overlap_seconds: 0 })
    expect(ok(again, 201)).toEqual(first)
    expect(again.headers.get("idempotency-replayed")).toBe("true")
    refused(await rotate(id, { overlap_seconds: 1 }), 409, "idempotency_key_conflict")
    refused(await rotate(first.id, { overlap_seconds: 0 }), 409, "idempotency_key_conflict")
  })

  it("that says nothing makes another each time", async () => {
    const owner = await newManager(server)
    const body = { name: "same", mode: "live" }
    const made = [await owner.newKey(body), await owner.newKey(body)]
    expect(new Set(made.map(({ secret }) => secret)).size).toBe(2)
    ok(await owner.post("/api-keys", body, withKey("")), 201)
    ok(await owner.post("/api-keys", body, withKey("")), 201)
    expect(await count(owner, "/api-keys")).toBe(4)
  })
})

describe("the paths of the set-up", () => {
  const methods: ReadonlyArray<readonly [path: string, allowed: ReadonlyArray<string>]> = [
    ["/api-keys", ["GET", "HEAD", "POST"]],
    ["/api-keys/1", ["DELETE", "GET", "HEAD", "PATCH"]],
    ["/api-keys/1/rotate", ["POST"]],
    ["/accounts", ["GET", "HEAD", "POST"]],
    ["/accounts/1", ["DELETE", "GET", "HEAD", "PATCH"]],
    ["/accounts/1/check", ["POST"]],
    ["/accounts/1/inbox", ["GET", "HEAD"]],
    ["/accounts/1/inbox/rotate", ["POST"]],
    ["/accounts/1/contacts", ["GET", "HEAD", "PUT"]],
    ["/accounts/1/standby", ["PUT"]],
    ["/accounts/1/contacts/09121111111", ["DELETE"]],
    ["/routing", ["GET", "HEAD", "PUT"]],
    ["/templates", ["GET", "HEAD", "POST"]],
    ["/templates/1", ["DELETE", "GET", "HEAD", "PATCH"]]
  ]

  it.each(methods)("%s answers 405 to other methods, and says which it has", async (path, allowed) => {
    const known = ["GET", "POST", "PUT", "PATCH", "DELETE"]
    for (const method of known.filter((each) => !allowed.includes(each))) {
      const reply = await mine.call(method, path)
      refused(reply, 405, "method_not_allowed")
      expect(reply.headers.get("allow")?.split(/, */).sort()).toEqual(allowed)
    }
  })

  it("answer 405 before anything is asked of the credential", async () => {
    refused(await request(server, "DELETE", "/v1/manage/api-keys"), 405, "method_not_allowed")
  })

  it.each([
    "/x",
    "/api-keys/1/x",
    "/accounts/1/contacts/1/2",
    "/routing/1",
    "/templates/1/rotate",
    "/api-keys/",
    "/API-KEYS"
  ])("answer 404 where there is none: %s", async (path) => {
    refused(await mine.get(path), 404, "not_found")
    refused(await mine.post(path, {}), 404, "not_found")
  })

  it.each(["/api-keys", "/accounts", "/routing", "/templates"])(
    "answer HEAD of %s as GET, without a body",
    async (path) => {
      const got = await mine.get(path)
      const head = await mine.call("HEAD", path)
      expect([head.status, head.text]).toEqual([200, ""])
      expect(head.headers.get("content-type")).toBe(got.headers.get("content-type"))
      expect(head.headers.get("etag")).toBe(got.headers.get("etag"))
    }
  )

  it("answer HEAD of one resource as GET, without a body", async () => {
    const { id } = await mine.newTemplate("x")
    const head = await mine.call("HEAD", `/templates/${id}`)
    expect([head.status, head.text, head.headers.get("etag")]).toEqual([200, "", etagOf(1)])
    expect((await mine.call("HEAD", "/templates/2147483647")).status).toBe(404)
  })

  it.each([
    "x",
    "0",
    "-1",
    "1.5",
    "1e3",
    "01",
    "2147483648",
    "99999999999999999999",
    "%00",
    "%D9%A1",
    "null"
  ])("answer 404 for the id %s", async (id) => {
    for (const path of ["api-keys", "accounts", "templates"]) {
      refused(await mine.get(`/${path}/${id}`), 404, "not_found")
      refused(
        await mine.patch(`/${path}/${id}`, path === "accounts" ? { label: "x" } : { name: "x" }),
        404,
        "not_found"
      )
    }
    refused(await mine.delete(`/api-keys/${id}`), 404, "not_found")
  })

  let key: ApiKey
  let bale: Account
  let template: Template
  beforeAll(async () => {
    ;[key, bale, template] = await Promise.all([
      mine.newKey(),
      mine.newAccount("bale"),
      mine.newTemplate("x")
    ])
  })
  const withBody: ReadonlyArray<readonly [method: string, path: () => string]> = [
    ["POST", () => "/api-keys"],
    ["PATCH", () => `/api-keys/${key.id}`],
    ["POST", () => `/api-keys/${key.id}/rotate`],
    ["POST", () => "/accounts"],
    ["PATCH", () => `/accounts/${bale.credential_id}`],
    ["PUT", () => `/accounts/${bale.credential_id}/contacts`],
    ["PUT", () => "/routing"],
    ["POST", () => "/templates"],
    ["PATCH", () => `/templates/${template.id}`]
  ]
  const raw = (method: string, path: string, contentType: string | undefined, body: string) =>
    request(server, method, `/v1/manage${path}`, {
      headers: { authorization: `apikey ${mine.token}`, "content-type": contentType },
      body
    })

  it.each(withBody)("take no body that is not JSON: %s %s", async (method, path) => {
    for (const body of ["{", "", "[1", "{'a':1}"]) {
      issues(await raw(method, path(), "application/json", body))
    }
    for (const body of ["[]", "7", "null", '"text"']) {
      issues(await raw(method, path(), "application/json", body))
    }
  })

  it.each(withBody)("take no body of another type: %s %s", async (method, path) => {
    for (const contentType of [
      "text/plain",
      "application/x-www-form-urlencoded",
      "application/jsonp",
      undefined
    ]) {
      refused(await raw(method, path(), contentType, "{}"), 415, "unsupported_media_type")
    }
  })

  it.each(withBody)("take no body of more than 64 KiB: %s %s", async (method, path) => {
    const body = JSON.stringify({ name: "x".repeat(65_536) })
    refused(await raw(method, path(), "application/json", body), 413, "payload_too_large")
  })

  it("take JSON with a charset", async () => {
    const reply = await raw(
      "POST",
      "/templates",
      "application/json; charset=utf-8",
      '{"name":"x","body":"x"}'
    )
    ok(reply, 201)
  })
})
