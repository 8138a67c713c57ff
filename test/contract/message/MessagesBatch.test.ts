import { beforeAll, describe, expect, it } from "vitest"
import { issues, messages, newKey, newPhone, ok, refused, type Reply, request } from "../Client.ts"
import { customerWith, newAccount, newCustomer, newTemplate } from "../Operator.ts"
import { type SharedServer, sharedServer } from "../SharedServer.ts"

interface Item {
  readonly index: number
  readonly message_id?: string
  readonly status?: string
  readonly error?: {
    readonly code: string
    readonly message: string
    readonly details: Readonly<Record<string, unknown>>
  }
}

/** The default price of a message over Bale, in rials. */
const PRICE = 1000

let server: SharedServer
beforeAll(() => {
  server = sharedServer()
})

const paths = { live: "/v1/messages", sandbox: "/v1/sandbox/messages" }
type Mode = keyof typeof paths

const keyOf = (mode: Mode) => (mode === "live" ? server.demo.live_key : server.demo.test_key)

const post = (mode: Mode, body: unknown, { key = keyOf(mode), once = newKey() } = {}) =>
  request(server, "POST", `${paths[mode]}/batch`, {
    headers: { "x-api-key": key, "content-type": "application/json", "idempotency-key": once },
    body: typeof body === "string" ? body : JSON.stringify(body)
  })

const text = (fields: Readonly<Record<string, unknown>> = {}) => ({
  to: newPhone(),
  message: "سلام",
  channels: "sms",
  ...fields
})

const data = (reply: Reply) => ok<{ readonly data: ReadonlyArray<Item> }>(reply).data
const codes = (reply: Reply) => data(reply).map(({ error, status }) => error?.code ?? status)
const idAt = (reply: Reply, index: number) => data(reply)[index]?.message_id ?? "none"

describe.each(["live", "sandbox"] as const)("POST …/batch, %s", (mode) => {
  it("creates each message, in the order of the request, and sends them", async () => {
    const given = [text({ metadata: { order: 1 } }), text({ channels: ["bale", "sms"] })]
    const reply = await post(mode, { messages: given })
    expect(data(reply)).toEqual([
      { index: 0, message_id: expect.any(String), status: "queued" },
      { index: 1, message_id: expect.any(String), status: "queued" }
    ])
    const api = messages(server, keyOf(mode), paths[mode])
    const sent = await api.completed(idAt(reply, 0))
    expect(sent).toMatchObject({ status: "sent", metadata: { order: 1 } })
    expect((await api.completed(idAt(reply, 1))).attempts[0]?.channel.provider).toBe("bale")
  })

  it("refuses a message by itself, and the others go on", async () => {
    const reply = await post(mode, {
      messages: [
        text(),
        text({ to: "021" }),
        text({ channels: 7 }),
        "no message",
        text({ channels: "fax" }),
        text({ message: undefined, template: { id: 987_654 } }),
        text({ delay: "0s" }),
        text()
      ]
    })
    expect(codes(reply)).toEqual([
      "queued",
      "invalid_phone",
      "validation_error",
      "validation_error",
      "invalid_channel",
      "template_not_found",
      "invalid_delay",
      "queued"
    ])
    expect(data(reply)[2]).toMatchObject({
      index: 2,
      error: {
        message: expect.any(String),
        details: { errors: [{ path: "body.messages[2].channels" }] }
      }
    })
  })

  it("returns the same response to the same request with the key, and creates nothing", async () => {
    const body = { messages: [text({ delay: "1h" }), text({ to: "021" })] }
    const once = newKey()
    const first = await post(mode, body, { once })
    const again = await post(mode, body, { once })
    expect(first.headers.get("idempotency-replayed")).toBeNull()
    expect(again.headers.get("idempotency-replayed")).toBe("true")
    expect(again.text).toBe(first.text)
  })

  it("creates one batch for many identical requests at once", async () => {
    const to = newPhone()
    const body = { messages: [text({ to, delay: "1h" }), text({ to, delay: "1h" })] }
    const once = newKey()
    const replies = await Promise.all(Array.from({ length: 20 }, () => post(mode, body, { once })))
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1)
    const listed = await request(server, "GET", `${paths[mode]}?to=${encodeURIComponent(to)}`, {
      headers: { "x-api-key": keyOf(mode) }
    })
    expect(ok<{ readonly data: ReadonlyArray<unknown> }>(listed).data).toHaveLength(2)
  })

  it("is 409 idempotency_key_conflict with another body, and knows other forms of a phone", async () => {
    const once = newKey()
    const to = newPhone()
    const first = await post(mode, { messages: [text({ to, delay: "1h" })] }, { once })
    const sameTo = await post(mode, { messages: [text({ to: `0${to.slice(-10)}`, delay: "1h" })] }, { once })
    expect(sameTo.text).toBe(first.text)
    refused(await post(mode, { messages: [text({ to })] }, { once }), 409, "idempotency_key_conflict")
  })

  it("takes 500 messages of 900 Persian letters", async () => {
    const all = Array.from({ length: 500 }, () => text({ message: "س".repeat(900), delay: "1d" }))
    expect(codes(await post(mode, { messages: all }))).toEqual(all.map(() => "queued"))
  })

  it("is 422 without messages, with more than 500, or with another shape", async () => {
    expect(issues(await post(mode, {}))).toEqual(["body.messages"])
    expect(issues(await post(mode, { messages: [] }))).toEqual(["body.messages"])
    expect(issues(await post(mode, { messages: Array.from({ length: 501 }, () => 1) }))).toEqual([
      "body.messages"
    ])
    refused(await post(mode, "{"), 422, "validation_error")
  })

  it("refuses a message by itself, however deep it is", async () => {
    const deep = "[".repeat(5000) + "]".repeat(5000)
    const body = `{"messages":[${deep},${JSON.stringify(text())}]}`
    const once = newKey()
    const reply = await post(mode, body, { once })
    expect(codes(reply)).toEqual(["validation_error", "queued"])
    expect(data(await post(mode, body, { once }))).toEqual(data(reply))
  })

  it("needs an Idempotency-Key", async () => {
    const headers = { "x-api-key": keyOf(mode), "content-type": "application/json" }
    const body = JSON.stringify({ messages: [text()] })
    refused(
      await request(server, "POST", `${paths[mode]}/batch`, { headers, body }),
      400,
      "idempotency_required"
    )
  })

  it("refuses a key of the other mode, and a body of more than 1 MiB", async () => {
    const other = mode === "live" ? "sandbox" : "live"
    const code = mode === "live" ? "test_key_not_allowed" : "live_key_not_allowed"
    refused(await post(mode, { messages: [text()] }, { key: keyOf(other) }), 403, code)
    const large = { messages: [text({ note: "x".repeat(1_048_576) })] }
    refused(await post(mode, large), 413, "payload_too_large")
  })
})

