import { afterAll, beforeAll, describe, expect, it } from "vitest"
import { type HeaderSet, ok, refused, type Reply, request } from "../Client.ts"
import { manage } from "../Manager.ts"
import { credentials, type Verdict } from "./Credentials.ts"
import { type Identities, signedFor, startWithIdentities } from "./Identities.ts"

let given: Identities
beforeAll(async () => {
  given = await startWithIdentities()
})
afterAll(async () => {
  await given?.server.stop()
  await given?.jwks.stop()
})

/** Every method, on paths of the management API; what is admitted learns what else is wrong. */
const operations: ReadonlyArray<readonly [string, string]> = [
  ["GET", "/api-keys"],
  ["HEAD", "/api-keys"],
  ["GET", "/tokens"],
  ["GET", "/me"],
  ["GET", "/api-keys/2147483647"],
  ["POST", "/api-keys"],
  ["PATCH", "/api-keys/2147483647"],
  ["DELETE", "/api-keys/2147483647"],
  ["POST", "/tokens"],
  ["DELETE", "/tokens/2147483647"]
]

const call = (method: string, path: string, headers: HeaderSet) =>
  manage(given.server, method, path, headers, ["POST", "PATCH"].includes(method) ? {} : undefined)

const verdictOf = (method: string, reply: Reply): Verdict => {
  if (reply.status === 401) {
    if (method !== "HEAD") refused(reply, 401, "unauthenticated")
    return "unauthenticated"
  }
  if (reply.status === 403) {
    if (method !== "HEAD") refused(reply, 403, "scope_insufficient")
    return "scope_insufficient"
  }
  expect(reply.status, reply.text).toBeOneOf([200, 404, 422])
  return "admitted"
}

const issuerStatus = async (key: keyof Identities["keys"]) =>
  (await manage(given.server, "GET", "/me", { authorization: `Bearer ${await signedFor(given, {}, key)}` }))
    .status

describe("an issuer's keys", () => {
  it("are found again after it has changed them", async () => {
    expect(await issuerStatus("eddsa")).toBe(200)
    given.jwks.publish([...given.published, given.keys.rotated].map(({ publicJwk }) => publicJwk))
    expect(await issuerStatus("rotated")).toBe(200)
    expect(await issuerStatus("eddsa")).toBe(200)
  })
})

describe("a request to the management API", () => {
  it.each(credentials)("with %s is judged by it, whatever it asks for", async (_name, headersOf, verdict) => {
    const headers = await headersOf(given)
    for (const [method, path] of operations) {
      const reply = await call(method, path, headers)
      expect([method, path, verdictOf(method, reply)]).toEqual([method, path, verdict(method)])
    }
  })

  it("is let in by the demo's token", async () => {
    const { token } = given.server.demo as typeof given.server.demo & { readonly token: string }
    expect(token).toMatch(/^svc_pat_[A-Za-z0-9_-]{43}$/)
    ok(await manage(given.server, "GET", "/api-keys", { authorization: `apikey ${token}` }))
  })
})

describe("the message of a 401", () => {
  const key = () => given.server.demo.live_key
  const pat = `svc_pat_${"x".repeat(43)}`
  const jwt = "eyJhbGciOiJFZERTQSJ9.e30.c2ln"
  const messageOf = async (headers: HeaderSet) =>
    refused(await call("GET", "/me", headers), 401, "unauthenticated").message

  it("says which header and which scheme are missing", async () => {
    for (const headers of [{}, { authorization: pat }, { authorization: `Basic ${pat}` }]) {
      const message = await messageOf(headers as HeaderSet)
      expect(message).toContain("Authorization: apikey svc_pat_")
      expect(message).toContain("Authorization: Bearer")
    }
    expect(await messageOf({ authorization: pat })).toContain("scheme is missing")
    expect(await messageOf({ authorization: `Basic ${pat}` })).toContain("scheme is not known")
    expect(await messageOf({ authorization: `apikey ${jwt}` })).toContain("apikey is not followed by")
  })

  it("says that X-API-Key is not for management", async () => {
    for (const secret of [pat, jwt]) {
      expect(await messageOf({ "x-api-key": secret })).toContain("X-API-Key is for service keys")
    }
    expect(await messageOf({ authorization: `apikey ${key().slice(0, -1)}` })).toContain(
      "service keys cannot manage"
    )
  })

  it("tells tokens that are cut off, unknown or expired apart", async () => {
    expect(await messageOf({ authorization: `apikey ${pat}` })).toContain("unknown, expired or revoked")
    expect(await messageOf({ authorization: `Bearer ${pat}` })).toContain("unknown, expired or revoked")
    expect(await messageOf({ authorization: `apikey ${pat.slice(0, 20)}` })).toContain("not a whole personal")
    expect(await messageOf({ authorization: `Bearer ${jwt}` })).toContain("invalid or expired")
  })

  it("names what is wrong with a sign-in", async () => {
    const post = (path: string, body: object) =>
      request(given.server, "POST", path, {
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body)
      })
    const signIn = await post("/v1/auth/sign-in", { email: "nobody@example.ir", password: "x".repeat(20) })
    expect(refused(signIn, 401, "unauthenticated").message).toContain("password is wrong")
    const refresh = await post("/v1/auth/refresh", { refresh_token: "x" })
    expect(refused(refresh, 401, "unauthenticated").message).toContain("Sign in again")
  })
})

describe("who am I", () => {
  const me = async (authorization: string) =>
    ok<Readonly<Record<string, unknown>>>(await manage(given.server, "GET", "/me", { authorization }))

  it("says of each credential whom it speaks for", async () => {
    const customer_id = Number(given.customer.id)
    expect(await me(`apikey ${given.tokens.readOnly}`)).toEqual({
      kind: "token",
      id: expect.any(String),
      name: "a read_only token",
      scope: "read_only",
      role: null,
      customer_id,
      brand: null,
      locale: "fa",
      webotp_host: null,
      webotp_origins: [],
      app_hash: null,
      second_factor_required: false
    })
    expect(await me(`Bearer ${given.sessions.developer}`)).toMatchObject({
      kind: "user",
      name: "developer",
      scope: "full",
      role: "developer",
      customer_id
    })
    expect(await me(`Bearer ${await signedFor(given)}`)).toMatchObject({
      kind: "session",
      id: "sara",
      customer_id
    })
  })

  it("is another customer for another customer's JWT", async () => {
    const theirs = await me(`Bearer ${await signedFor(given, { customer_id: Number(given.stranger) })}`)
    expect(theirs).toMatchObject({ customer_id: Number(given.stranger) })
  })
})

describe("an issuer's keys, after many requests", () => {
  it("were fetched a few times in all, and outlive an outage", async () => {
    const before = given.jwks.fetches()
    for (let n = 0; n < 5; n++) expect(await issuerStatus("eddsa")).toBe(200)
    expect(given.jwks.fetches()).toBe(before)
    expect(before).toBeLessThanOrEqual(5)
    await given.jwks.stop()
    for (let n = 0; n < 3; n++) expect(await issuerStatus("eddsa")).toBe(200)
  })
})
