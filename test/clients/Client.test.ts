import { describe, expect, it } from "vitest"
import { createClient } from "../../packages/client/src/index.ts"
import { sent, startFarEnd } from "./FarEnd.ts"

describe("a call", () => {
  it("sends the fields as they are, the key in its header, and an idempotency key of its own", async () => {
    const { received, client } = await startFarEnd({ body: sent })
    expect(await client.otp.send({ phone: "09121234567", channels: ["bale", "sms"] })).toEqual(sent)
    expect(received).toHaveLength(1)
    expect(received[0]).toMatchObject({ method: "POST", url: "/v1/otp/send" })
    expect(received[0]?.headers["x-api-key"]).toBe("svc_live_key")
    expect(received[0]?.headers["idempotency-key"]).toMatch(/^[0-9a-f-]{36}$/)
    expect(JSON.parse(received[0]?.body ?? "")).toEqual({ phone: "09121234567", channels: ["bale", "sms"] })
  })

  it("uses the idempotency key that it was given, and does not send it as a field", async () => {
    const { received, client } = await startFarEnd({ body: sent })
    await client.otp.send({ phone: "09121234567", idempotencyKey: "order-1843" })
    expect(received[0]?.headers["idempotency-key"]).toBe("order-1843")
    expect(received[0]?.body).toBe('{"phone":"09121234567"}')
  })

  it("puts ids into the path, filters into the query, and the token into Authorization", async () => {
    const { received, client } = await startFarEnd({ body: { data: [], next_cursor: null } })
    await client.messages.list({ to: "+989121234567", metadata: { order: "7" } })
    await client.manage.apiKeys.update({ id: 7, name: "backend", ifMatch: '"3"' })
    await client.otp.status("a/b")
    expect(received.map(({ method, url }) => `${method} ${url}`)).toEqual([
      "GET /v1/messages?to=%2B989121234567&metadata%5Border%5D=7",
      "PATCH /v1/manage/api-keys/7",
      "GET /v1/otp/a%2Fb"
    ])
    expect(received[1]?.headers).toMatchObject({ authorization: "Bearer svc_pat_token", "if-match": '"3"' })
    expect(received[1]?.body).toBe('{"name":"backend"}')
    expect(received[1]?.headers["x-api-key"]).toBeUndefined()
  })

  it("previews a send without a key, and again after a lost response", async () => {
    const preview = { route: [], would_refuse: "channels_required" }
    const { received, client } = await startFarEnd("hang up", { body: preview })
    expect(await client.otp.preview({ phone: "09121234567", channels: "sms" })).toEqual(preview)
    expect(received.map(({ method, url, body }) => [method, url, body])).toEqual(
      Array.from({ length: 2 }, () => ["POST", "/v1/otp/preview", '{"phone":"09121234567","channels":"sms"}'])
    )
    for (const { headers } of received) expect(headers["idempotency-key"]).toBeUndefined()
  })

  it("looks up a phone, which no path contains, and again after a lost response", async () => {
    const { received, client } = await startFarEnd("hang up", { body: { phone: "+989121234567" } })
    expect(await client.lookup("09121234567")).toEqual({ phone: "+989121234567" })
    expect(received.map(({ method, url, body }) => [method, url, body])).toEqual(
      Array.from({ length: 2 }, () => ["POST", "/v1/phones/lookup", '{"phone":"09121234567"}'])
    )
  })

  it("reads a statement, and usage by the days of Tehran", async () => {
    const { received, client } = await startFarEnd({ body: {} })
    await client.manage.statements.read({ month: "1405-09", calendar: "jalali", timezone: "Asia/Tehran" })
    await client.manage.usage.report({ timezone: "Asia/Tehran" })
    expect(received.map(({ url }) => decodeURIComponent(url))).toEqual([
      "/v1/manage/statements/1405-09?calendar=jalali&timezone=Asia/Tehran",
      "/v1/manage/usage?timezone=Asia/Tehran"
    ])
  })

  it("of the sandbox carries an idempotency key too, its own or the given one", async () => {
    const { received, client } = await startFarEnd({ body: sent })
    await client.sandbox.send({ phone: "09121234567" })
    await client.sandbox.send({ phone: "09121234567", idempotencyKey: "order-1843" })
    expect(received[0]?.headers["idempotency-key"]).toMatch(/^[0-9a-f-]{36}$/)
    expect(received[1]?.headers["idempotency-key"]).toBe("order-1843")
    expect(received[1]?.body).toBe('{"phone":"09121234567"}')
  })

  it("quotes the number of a version for If-Match", async () => {
    const { received, client } = await startFarEnd({ body: {} })
    await client.manage.apiKeys.update({ id: 7, name: "backend", ifMatch: 3 })
    expect(received[0]?.headers["if-match"]).toBe('"3"')
  })

  it("takes undefined for an option that is not given", async () => {
    const { received, client } = await startFarEnd({ body: {} })
    const none = undefined
    await client.otp.send({ phone: "09121234567", idempotencyKey: none }, { timeoutMs: none, retries: none })
    await client.manage.apiKeys.update({ id: 7, name: "a", ifMatch: none }, { signal: none, requestId: none })
    expect(received[0]?.headers["idempotency-key"]).toMatch(/^[0-9a-f-]{36}$/)
    expect(received[1]?.headers["if-match"]).toBeUndefined()
    const { baseUrl } = { baseUrl: "http://peyk.test" }
    createClient({ baseUrl, apiKey: none, token: none, fetch: none, timeoutMs: none, retries: none })
  })

  it("returns nothing where the response has no body", async () => {
    const { client } = await startFarEnd({ status: 204 })
    expect(await client.manage.apiKeys.revoke({ id: 7 })).toBeUndefined()
  })
})

