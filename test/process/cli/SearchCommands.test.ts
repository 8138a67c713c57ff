import { Effect, Exit, Scope } from "effect"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { manage } from "../../contract/Manager.ts"
import { ok, request } from "../../contract/Client.ts"
import { type Customer, newAccount, newCustomer } from "../../contract/Operator.ts"
import { type Server, startServer, until } from "../../contract/Server.ts"
import { fakeFarEnd, type FakeFarEnd } from "../../support/fakes/FakeFarEnd.ts"

interface List {
  readonly data: ReadonlyArray<Readonly<Record<string, unknown>>>
  readonly next_cursor: string | null
}

let server: Server
let customer: Customer
let token: string
let receiver: FakeFarEnd
let hook: string
const scope = Scope.makeUnsafe()
const verifications: Array<string> = []
const messages: Array<string> = []

const post = (path: string, key: string, body: object) =>
  request(server, "POST", path, {
    headers: { "x-api-key": customer.live, "idempotency-key": key, "content-type": "application/json" },
    body: JSON.stringify(body)
  })
const read = async <A = List>(path: string) =>
  ok<A>(await manage(server, "GET", path, { authorization: `apikey ${token}` }))
const ofCustomer = (...words: ReadonlyArray<string>) => [...words, "--customer", customer.id]
const list = async (...words: ReadonlyArray<string>) => (await server.cli(...ofCustomer(...words))) as List
const ids = ({ data }: List, name: string) => data.map((item) => item[name])

beforeAll(async () => {
  server = await startServer({ env: { PEYK_ALLOW_PRIVATE_ADDRESSES: "true", PEYK_LEASE_MS: "1000" } })
  receiver = await Effect.runPromise(fakeFarEnd(() => ({ status: 200 })).pipe(Scope.provide(scope)))
  customer = await newCustomer(server)
  await newAccount(server, customer.id, "bale")
  token = (
    (await server.cli(...ofCustomer("token", "create", "--scope", "full"))) as { readonly secret: string }
  ).secret
  const body = { url: `${receiver.url}/hook`, events: ["message.sent"] }
  const made = await manage(server, "POST", "/webhooks", { authorization: `apikey ${token}` }, body)
  hook = String(ok<{ readonly id: number }>(made, 201).id)
  for (const phone of ["09121110001", "09121110002", "09121110003"]) {
    const sent = await post("/v1/otp/send", phone, { phone, channels: "bale" })
    verifications.unshift(ok<{ readonly verification_id: string }>(sent).verification_id)
    const metadata = { order: 1 }
    const message = await post("/v1/messages/send", phone, {
      to: phone,
      message: "سلام",
      channels: "bale",
      metadata
    })
    messages.unshift(ok<{ readonly message_id: string }>(message, 201).message_id)
  }
  await until("every message to be sent", async () =>
    (await read("/messages?status=sent")).data.length === 3 ? true : undefined
  )
})
afterAll(async () => {
  await server?.stop()
  await Effect.runPromise(Scope.close(scope, Exit.void))
})

/** Counts down from one look to the next. */
const still = (item: object) => ({ ...item, remaining_seconds: null })