describe("a batch", () => {
  it("keeps every digit of each message's metadata", async () => {
    const one = `{"to":"${newPhone()}","message":"x","channels":"sms","delay":"1h","metadata":{"n":12345678901234567890}}`
    const reply = await post("live", `{"messages":[${one},${one}]}`)
    const read = await messages(server, server.demo.live_key).read(idAt(reply, 1))
    expect(read.text).toContain('"metadata":{"n":12345678901234567890}')
  })

  it("fills the templates of its customer, and not another's", async () => {
    const customer = await customerWith(server, { sms: {} })
    const template = await newTemplate(server, customer.id, "سلام {{name}}")
    const use = (name: string) =>
      text({ message: undefined, template: { id: template, parameters: { [name]: "سارا" } } })
    const body = { messages: [use("name"), use("city")] }
    expect(codes(await post("live", body, { key: customer.live }))).toEqual([
      "queued",
      "template_parameters_mismatch"
    ])
    expect(codes(await post("live", body))).toEqual(["template_not_found", "template_not_found"])
  })

  it("admits messages to one phone up to its hourly limit, and says when to come again", async () => {
    const customer = await customerWith(server, { sms: {} })
    await server.cli("customer", "limits", "--customer", customer.id, "--set", "message_phone_hour=2")
    const to = newPhone()
    const body = { messages: [text({ to }), text({ to }), text({ to }), text()] }
    const reply = await post("live", body, { key: customer.live })
    expect(codes(reply)).toEqual(["queued", "queued", "too_many_requests_phone_hour", "queued"])
    expect(data(reply)[2]?.error?.details).toEqual({ retry_after_seconds: 3600 })
    const alone = await messages(server, customer.live).send({ to })
    refused(alone, 429, "too_many_requests_phone_hour")
  })

  it("admits as many as the month's quota is left for", async () => {
    const customer = await customerWith(server, { sms: {} })
    await server.cli("customer", "limits", "--customer", customer.id, "--set", "monthly_quota=2")
    const reply = await post("live", { messages: [text(), text(), text()] }, { key: customer.live })
    expect(codes(reply)).toEqual(["queued", "queued", "quota_exceeded"])
  })

  it("admits what the wallet covers, in the order of the request, over all its parts", async () => {
    const customer = await newCustomer(server, "business")
    for (const channel of ["bale", "sms"]) await newAccount(server, customer.id, channel)
    const ofCustomer = ["--customer", customer.id]
    await server.cli("wallet", "top-up", ...ofCustomer, "--amount", String(PRICE * 3 + 1))
    const over = (channel: string) => text({ channels: channel, delay: "1h" })
    const body = { messages: ["bale", "bale", "bale", "bale", "sms"].map(over) }
    const reply = await post("live", body, { key: customer.live })
    expect(codes(reply)).toEqual(["queued", "queued", "queued", "insufficient_balance", "queued"])
    expect(await server.cli("wallet", "show", ...ofCustomer)).toMatchObject({
      balance: PRICE * 3 + 1,
      held: PRICE * 3
    })
  })
})
