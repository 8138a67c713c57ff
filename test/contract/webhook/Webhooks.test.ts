import { Effect, Exit, Scope } from "effect"
import { Webhook } from "standardwebhooks"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { fakeFarEnd, type FakeFarEnd, type Received } from "../../support/fakes/FakeFarEnd.ts"
import { type HeaderSet, issues, messages, newKey, ok, otp, refused, request, timestamp } from "../Client.ts"
import { type Customer, newAccount, newCustomer, sentCode } from "../Operator.ts"
import { until } from "../Server.ts"
import { type SharedServer, sharedServerWithDemo } from "../SharedServer.ts"

interface Hook {
  readonly id: number
  readonly url: string
  readonly events: ReadonlyArray<string>
  readonly secret: string
  readonly version: number
}
interface Delivery {
  readonly event_id: string
  readonly event_type: string
  readonly subject: string
  readonly status: string
  readonly tries: ReadonlyArray<{ readonly status: number | null; readonly error: string | null }>
}
interface List<A> {
  readonly data: ReadonlyArray<A>
  readonly next_cursor: string | null
}
interface Payload {
  readonly type: string
  readonly timestamp: string
  readonly data: Readonly<Record<string, unknown>>
}

const ALL = { events: ["*"] }

let server: SharedServer
let customer: Customer
let token: string
let reader: string
let others: string
let fake: FakeFarEnd
const scope = Scope.makeUnsafe()

const newToken = async (id: string | number, granted = "full") => {
  const made = await server.cli("token", "create", "--customer", String(id), "--scope", granted)
  return (made as { readonly secret: string }).secret
}

beforeAll(async () => {
  server = await sharedServerWithDemo()
  fake = await Effect.runPromise(fakeFarEnd(() => ({ status: 200 })).pipe(Scope.provide(scope)))
  customer = await newCustomer(server)
  await newAccount(server, customer.id, "sms")
  token = await newToken(customer.id)
  reader = await newToken(customer.id, "read_only")
  others = await newToken(server.demo.customer_id)
})
afterAll(async () => {
  await Effect.runPromise(Scope.close(scope, Exit.void))
})

const call = (
  method: string,
  path: string,
  body?: unknown,
  { secret = token, headers = {} }: { readonly secret?: string; readonly headers?: HeaderSet } = {}
) =>
  request(server, method, `/v1/manage/webhooks${path}`, {
    headers: {
      authorization: `apikey ${secret}`,
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...headers
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) })
  })

let paths = 0
/** An endpoint at a path of its own. */
const hookFor = async (body: Readonly<Record<string, unknown>> = ALL) => {
  const path = `/hook-${(paths += 1)}`
  const hook = ok<Hook>(await call("POST", "", { url: `${fake.url}${path}`, ...body }), 201)
  const received = (): ReadonlyArray<Received> => fake.received.filter((each) => each.path === path)
  const posted = (count: number) =>
    until(`${count} posts to ${path}`, async () => (received().length >= count ? received() : undefined))
  const deliveries = async (query = "") =>
    ok<List<Delivery>>(await call("GET", `/${hook.id}/deliveries${query}`))
  return { hook, received, posted, deliveries, end: () => call("DELETE", `/${hook.id}`) }
}

