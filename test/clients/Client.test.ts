// @effect-diagnostics globalDate:off
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Webhook } from "standardwebhooks"
import { afterEach, describe, expect, expectTypeOf, it } from "vitest"
import {
  createClient,
  isPeykError,
  type PeykError,
  verifyWebhook,
  type WebhookEvent,
  WebhookVerificationError
} from "../../packages/client/src/index.ts"
import type { TEST_EVENT, WebhookEventType } from "../../src/domain/webhook/Webhook.ts"

interface Received {
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

type Reply =
  | {
      readonly status?: number
      readonly headers?: Record<string, string>
      readonly body?: unknown
      /** Instead of a body: these bytes. */
      readonly text?: string
    }
  | "hang up"

let far: Server | undefined
afterEach(() => {
  far?.closeAllConnections()
  far?.close()
})

const respond = (response: ServerResponse, reply: Reply) => {
  if (reply === "hang up") {
    response.destroy()
    return
  }
  const { status = 200, headers = {}, body, text = "" } = reply
  response.writeHead(status, headers).end(body === undefined ? text : JSON.stringify(body))
}

/** A far end that gives these replies in turn, the last one for ever. */
const startFarEnd = async (...replies: ReadonlyArray<Reply>) => {
  const received: Array<Received> = []
  far = createServer(async (request, response) => {
    const parts: Array<Buffer> = []
    for await (const part of request) parts.push(part as Buffer)
    const { method = "", url = "", headers } = request
    received.push({ method, url, headers, body: Buffer.concat(parts).toString() })
    respond(response, replies[Math.min(received.length, replies.length) - 1] ?? {})
  })
  await new Promise<void>((resolve) => far?.listen(0, "127.0.0.1", resolve))
  const { port } = far.address() as AddressInfo
  const client = createClient({
    baseUrl: `http://127.0.0.1:${port}/`,
    apiKey: "svc_live_key",
    token: "svc_pat_token"
  })
  return { received, client }
}

const refusal = (
  status: number,
  code: string,
  headers: Record<string, string> = {},
  details: unknown = {}
) => ({
  status,
  headers,
  body: { error: { code, message: "No.", details }, request_id: "request-7" }
})

const caught = async (call: Promise<unknown>): Promise<PeykError> => {
  const error = await call.then(
    () => undefined,
    (thrown: unknown) => thrown
  )
  if (!isPeykError(error)) throw new Error(`expected a PeykError, not ${String(error)}`)
  return error
}

const sent = { verification_id: "v", status: "queued", current_attempt_channel: {}, expires_in: 300 }

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

describe("a failed call", () => {
  it("throws the code, the status, the details and the request id of the envelope", async () => {
    const errors = [{ path: "body.phone", message: "Expected a string" }]
    const { client } = await startFarEnd(refusal(422, "validation_error", {}, { errors }))
    const error = await caught(client.otp.send({ phone: "1" }))
    expect(error).toMatchObject({
      name: "PeykError",
      code: "validation_error",
      status: 422,
      requestId: "request-7"
    })
    if (isPeykError(error, "validation_error")) expect(error.details.errors).toEqual(errors)
  })

  it("says how long to wait, and does not wait for a limit by itself", async () => {
    const { received, client } = await startFarEnd(
      refusal(429, "too_many_requests_phone_hour", { "retry-after": "1800" })
    )
    const error = await caught(client.otp.send({ phone: "09121234567" }))
    expect(error).toMatchObject({ code: "too_many_requests_phone_hour", retryAfter: 1800 })
    expect(received).toHaveLength(1)
  })

  it("is no envelope of Peyk's where something else responds", async () => {
    const { client } = await startFarEnd({ status: 404, body: { message: "no such site" } })
    expect(await caught(client.otp.status("v"))).toMatchObject({ code: "invalid_response", status: 404 })
  })

  it.each([
    ["message", { code: "not_found", details: {} }],
    ["details", { code: "not_found", message: "No." }]
  ])("is no envelope of Peyk's without its %s", async (_, error) => {
    const { client } = await startFarEnd({ status: 404, body: { error, request_id: "request-7" } })
    expect(await caught(client.otp.status("v"))).toMatchObject({ code: "invalid_response", status: 404 })
  })

  it.each([
    ["an empty body", { status: 200, text: "" }],
    ["a text", { status: 200, text: "ok" }],
    ["null", { status: 200, text: "null" }],
    ["a list", { status: 200, text: "[]" }],
    ["an empty body with 201", { status: 201, text: "" }],
    ["no content", { status: 204 }]
  ])("is an invalid response if a success has %s", async (_, reply) => {
    const { received, client } = await startFarEnd(reply)
    const error = await caught(client.otp.send({ phone: "09121234567" }))
    expect(error).toMatchObject({ code: "invalid_response", status: reply.status })
    expect(received).toHaveLength(1)
  })

  it("is an invalid response with the status of a redirect, which is never followed", async () => {
    const { received, client } = await startFarEnd(
      { status: 302, headers: { location: "/sign-in" }, body: refusal(404, "not_found").body },
      { body: sent }
    )
    const error = await caught(client.otp.send({ phone: "09121234567" }))
    expect(error).toMatchObject({ code: "invalid_response", status: 302 })
    expect(received).toHaveLength(1)
  })

  it("is an invalid response where a browser hides the redirect", async () => {
    const redirects: Array<string | undefined> = []
    const hidden = Object.defineProperties(new Response(null), {
      type: { value: "opaqueredirect" },
      status: { value: 0 },
      ok: { value: false }
    })
    const client = createClient({
      baseUrl: "http://peyk.test",
      fetch: (_, init) => {
        redirects.push(init?.redirect)
        return Promise.resolve(hidden)
      }
    })
    expect(await caught(client.otp.status("v"))).toMatchObject({ code: "invalid_response", status: 0 })
    expect(redirects).toEqual(["manual"])
  })

  it("is a timeout if no response comes in time", async () => {
    const client = createClient({
      baseUrl: "http://127.0.0.1:9",
      fetch: (_, init) =>
        new Promise((_resolve, reject) =>
          init?.signal?.addEventListener("abort", () => reject(init.signal?.reason))
        ),
      timeoutMs: 20,
      retries: 0
    })
    expect(await caught(client.otp.status("v"))).toMatchObject({ code: "timeout", status: 0 })
  })

  it("is no timeout if the caller sets no limit", async () => {
    const { client } = await startFarEnd({ body: sent })
    expect(await client.otp.send({ phone: "09121234567" }, { timeoutMs: Infinity })).toEqual(sent)
    expect(await client.otp.send({ phone: "09121234567" }, { timeoutMs: 2 ** 31 })).toEqual(sent)
  })

  it("is a TypeError, and is not repeated, if the arguments cannot be sent", async () => {
    const { received, client } = await startFarEnd({ body: sent })
    const call = client.otp.send({ phone: "09121234567", idempotencyKey: "سلام" })
    await expect(call).rejects.toThrow(TypeError)
    expect(received).toHaveLength(0)
  })

  it.each([1843, null, {}, "", "  ", " a", "a ", "a\nb", "سلام", "a".repeat(256)])(
    "is a TypeError if the idempotency key is %j",
    async (idempotencyKey) => {
      const { received, client } = await startFarEnd({ body: sent })
      const given = { idempotencyKey } as never as { readonly idempotencyKey: string }
      for (const call of [
        client.otp.send({ phone: "09121234567", ...given }),
        client.sandbox.send({ phone: "09121234567", ...given }),
        client.messages.batch([], given),
        client.manage.apiKeys.create({ name: "backend", mode: "live", ...given })
      ])
        await expect(call).rejects.toThrow(TypeError)
      expect(received).toHaveLength(0)
    }
  )

  it.each([null, true, "3", "", '"a"', "*", 1.5, -1, Number.NaN, ['"3"']])(
    "is a TypeError if ifMatch is %j",
    async (ifMatch) => {
      const { received, client } = await startFarEnd({ body: {} })
      const call = client.manage.apiKeys.update({ id: 7, name: "backend", ifMatch: ifMatch as never })
      await expect(call).rejects.toThrow(TypeError)
      expect(received).toHaveLength(0)
    }
  )

  it.each([undefined, null, "", ".", "..", {}, Number.NaN])(
    "is a TypeError if an id of the path is %j",
    async (id) => {
      const { received, client } = await startFarEnd({ body: sent })
      const calls: ReadonlyArray<Promise<unknown>> = [
        client.otp.status(id as never),
        client.otp.next(id as never),
        client.otp.cancel(id as never),
        client.sandbox.cancel(id as never),
        client.messages.status(id as never),
        client.messages.cancel(id as never),
        client.manage.apiKeys.read({ id: id as never })
      ]
      const text = /^(verification_|message_)?id must be a string or a number that can be part of a path\.$/
      for (const call of calls) await expect(call).rejects.toThrow(text)
      expect(received).toHaveLength(0)
    }
  )

  it("ends with the caller's own signal", async () => {
    const { client } = await startFarEnd({ body: sent })
    const signal = AbortSignal.abort(new Error("the user left"))
    await expect(client.otp.status("v", { signal })).rejects.toThrow("the user left")
  })
})

describe("a repeat", () => {
  it("carries the same idempotency key after a lost response", async () => {
    const { received, client } = await startFarEnd("hang up", { body: sent })
    expect(await client.otp.send({ phone: "09121234567" })).toEqual(sent)
    const keys = received.map(({ headers }) => headers["idempotency-key"])
    expect(keys).toHaveLength(2)
    expect(new Set(keys).size).toBe(1)
  })

  it("comes for a send in the sandbox as for a live one", async () => {
    const { received, client } = await startFarEnd("hang up", { body: sent })
    expect(await client.sandbox.send({ phone: "09121234567" })).toEqual(sent)
    expect(new Set(received.map(({ headers }) => headers["idempotency-key"])).size).toBe(1)
    expect(received).toHaveLength(2)
  })

  it("comes after a 503, and after a key that is still in progress", async () => {
    const { received, client } = await startFarEnd(
      refusal(503, "service_unavailable", { "retry-after": "0" }),
      refusal(409, "idempotency_key_in_progress", { "retry-after": "0" }),
      { body: sent }
    )
    await client.otp.send({ phone: "09121234567" })
    expect(received).toHaveLength(3)
  })

  it("never comes for a verify, as each try counts", async () => {
    const { received, client } = await startFarEnd("hang up")
    const error = await caught(client.otp.verify({ verification_id: "v", code: "123456" }))
    expect(error.code).toBe("connection_failed")
    expect(received).toHaveLength(1)
  })

  it("comes for a next that names the attempt it looked at, and for no other", async () => {
    const { received, client } = await startFarEnd("hang up", { body: {} })
    await client.otp.next("v", { from_sequence: 1 })
    expect(received).toHaveLength(2)
    const other = await startFarEnd("hang up", { body: {} })
    await caught(other.client.otp.next("v"))
    expect(other.received).toHaveLength(1)
  })

  it("comes for a replacement, which leads to the same state", async () => {
    const { received, client } = await startFarEnd("hang up", { body: { steps: [] } })
    await client.manage.routing.save({ steps: [] })
    expect(received).toHaveLength(2)
  })

  it("never comes for a change with If-Match, whose repeat would be refused", async () => {
    const { received, client } = await startFarEnd("hang up", refusal(412, "precondition_failed"))
    const error = await caught(client.manage.routing.save({ steps: [], ifMatch: '"3"' }))
    expect(error.code).toBe("connection_failed")
    expect(received).toHaveLength(1)
  })

  it("never comes for a removal, whose repeat would find nothing", async () => {
    const { received, client } = await startFarEnd("hang up", refusal(404, "not_found"))
    const error = await caught(client.manage.templates.remove({ id: 7 }))
    expect(error.code).toBe("connection_failed")
    expect(received).toHaveLength(1)
  })

  it("comes as often as it was asked for, and no more", async () => {
    const { received, client } = await startFarEnd("hang up")
    await caught(client.otp.status("v", { retries: 1 }))
    expect(received).toHaveLength(2)
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

describe("a webhook", () => {
  const secret = `whsec_${Buffer.alloc(32, 7).toString("base64")}`
  const payload = JSON.stringify({ type: "verification.verified", mode: "live", timestamp: "t", data: {} })
  const signed = (at: Date, text = payload) => ({
    "webhook-id": "msg_1",
    "webhook-timestamp": String(Math.floor(at.getTime() / 1000)),
    "webhook-signature": new Webhook(secret).sign("msg_1", at, text)
  })
  const now = () => new Date(performance.timeOrigin + performance.now())

  it("has a type for each event that Peyk posts", () => {
    expectTypeOf<WebhookEvent["type"]>().toEqualTypeOf<typeof WebhookEventType.Type | typeof TEST_EVENT>()
  })

  it("returns the event of a request that is signed, with headers in any case", async () => {
    expect(await verifyWebhook({ payload, headers: signed(now()), secret })).toMatchObject({
      type: "verification.verified"
    })
    const upper = Object.fromEntries(
      Object.entries(signed(now())).map(([name, value]) => [name.toUpperCase(), value])
    )
    await verifyWebhook({ payload: Buffer.from(payload), headers: upper, secret })
    await verifyWebhook({ payload, headers: new Headers(signed(now())), secret })
  })

  it("takes each header from a list of one, as some frameworks pass it", async () => {
    const headers = Object.fromEntries(
      Object.entries(signed(now())).map(([name, value]) => [name, [value]] as const)
    )
    await verifyWebhook({ payload, headers, secret })
  })

  it("refuses a header that came twice", async () => {
    const headers = signed(now())
    const twice = { ...headers, "webhook-id": [headers["webhook-id"], "msg_2"] }
    await expect(verifyWebhook({ payload, headers: twice, secret })).rejects.toThrow(WebhookVerificationError)
  })

  it.each([
    ["bytes", Buffer.from(`\uFEFF${payload}`)],
    ["text", `\uFEFF${payload}`]
  ])("returns the event of %s that begin with a byte order mark", async (_, marked) => {
    const headers = signed(now(), `\uFEFF${payload}`)
    expect(await verifyWebhook({ payload: marked, headers, secret })).toMatchObject({
      type: "verification.verified"
    })
  })

  it.each([
    ["a body that a framework parsed", { payload: JSON.parse(payload) as string }, /payload .* not parsed/],
    ["no body", { payload: undefined as unknown as string }, /payload .* not parsed/],
    ["a secret that is not set", { secret: undefined as unknown as string }, /secret is not the whsec_/]
  ])("refuses %s with an error that says so", async (_, change, message) => {
    const verified = verifyWebhook({ payload, headers: signed(now()), secret, ...change })
    await expect(verified).rejects.toThrow(TypeError)
    await expect(verified).rejects.toThrow(message)
  })

  it("accepts one of two signatures, while a secret is replaced", async () => {
    const headers = signed(now())
    const both = { ...headers, "webhook-signature": `v1,${"A".repeat(44)} ${headers["webhook-signature"]}` }
    await verifyWebhook({ payload, headers: both, secret })
  })

  it.each([
    ["another body", { payload: `${payload} ` }],
    ["another secret", { secret: `whsec_${Buffer.alloc(32, 8).toString("base64")}` }],
    ["no signature", { headers: { ...signed(now()), "webhook-signature": "" } }],
    ["a signature that is no base64", { headers: { ...signed(now()), "webhook-signature": "v1,%%%" } }],
    ["a time long ago", { headers: signed(new Date(now().getTime() - 301_000)) }],
    ["a time to come", { headers: signed(new Date(now().getTime() + 310_000)) }]
  ])("refuses %s", async (_, change) => {
    await expect(verifyWebhook({ payload, headers: signed(now()), secret, ...change })).rejects.toThrow(
      WebhookVerificationError
    )
  })
})
