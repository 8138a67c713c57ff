import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { newKey, newPhone, ok, otp, refused, type Reply } from "../Client.ts"
import { newManager } from "../ManagedSetUp.ts"
import { manage, newToken, newUser, signIn } from "../Manager.ts"
import { type Customer, customerWith } from "../Operator.ts"
import { type Demo, type Server, startServer } from "../Server.ts"
import { sharedServer } from "../SharedServer.ts"
import { callFrom } from "./ManagedKeys.ts"

let server: Server
let customer: Customer
let owner: string
beforeAll(async () => {
  server = await startServer({
    env: { PEYK_LIMIT_KEY_MINUTE: "40", PEYK_LIMIT_MANAGE_MINUTE: "40", PEYK_TRUSTED_PROXIES: "1" }
  })
  customer = await customerWith(server, { sms: {} })
  owner = `apikey ${(server.demo as Demo & { readonly token: string }).token}`
})
afterAll(() => server?.stop())

const newLiveKey = async () => {
  const made = await server.cli("key", "create", "--customer", customer.id, "--mode", "live")
  return made as { readonly id: number; readonly secret: string }
}

const admitted = (replies: ReadonlyArray<Reply>) => replies.filter(({ status }) => status !== 429)

const many = (count: number, call: () => Promise<Reply>) => Promise.all(Array.from({ length: count }, call))

/** Any request of a key counts: this one is answered 404. */
const reading = (secret: string) => () => otp(server, secret).read("01890a5d-ac96-774b-bcce-b302099a8057")

describe("the limit of a key for a minute", () => {
  it("admits exactly as many requests as it says, of ten times as many at once", async () => {
    const { secret } = await newLiveKey()
    const replies = await many(400, reading(secret))
    expect(admitted(replies)).toHaveLength(40)
    for (const reply of replies.filter(({ status }) => status === 429)) {
      refused(reply, 429, "too_many_requests_api_key")
      expect(Number(reply.headers.get("retry-after"))).toBeGreaterThan(0)
      expect(Number(reply.headers.get("retry-after"))).toBeLessThanOrEqual(60)
    }
  })

  it("is shown with every answer: its size, what is left of it, and until when", async () => {
    const { secret } = await newLiveKey()
    const first = await reading(secret)()
    expect(first.headers.get("ratelimit-policy")).toBe('"key";q=40;w=60')
    expect(first.headers.get("ratelimit")).toMatch(/^"key";r=39;t=(60|59)$/)
    const second = await otp(server, secret).postSend("not json")
    refused(second, 422, "validation_error")
    expect(second.headers.get("ratelimit")).toMatch(/^"key";r=38;t=\d+$/)
    await many(38, reading(secret))
    const last = await reading(secret)()
    refused(last, 429, "too_many_requests_api_key")
    expect(last.headers.get("ratelimit")).toMatch(/^"key";r=0;t=\d+$/)
    expect(last.headers.get("ratelimit-policy")).toBe('"key";q=40;w=60')
  })

  it("is not shown, and not used, to callers who have no valid key", async () => {
    const reply = await otp(server, `svc_live_${"x".repeat(43)}`).read("x")
    refused(reply, 401, "unauthenticated")
    expect(reply.headers.get("ratelimit")).toBeNull()
  })

  it("is used up by a replay, too", async () => {
    const { secret } = await newLiveKey()
    const body = { phone: newPhone(), channels: "sms" }
    const headers = { "idempotency-key": newKey() }
    await otp(server, secret).postSend(body, headers)
    const replay = await otp(server, secret).postSend(body, headers)
    expect(replay.headers.get("idempotency-replayed")).toBe("true")
    expect(replay.headers.get("ratelimit")).toMatch(/^"key";r=38;/)
  })

  it("comes before everything that is asked of the request itself", async () => {
    const { secret } = await newLiveKey()
    await many(40, reading(secret))
    const reply = await otp(server, secret).post("/send", "not json", { "content-type": "text/plain" })
    refused(reply, 429, "too_many_requests_api_key")
  })

  it("is each key's own", async () => {
    const [one, other] = [await newLiveKey(), await newLiveKey()]
    await many(41, reading(one.secret))
    expect((await reading(other.secret)()).status).toBe(404)
  })

  it("holds for the sandbox", async () => {
    const replies = await many(60, () =>
      otp(server, customer.test, "/v1/sandbox/otp").read("01890a5d-ac96-774b-bcce-b302099a8057")
    )
    expect(admitted(replies)).toHaveLength(40)
  })

  it("can be a key's own, a customer's own, and none", async () => {
    const { id, secret } = await newLiveKey()
    const policy = async () => (await reading(secret)()).headers.get("ratelimit-policy")
    const untilPolicy = (expected: string | null) => expect.poll(policy).toBe(expected)
    await server.cli("customer", "limits", "--customer", customer.id, "--set", "key_minute=70")
    await untilPolicy('"key";q=70;w=60')
    await server.cli("key", "limit", "--key", String(id), "--per-minute", "90")
    await untilPolicy('"key";q=90;w=60')
    await server.cli("key", "limit", "--key", String(id), "--per-minute", "0")
    await untilPolicy(null)
    await server.cli("key", "limit", "--key", String(id), "--per-minute", "default")
    await server.cli("customer", "limits", "--customer", customer.id, "--set", "key_minute=default")
    await untilPolicy('"key";q=40;w=60')
  })
})