describe("a webhook", () => {
  it("is created with a secret that is shown once, and read without it", async () => {
    const { hook, end } = await hookFor({ events: ["message.sent", "message.sent"], description: "mine" })
    const { secret, ...record } = hook
    expect(record).toEqual({
      id: expect.any(Number),
      url: hook.url,
      events: ["message.sent"],
      description: "mine",
      mode: "live",
      active: true,
      status: "active",
      disabled_reason: null,
      failing_since: null,
      created_at: expect.stringMatching(timestamp),
      version: 1
    })
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(ok(await call("GET", `/${hook.id}`))).toEqual(record)
    const list = await call("GET", "")
    expect(ok<List<Hook>>(list).data).toEqual([record])
    expect(list.text).not.toContain(secret)
    await end()
  })

  it("is changed with an entry in the audit log that has the names of its fields", async () => {
    const { hook, end } = await hookFor()
    ok(await call("PATCH", `/${hook.id}`, { active: false }))
    const log = await request(server, "GET", `/v1/manage/audit-log?action=webhook.update&limit=1`, {
      headers: { authorization: `apikey ${token}` }
    })
    expect(ok<List<unknown>>(log).data).toEqual([
      expect.objectContaining({
        subject: { type: "webhook", id: String(hook.id), name: new URL(hook.url).origin },
        details: { active: false },
        previous: { active: true }
      })
    ])
    await end()
  })

  const url = "https://example.com"
  it.each([
    ["nothing", {}, ["body.events", "body.url"]],
    ["no event", { url, events: [] }, ["body.events"]],
    ["an unknown event", { url, events: ["message.read"] }, ["body.events[0]"]],
    ["the test event", { url, events: ["webhook.test"] }, ["body.events[0]"]],
    ["* and another event", { url, events: ["*", "message.sent"] }, ["body.events"]],
    ["an address with credentials", { url: "https://user:secret@example.com", ...ALL }, ["body.url"]],
    ["an address of another protocol", { url: "ftp://example.com", ...ALL }, ["body.url"]],
    ["a long address", { url: `${url}/${"x".repeat(2048)}`, ...ALL }, ["body.url"]],
    ["a long description", { url, ...ALL, description: "x".repeat(201) }, ["body.description"]]
  ])("is not created from %s", async (_what, body, where) => {
    expect(issues(await call("POST", "", body))).toEqual(where)
  })

  it("is created once for one idempotency key, and the answer with its secret is repeated", async () => {
    const body = { url: `${fake.url}/idempotent`, ...ALL }
    const headers = { "idempotency-key": newKey() }
    const first = await call("POST", "", body, { headers })
    const again = await call("POST", "", body, { headers })
    expect([again.status, again.text]).toEqual([201, first.text])
    expect(again.headers.get("idempotency-replayed")).toBe("true")
    const other = await call("POST", "", { ...body, events: ["message.sent"] }, { headers })
    refused(other, 409, "idempotency_key_conflict")
    expect((await call("DELETE", `/${ok<Hook>(first, 201).id}`)).status).toBe(204)
  })

  it("can be made twenty times, and not once more", async () => {
    const { id } = await newCustomer(server)
    const secret = await newToken(id)
    const body = { url: `${fake.url}/many`, ...ALL }
    const made = await Promise.all(Array.from({ length: 25 }, () => call("POST", "", body, { secret })))
    expect(made.filter(({ status }) => status === 201)).toHaveLength(20)
    for (const reply of made.filter(({ status }) => status !== 201)) refused(reply, 409, "conflict")
  })

  it("is changed under its version, and switched off and on", async () => {
    const { hook, end } = await hookFor()
    const headers = { "if-match": '"1"' }
    const changed = await call("PATCH", `/${hook.id}`, { events: ["message.sent"] }, { headers })
    expect(ok<Hook>(changed)).toMatchObject({ url: hook.url, events: ["message.sent"], version: 2 })
    expect(changed.headers.get("etag")).toBe('"2"')
    refused(await call("PATCH", `/${hook.id}`, { active: false }, { headers }), 412, "precondition_failed")
    expect(issues(await call("PATCH", `/${hook.id}`, { url: "gopher://example.com" }))).toEqual(["body.url"])
    const off = ok(await call("PATCH", `/${hook.id}`, { active: false }))
    expect(off).toMatchObject({ status: "disabled", disabled_reason: "manual" })
    refused(await call("POST", `/${hook.id}/test`), 409, "conflict")
    const on = ok(await call("PATCH", `/${hook.id}`, { active: true }))
    expect(on).toMatchObject({ status: "active", disabled_reason: null })
    await end()
  })

  it("of another customer does not exist, nor does one that never was", async () => {
    const { hook, deliveries, end } = await hookFor()
    ok(await call("POST", `/${hook.id}/test`), 202)
    const [delivery] = (await deliveries()).data
    const event = delivery?.event_id ?? ""
    const at = "2026-01-01T00:00:00Z"
    for (const [id, secret] of [
      [String(hook.id), others],
      ["999999", token],
      ["x", token]
    ] as const) {
      const replies = await Promise.all([
        call("GET", `/${id}`, undefined, { secret }),
        call("PATCH", `/${id}`, { active: false }, { secret }),
        call("DELETE", `/${id}`, undefined, { secret }),
        call("POST", `/${id}/test`, undefined, { secret }),
        call("POST", `/${id}/rotate-secret`, undefined, { secret }),
        call("GET", `/${id}/deliveries`, undefined, { secret }),
        call("POST", `/${id}/deliveries/${event}/replay`, undefined, { secret }),
        call("POST", `/${id}/replay`, { since: at }, { secret })
      ])
      for (const reply of replies) refused(reply, 404, "not_found")
    }
    refused(await call("POST", `/${hook.id}/deliveries/nonsense/replay`), 404, "not_found")
    expect(ok<List<Hook>>(await call("GET", "", undefined, { secret: others })).data).toEqual([])
    await end()
  })

  it("is read, and not changed, with a token that may only read", async () => {
    const { hook, end } = await hookFor()
    ok(await call("GET", `/${hook.id}`, undefined, { secret: reader }))
    ok(await call("GET", `/${hook.id}/deliveries`, undefined, { secret: reader }))
    for (const path of ["", `/${hook.id}/test`, `/${hook.id}/rotate-secret`]) {
      refused(
        await call("POST", path, { url: fake.url, ...ALL }, { secret: reader }),
        403,
        "scope_insufficient"
      )
    }
    await end()
  })

  it("is made and listed on the command line", async () => {
    const { id } = await newCustomer(server)
    const url = `${fake.url}/cli`
    const events = "message.sent,message.failed"
    const owner = ["--customer", id]
    const made = await server.cli("webhook", "create", ...owner, "--url", url, "--events", events)
    expect(made).toMatchObject({
      id: expect.any(Number),
      url,
      events: ["message.sent", "message.failed"],
      secret: expect.stringMatching(/^whsec_/)
    })
    const listed = (await server.cli("webhook", "list", ...owner)) as List<Hook>
    expect(listed.data.map((hook) => hook.url)).toEqual([url])
    const wrong = await server.run("webhook", "create", ...owner, "--url", url, "--events", "message.read")
    expect([wrong.code, wrong.err]).toEqual([1, expect.stringContaining("there is no event message.read")])
  })
})