describe("peyk verification", () => {
  it("list answers what the management API does", async () => {
    const listed = await list("verification", "list")
    const { data, next_cursor } = await read("/verifications")
    expect({ ...listed, data: listed.data.map(still) }).toEqual({ data: data.map(still), next_cursor })
    expect(ids(listed, "verification_id")).toEqual(verifications)
  })

  it.each([
    ["a phone", ["--phone", "+989121110002"], [1]],
    ["a status", ["--status", "verified"], []],
    ["a channel", ["--channel", "sms"], []],
    ["the beginning of a time", ["--created-after", "2099-01-01T00:00:00Z"], []],
    ["the end of a time", ["--created-before", "2020-01-01T00:00:00Z"], []]
  ] as const)("list finds by %s", async (_, filter, found) => {
    const listed = await list("verification", "list", ...filter)
    expect(ids(listed, "verification_id")).toEqual(found.map((at) => verifications[at]))
  })

  it("list goes on where the part before ended", async () => {
    const first = await list("verification", "list", "--limit", "2")
    expect(ids(first, "verification_id")).toEqual(verifications.slice(0, 2))
    const second = await list("verification", "list", "--limit", "2", "--cursor", first.next_cursor ?? "")
    expect(ids(second, "verification_id")).toEqual(verifications.slice(2))
    expect(second.next_cursor).toBeNull()
    const { out } = await server.run(...ofCustomer("verification", "list", "--limit", "2"))
    expect(out).toContain(`--cursor ${first.next_cursor}`)
  })

  it("list refuses a cursor that is none, and one of another list, with exit code 1", async () => {
    const { next_cursor } = await list("message", "list", "--limit", "1")
    for (const cursor of ["garbage", next_cursor ?? ""]) {
      const words = ofCustomer("verification", "list", "--cursor", cursor)
      expect(await server.run(...words)).toEqual({
        code: 1,
        out: "",
        err: expect.stringMatching(/--cursor must be the cursor that a page of this list ended with/)
      })
    }
  })

  it("show answers what the management API does, and a table of attempts for people", async () => {
    const [id = ""] = verifications
    const show = ofCustomer("verification", "show", "--verification", id)
    const resource = await read<object>(`/verifications/${id}`)
    expect(still((await server.cli(...show)) as object)).toEqual(still(resource))
    const { out } = await server.run(...show)
    expect(out).toMatch(/^status +queued$/m)
    expect(out).toMatch(/^sequence +channel +account/m)
    expect(out).not.toMatch(/undefined|\[object|[{[]"/)
  })
})

describe("peyk message", () => {
  it("list answers what the management API does", async () => {
    const listed = await list("message", "list")
    expect(listed).toEqual(await read("/messages"))
    expect(ids(listed, "message_id")).toEqual(messages)
  })

  it.each([
    ["a phone", ["--to", "09121110001"], [2]],
    ["a status", ["--status", "failed"], []],
    ["a strategy", ["--strategy", "broadcast"], []]
  ] as const)("list finds by %s", async (_, filter, found) => {
    expect(ids(await list("message", "list", ...filter), "message_id")).toEqual(
      found.map((at) => messages[at])
    )
  })

  it("show answers what the management API does, and what there is to read for people", async () => {
    const [id = ""] = messages
    const show = ofCustomer("message", "show", "--message", id)
    expect(await server.cli(...show)).toEqual(await read(`/messages/${id}`))
    const { out } = await server.run(...show)
    expect(out).toMatch(/^text +سلام$/m)
    expect(out).toMatch(/^1 +bale +The bale +sent/m)
  })
})

describe("peyk webhook", () => {
  const delivered = () =>
    until("three events to be delivered", async () => {
      const listed = await list("webhook", "deliveries", "--webhook", hook, "--status", "delivered")
      return listed.data.length === 3 ? listed : undefined
    })

  it("list and show answer what the management API does", async () => {
    expect(await list("webhook", "list")).toEqual(await read("/webhooks"))
    expect(await server.cli(...ofCustomer("webhook", "show", "--webhook", hook))).toEqual(
      await read(`/webhooks/${hook}`)
    )
  })

  it("deliveries answers what the management API does, by the same filters", async () => {
    expect(await delivered()).toEqual(await read(`/webhooks/${hook}/deliveries`))
    const failed = await list("webhook", "deliveries", "--webhook", hook, "--status", "failed")
    expect(failed.data).toEqual([])
    const { out } = await server.run(...ofCustomer("webhook", "deliveries", "--webhook", hook))
    expect(out).toMatch(/message\.sent +delivered +1 +200/)
  })

  it("replay has the running server deliver one event again, once", async () => {
    const [event] = ids(await delivered(), "event_id")
    const before = receiver.received.length
    const replay = ofCustomer("webhook", "replay", "--webhook", hook, "--event", String(event))
    expect(await server.cli(...replay)).toMatchObject({ event_id: event, status: "pending" })
    await Effect.runPromise(receiver.arrived(before + 1))
    expect(receiver.received[before]?.headers["webhook-id"]).toBe(event)
    const { data } = await delivered()
    expect(data.map(({ tries }) => (tries as ReadonlyArray<unknown>).length).toSorted()).toEqual([1, 1, 2])
  })

  it("replay has all events since a time delivered again", async () => {
    const before = receiver.received.length
    const replay = ofCustomer("webhook", "replay", "--webhook", hook, "--since", "2020-01-01T00:00:00Z")
    expect(await server.cli(...replay)).toEqual({ replayed: 3, next_since: null })
    await Effect.runPromise(receiver.arrived(before + 3))
    await delivered()
  })
})

const NOBODY = "01a2086a-62d7-76a2-956f-99d841041c58"

describe("what is missing is explained in one line:", () => {
  it.each([
    ["a customer", ["message", "list", "--customer", "987654"], /there is no customer 987654/],
    ["a phone", ["message", "list", "--customer", "1", "--to", "0912"], /not an Iranian mobile number/],
    ["a limit", ["verification", "list", "--customer", "1", "--limit", "101"], /--limit/],
    [
      "a time",
      ["message", "list", "--customer", "1", "--created-after", "soon"],
      /--created-after.*ISO 8601/
    ],
    [
      "a verification",
      ["verification", "show", "--customer", "1", "--verification", NOBODY],
      /customer 1 has no verification/
    ],
    ["an id", ["message", "show", "--customer", "1", "--message", "7"], /--message/],
    ["a message", ["message", "show", "--customer", "1", "--message", NOBODY], /customer 1 has no message/],
    ["a webhook", ["webhook", "show", "--customer", "1", "--webhook", "9"], /customer 1 has no webhook 9/],
    [
      "what to replay",
      ["webhook", "replay", "--customer", "1", "--webhook", "9"],
      /either --event ID or --since TIME/
    ]
  ] as const)("%s", async (_, command, message) => {
    const { code, out, err } = await server.run(...command, "--json")
    expect({ code, out }).toEqual({ code: 1, out: "" })
    expect(err.trim().split("\n").length).toBeLessThanOrEqual(2)
    expect(err).toMatch(message)
  })

  it("another customer's message", async () => {
    const [id = ""] = messages
    const { code, err } = await server.run("message", "show", "--customer", "1", "--message", id)
    expect(code).toBe(1)
    expect(err).toContain("customer 1 has no message")
  })
})
