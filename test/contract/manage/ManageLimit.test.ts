import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { ok, type Reply, refused } from "../Client.ts"
import { manage, newToken, newUser, signIn } from "../Manager.ts"
import { type Demo, type Server, startServer } from "../Server.ts"

let server: Server
let owner: string
beforeAll(async () => {
  server = await startServer({ env: { PEYK_LIMIT_MANAGE_MINUTE: "40" } })
  const { token } = server.demo as Demo & { readonly token: string }
  owner = `apikey ${token}`
})
afterAll(() => server?.stop())

const readMe = (authorization: string) => manage(server, "GET", "/me", { authorization })
const many = (count: number, call: () => Promise<Reply>) => Promise.all(Array.from({ length: count }, call))

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

describe("a limit of 0", () => {
  it("is none", async () => {
    const unlimited = await startServer({ env: { PEYK_LIMIT_MANAGE_MINUTE: "0" } })
    try {
      const { token } = unlimited.demo as Demo & { readonly token: string }
      const reply = await manage(unlimited, "GET", "/me", { authorization: `apikey ${token}` })
      ok(reply)
      expect(reply.headers.get("ratelimit")).toBeNull()
    } finally {
      await unlimited.stop()
    }
  }, 60_000)
})