describe("a client", () => {
  const baseUrl = "https://peyk.example.ir"

  it.each(["apiKey", "token"])("is not made with an %s that no header can carry", (name) => {
    for (const secret of ["svc_pat_SEC\nRET", "svc_pat_SECRET‌", 5n]) {
      const make = () => createClient({ baseUrl, [name]: secret })
      expect(make).toThrow(new TypeError(`${name} has characters that no header can carry.`))
    }
  })

  it("is made with a key that ends with a line break, as files have it", async () => {
    let shown: unknown
    const client = createClient({
      baseUrl,
      apiKey: "svc_live_key\n",
      fetch: (_, init) => {
        shown = new Headers(init?.headers).get("x-api-key")
        return Promise.resolve(Response.json(sent))
      }
    })
    await client.otp.status("v")
    expect(shown).toBe("svc_live_key")
  })

  it("sends no credential that is empty", async () => {
    let sentHeaders = new Headers()
    const client = createClient({
      baseUrl,
      apiKey: " \n",
      token: "",
      fetch: (_, init) => {
        sentHeaders = new Headers(init?.headers)
        return Promise.resolve(Response.json(sent))
      }
    })
    await client.otp.status("v")
    expect(sentHeaders.has("x-api-key")).toBe(false)
  })

  it("is not made without a base URL", () => {
    expect(() => createClient({} as never)).toThrow(/^baseUrl is missing/)
  })

  it.each([
    "",
    "peyk.example.ir",
    "ftp://peyk.example.ir",
    `${baseUrl}?x=1`,
    `${baseUrl}/#f`,
    `${baseUrl}\\path`,
    "user:SECRET@peyk.example.ir",
    "https://user:SECRET@peyk.example.ir",
    "https:/user:SECRET@peyk.example.ir",
    "https:\\\\user:SECRET@peyk.example.ir"
  ])("is not made with the base URL %s", (url) => {
    const make = () => createClient({ baseUrl: url })
    expect(make).toThrow(new TypeError("baseUrl must be http:// or https://, a host and at most a path."))
  })

  it("is made with a base URL that has blanks around it, as files have them", async () => {
    let url: unknown
    const client = createClient({
      baseUrl: ` ${baseUrl}/\n`,
      fetch: (input) => {
        url = input
        return Promise.resolve(Response.json(sent))
      }
    })
    await client.otp.status("v")
    expect(url).toBe(`${baseUrl}/v1/otp/v`)
  })
})

describe("a list", () => {
  it("goes through all pages, with the same filters", async () => {
    const { received, client } = await startFarEnd(
      { body: { data: [{ message_id: "1" }, { message_id: "2" }], next_cursor: "c" } },
      { body: { data: [{ message_id: "3" }], next_cursor: null } }
    )
    const ids: Array<string> = []
    for await (const { message_id } of client.messages.list.all({ status: "sent" })) ids.push(message_id)
    expect(ids).toEqual(["1", "2", "3"])
    expect(received.map(({ url }) => url)).toEqual([
      "/v1/messages?status=sent",
      "/v1/messages?status=sent&cursor=c"
    ])
  })
})