describe("events", () => {
  it("are posted as they happen, signed, with what the status showed and without the code", async () => {
    const { hook, posted, deliveries, end } = await hookFor()
    const { id, code, phone } = await sentCode(server, customer.live)
    await otp(server, customer.live).outcome(id, code)
    const received = await posted(3)
    const payloads = received
      .map(({ json }) => json as Payload)
      .toSorted((a, b) => Number(a.data["sequence"]) - Number(b.data["sequence"]))
    expect(payloads.map(({ type }) => type)).toEqual([
      "verification.queued",
      "verification.attempt_sent",
      "verification.verified"
    ])
    const status: Readonly<Record<string, unknown>> = { ...(await otp(server, customer.live).status(id)) }
    const { attempts, ...rest } = status
    expect(payloads.at(-1)?.data).toMatchObject({ ...rest, phone, sequence: 3 })
    expect(attempts).toHaveLength(1)
    expect(payloads.at(-1)?.timestamp).toMatch(timestamp)
    for (const { body, headers } of received) {
      expect(body).not.toContain(code)
      new Webhook(hook.secret).verify(body, headers as Record<string, string>)
    }
    const { data } = await until("the deliveries to be recorded", async () => {
      const list = await deliveries()
      return list.data.every((each) => each.status === "delivered") ? list : undefined
    })
    expect(data.map(({ subject, tries }) => [subject, tries.map((made) => made.status)])).toEqual(
      Array.from({ length: 3 }, () => [id, [200]])
    )
    await end()
  })

  it("of messages have the metadata, and not the text", async () => {
    const { posted, end } = await hookFor({ events: ["message.sent"] })
    const text = "a text that nobody is told"
    await messages(server, customer.live).delivered({ message: text, metadata: { order: 7 } })
    const [received] = await posted(1)
    expect(received?.json).toMatchObject({
      type: "message.sent",
      data: { status: "sent", metadata: { order: 7 }, successful_attempts: 1 }
    })
    expect(received?.body).not.toContain(text)
    await end()
  })

  it("are listed by status, type and time, a part at a time", async () => {
    const { hook, posted, deliveries, end } = await hookFor()
    ok(await call("POST", `/${hook.id}/test`), 202)
    await messages(server, customer.live).delivered()
    await posted(4)
    const all = await until("all to be recorded", async () => {
      const list = await deliveries("?status=delivered")
      return list.data.length === 4 ? list : undefined
    })
    const first = await deliveries("?limit=3")
    const rest = await deliveries(`?limit=3&cursor=${first.next_cursor}`)
    expect([...first.data, ...rest.data]).toEqual(all.data)
    expect(rest.next_cursor).toBeNull()
    expect((await deliveries("?event_type=webhook.test")).data).toHaveLength(1)
    expect((await deliveries("?status=failed")).data).toEqual([])
    expect((await deliveries("?since=2099-01-01T00:00:00Z")).data).toEqual([])
    expect(issues(await call("GET", `/${hook.id}/deliveries?status=lost`))).toEqual(["query.status"])
    await end()
  })

  it("are repeated until they are taken, with one id", async () => {
    const { hook, posted, end } = await hookFor()
    fake.script({ status: 503 })
    ok(await call("POST", `/${hook.id}/test`), 202)
    const [first, second] = await posted(2)
    expect(second?.headers["webhook-id"]).toBe(first?.headers["webhook-id"])
    expect(second?.body).toBe(first?.body)
    await end()
  })

  it("are replayed one by one, and all since a time", async () => {
    const { hook, posted, deliveries, end } = await hookFor({ events: ["message.sent"] })
    await messages(server, customer.live).delivered()
    await posted(1)
    const [delivery] = (await deliveries()).data
    const replayed = await call("POST", `/${hook.id}/deliveries/${delivery?.event_id}/replay`)
    expect(ok(replayed, 202)).toMatchObject({ event_id: delivery?.event_id, event_type: "message.sent" })
    await posted(2)
    expect(issues(await call("POST", `/${hook.id}/replay`, { since: "yesterday" }))).toEqual(["body.since"])
    const since = "2026-01-01T00:00:00Z"
    const many = ok<{ readonly replayed: number }>(await call("POST", `/${hook.id}/replay`, { since }), 202)
    expect(many).toEqual({ replayed: expect.any(Number), next_since: null })
    expect(many.replayed).toBeGreaterThan(0)
    const received = await posted(2 + many.replayed)
    const ids = received.map(({ headers }) => headers["webhook-id"])
    expect(ids.filter((id) => id === delivery?.event_id)).toHaveLength(3)
    await end()
  })

  it("are signed with the old secret and the new one once it is rotated", async () => {
    const { hook, posted, end } = await hookFor()
    const rotated = ok<Hook>(await call("POST", `/${hook.id}/rotate-secret`))
    expect(rotated).toMatchObject({ id: hook.id, secret: expect.stringMatching(/^whsec_/) })
    ok(await call("POST", `/${hook.id}/test`), 202)
    const [received] = await posted(1)
    for (const secret of [hook.secret, rotated.secret]) {
      new Webhook(secret).verify(received?.body ?? "", received?.headers as Record<string, string>)
    }
    await end()
  })
})