const readMe = (authorization: string) => manage(server, "GET", "/me", { authorization })

/** Each test uses few requests of the owner's forty. */
const freshToken = async () => `apikey ${(await newToken(server, owner, "full")).secret}`

describe("the limit of a token or a session for a minute", () => {
  it("admits exactly as many management requests as it says, of many more at once", async () => {
    const token = await freshToken()
    const replies = await many(200, () => readMe(token))
    expect(replies.filter(({ status }) => status === 200)).toHaveLength(40)
    for (const reply of replies.filter(({ status }) => status !== 200)) {
      refused(reply, 429, "too_many_requests_api_key")
      expect(Number(reply.headers.get("retry-after"))).toBeGreaterThan(0)
      expect(Number(reply.headers.get("retry-after"))).toBeLessThanOrEqual(60)
      expect(reply.headers.get("ratelimit")).toMatch(/^"key";r=0;t=\d+$/)
      expect(reply.headers.get("ratelimit-policy")).toBe('"key";q=40;w=60')
    }
  })

  it("is reported with every answer, errors too", async () => {
    const token = await freshToken()
    const first = await readMe(token)
    expect(first.headers.get("ratelimit-policy")).toBe('"key";q=40;w=60')
    expect(first.headers.get("ratelimit")).toMatch(/^"key";r=39;t=(60|59)$/)
    const second = await manage(server, "GET", "/templates/999999", { authorization: token })
    refused(second, 404, "not_found")
    expect(second.headers.get("ratelimit")).toMatch(/^"key";r=38;t=\d+$/)
    const third = await manage(server, "POST", "/templates", { authorization: token }, { name: 1 })
    refused(third, 422, "validation_error")
    expect(third.headers.get("ratelimit")).toMatch(/^"key";r=37;t=\d+$/)
  })

  it("is each credential's own: a token's is not its customer's, nor a session's its user's", async () => {
    const { email } = await newUser(server, owner, "developer")
    const [one, other] = [await signIn(server, email), await signIn(server, email)]
    await many(41, () => readMe(`Bearer ${one.access_token}`))
    refused(await readMe(`Bearer ${one.access_token}`), 429, "too_many_requests_api_key")
    ok(await readMe(`Bearer ${other.access_token}`))
    ok(await readMe(await freshToken()))
  })

  it("goes on where a session is refreshed", async () => {
    const { email } = await newUser(server, owner, "viewer")
    const first = await signIn(server, email)
    await many(41, () => readMe(`Bearer ${first.access_token}`))
    const reply = await fetch(`${server.url}/v1/auth/refresh`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ refresh_token: first.refresh_token })
    })
    const { access_token } = (await reply.json()) as { readonly access_token: string }
    refused(await readMe(`Bearer ${access_token}`), 429, "too_many_requests_api_key")
  })

  it("is not reported, and not used, by whoever has no valid credential", async () => {
    const reply = await readMe(`apikey svc_pat_${"x".repeat(43)}`)
    refused(reply, 401, "unauthenticated")
    expect(reply.headers.get("ratelimit")).toBeNull()
  })
})

describe("a limit of management of 0", () => {
  it("is none", async () => {
    const unlimited = sharedServer()
    const { token } = await newManager(unlimited)
    const reply = await manage(unlimited, "GET", "/me", { authorization: `apikey ${token}` })
    ok(reply)
    expect(reply.headers.get("ratelimit")).toBeNull()
  })
})

describe("the addresses that a key is for", () => {
  it("are distinguished by what the trusted proxy appended to X-Forwarded-For, whatever stood there before", async () => {
    const mine = await newManager(server)
    const { id, secret } = await mine.newKey({ allowed_ips: ["10.0.0.0/8"] })
    expect((await callFrom(server, secret, "10.1.1.1")).status).toBe(404)
    expect((await callFrom(server, secret, "203.0.113.9, 10.1.1.1")).status).toBe(404)
    refused(await callFrom(server, secret, "10.1.1.1, 203.0.113.9"), 403, "ip_not_allowed")
    refused(await callFrom(server, secret, "203.0.113.9"), 403, "ip_not_allowed")
    refused(await callFrom(server, secret), 403, "ip_not_allowed")
    refused(await callFrom(server, secret, "10.1.1.1, nonsense"), 403, "ip_not_allowed")
    const forwarded = { "x-forwarded-for": "10.1.1.1, 198.51.100.7" }
    ok(await mine.patch(`/api-keys/${id}`, { name: "audited" }, forwarded))
    expect((await mine.audit("&action=api_key.update")).map(({ ip }) => ip)).toEqual(["198.51.100.7"])
  })
})
