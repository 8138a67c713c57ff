import { randomUUID } from "node:crypto"
import { afterAll, beforeAll, describe, expect, it } from "vitest"
import type { JWK, JWTPayload } from "jose"
import { formatInstant } from "../../../src/domain/Instant.ts"
import { type IssuerKey, makeIssuerKey, serveKeys, signJwt } from "../../support/fakes/JwtIssuer.ts"
import { type HeaderSet, ok, type Reply, refused, request } from "../Client.ts"
import { manage, newToken, newUser, signIn, type Token } from "../Manager.ts"
import { type Demo, type Server, startServer, until } from "../Server.ts"

const ISSUER = "https://id.example.ir"

let keys: { readonly [Name in "eddsa" | "es256" | "rs256" | "foreign" | "rotated"]: IssuerKey }
let published: ReadonlyArray<IssuerKey>
let jwks: Awaited<ReturnType<typeof serveKeys>>
let server: Server
let customer: { readonly id: string; readonly live: string; readonly test: string; readonly owner: string }
let stranger: { readonly id: string; readonly owner: string }
const tokens = { full: "", readOnly: "", revoked: "", expired: "" }
const sessions = { owner: "", developer: "", viewer: "" }

const seconds = () => Math.floor((performance.timeOrigin + performance.now()) / 1000)
const claims = (changed: JWTPayload = {}): JWTPayload => ({
  iss: ISSUER,
  aud: "peyk",
  sub: "sara",
  jti: randomUUID(),
  customer_id: Number(customer.id),
  scope: "full",
  iat: seconds(),
  exp: seconds() + 900,
  ...changed
})
const without = (name: string): JWTPayload =>
  Object.fromEntries(Object.entries(claims()).filter(([claim]) => claim !== name))

beforeAll(async () => {
  const [eddsa, es256, rs256, foreign, rotated] = await Promise.all([
    makeIssuerKey("EdDSA"),
    makeIssuerKey("ES256"),
    makeIssuerKey("RS256"),
    makeIssuerKey("EdDSA"),
    makeIssuerKey("ES256")
  ])
  keys = { eddsa, es256, rs256, foreign, rotated }
  published = [eddsa, es256, rs256]
  jwks = await serveKeys(published.map(({ publicJwk }) => publicJwk))
  server = await startServer({ env: { PEYK_JWT_ISSUER: ISSUER, PEYK_JWT_JWKS_URL: jwks.url } })
  const { customer_id, live_key, test_key, token } = server.demo as Demo & { readonly token: string }
  customer = { id: String(customer_id), live: live_key, test: test_key, owner: `apikey ${token}` }
  const soon = formatInstant((seconds() + 3) * 1000)
  const make = (scope: "full" | "read_only", end?: string) => newToken(server, customer.owner, scope, end)
  const [full, readOnly, revoked, expired] = await Promise.all([
    make("full"),
    make("read_only"),
    make("full"),
    make("full", soon)
  ])
  await manage(server, "DELETE", `/tokens/${revoked.id}`, { authorization: customer.owner })
  Object.assign(tokens, {
    full: full.secret,
    readOnly: readOnly.secret,
    revoked: revoked.secret,
    expired: expired.secret
  })
  for (const role of ["owner", "developer", "viewer"] as const) {
    const { email } = await newUser(server, customer.owner, role)
    sessions[role] = (await signIn(server, email)).access_token
  }
  const other = (await server.cli("customer", "create", "--name", "Other", "--plan", "free")) as {
    id: number
  }
  const { secret } = (await server.cli(
    "token",
    "create",
    "--customer",
    String(other.id),
    "--scope",
    "full",
    "--name",
    "first"
  )) as Token
  stranger = { id: String(other.id), owner: `apikey ${secret}` }
  await until("the token to expire", async () => {
    const reply = await manage(server, "GET", "/me", { authorization: `apikey ${tokens.expired}` })
    return reply.status === 401 ? true : undefined
  })
})
afterAll(async () => {
  await server?.stop()
  await jwks?.stop()
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
const READING = ["GET", "HEAD", "OPTIONS"]

const call = (method: string, path: string, headers: HeaderSet) =>
  manage(server, method, path, headers, ["POST", "PATCH"].includes(method) ? {} : undefined)

type Verdict = "admitted" | "unauthenticated" | "scope_insufficient"

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

const always = (verdict: Verdict) => () => verdict
const reads = (method: string): Verdict => (READING.includes(method) ? "admitted" : "scope_insufficient")

const apikey = (secret: () => string) => async () => ({ authorization: `apikey ${secret()}` })
const bearer = (secret: () => string | Promise<string>) => async () => ({
  authorization: `Bearer ${await secret()}`
})
const header = (secret: () => string) => async () => ({ "x-api-key": secret() })

const forged = () => `svc_pat_${"x".repeat(43)}`
const tamper = (jwt: string) => {
  const [head, body = "", signature] = jwt.split(".")
  const parsed = JSON.parse(Buffer.from(body, "base64url").toString()) as JWTPayload
  const changed = Buffer.from(JSON.stringify({ ...parsed, scope: "full", jti: "x" })).toString("base64url")
  return [head, changed, signature].join(".")
}
const unsigned = (payload: JWTPayload) =>
  `${Buffer.from('{"alg":"none"}').toString("base64url")}.${Buffer.from(JSON.stringify(payload)).toString("base64url")}.`
const signed = (changed: JWTPayload = {}, key: keyof typeof keys = "eddsa") =>
  signJwt(keys[key], claims(changed))
const ownKey = async () => {
  const own = ok<{ readonly keys: ReadonlyArray<JWK> }>(
    await request(server, "GET", "/.well-known/jwks.json")
  )
  return own.keys.at(0) ?? {}
}
/** The public key taken for a shared secret, in the ways it can be written. */
const confused = async (key: JWK, payload: JWTPayload) =>
  signJwt(
    { kid: String(key.kid), algorithm: "HS256", privateKey: Buffer.from(String(key.x), "base64url") },
    payload
  )
const ownClaims = () =>
  JSON.parse(Buffer.from(sessions.owner.split(".")[1] ?? "", "base64url").toString()) as JWTPayload

const credentials: ReadonlyArray<readonly [string, () => Promise<HeaderSet>, (method: string) => Verdict]> = [
  ["nothing", async () => ({}), always("unauthenticated")],
  ["an empty header", async () => ({ authorization: "" }), always("unauthenticated")],
  ["a scheme alone", async () => ({ authorization: "apikey" }), always("unauthenticated")],
  ["garbage", async () => ({ authorization: "Basic Zm9vOmJhcg==" }), always("unauthenticated")],
  ["a token without a scheme", async () => ({ authorization: tokens.full }), always("unauthenticated")],

  ["a full token", apikey(() => tokens.full), always("admitted")],
  ["a read-only token", apikey(() => tokens.readOnly), reads],
  ["a revoked token", apikey(() => tokens.revoked), always("unauthenticated")],
  ["an expired token", apikey(() => tokens.expired), always("unauthenticated")],
  ["a token nobody made", apikey(forged), always("unauthenticated")],
  ["a token and a character more", apikey(() => `${tokens.full}x`), always("unauthenticated")],
  ["a token in X-API-Key", header(() => tokens.full), always("unauthenticated")],
  ["a token as Bearer", bearer(() => tokens.full), always("admitted")],
  ["a read-only token as Bearer", bearer(() => tokens.readOnly), reads],
  ["a revoked token as Bearer", bearer(() => tokens.revoked), always("unauthenticated")],
  ["a token nobody made, as Bearer", bearer(forged), always("unauthenticated")],
  [
    "a token, APIKEY in capitals",
    async () => ({ authorization: `APIKEY ${tokens.full}` }),
    always("admitted")
  ],
  [
    "a token, ApiKey and spaces",
    async () => ({ authorization: `ApiKey   ${tokens.full}` }),
    always("admitted")
  ],

  ["a live key in X-API-Key", header(() => customer.live), always("scope_insufficient")],
  ["a test key in X-API-Key", header(() => customer.test), always("scope_insufficient")],
  ["a live key as apikey", apikey(() => customer.live), always("scope_insufficient")],
  ["a test key as apikey", apikey(() => customer.test), always("scope_insufficient")],
  ["a live key as Bearer", bearer(() => customer.live), always("scope_insufficient")],
  ["a test key as Bearer", bearer(() => customer.test), always("scope_insufficient")],
  [
    "a live key without a scheme",
    async () => ({ authorization: customer.live }),
    always("scope_insufficient")
  ],
  [
    "a test key as Basic",
    async () => ({ authorization: `Basic ${customer.test}` }),
    always("scope_insufficient")
  ],
  [
    "a key nobody made, without a scheme",
    async () => ({ authorization: `svc_live_${"x".repeat(43)}` }),
    always("unauthenticated")
  ],
  ["a live key nobody made", header(() => `svc_live_${"x".repeat(43)}`), always("unauthenticated")],
  ["a key nobody made, as apikey", apikey(() => `svc_test_${"x".repeat(43)}`), always("unauthenticated")],
  ["a key nobody made, as Bearer", bearer(() => `svc_live_${"x".repeat(43)}`), always("unauthenticated")],

  [
    "a token next to a service key",
    async () => ({ ...(await apikey(() => tokens.full)()), "x-api-key": customer.live }),
    always("admitted")
  ],
  [
    "a bad token next to a service key",
    async () => ({ ...(await apikey(forged)()), "x-api-key": customer.live }),
    always("unauthenticated")
  ],

  ["an owner's session", bearer(() => sessions.owner), always("admitted")],
  ["a viewer's session", bearer(() => sessions.viewer), reads],
  [
    "a session, bearer in small letters",
    async () => ({ authorization: `bearer ${sessions.owner}` }),
    always("admitted")
  ],
  ["a session as apikey", apikey(() => sessions.owner), always("unauthenticated")],
  ["a session in X-API-Key", header(() => sessions.owner), always("unauthenticated")],
  ["a session that was changed", bearer(() => tamper(sessions.viewer)), always("unauthenticated")],
  ["a session without a signature", bearer(() => unsigned(ownClaims())), always("unauthenticated")],
  [
    "a session signed with the public key (HS256)",
    bearer(async () => confused(await ownKey(), ownClaims())),
    always("unauthenticated")
  ],
  [
    "a session signed with a foreign key",
    bearer(() => signJwt(keys.foreign, ownClaims())),
    always("unauthenticated")
  ],
  [
    "a session signed with a foreign key of the right name",
    bearer(async () => signJwt(keys.foreign, ownClaims(), { kid: (await ownKey()).kid })),
    always("unauthenticated")
  ],

  ["an issuer's JWT (EdDSA)", bearer(() => signed()), always("admitted")],
  ["an issuer's JWT (ES256)", bearer(() => signed({}, "es256")), always("admitted")],
  ["an issuer's JWT that may only read", bearer(() => signed({ scope: "read_only" })), reads],
  ["an issuer's JWT for a viewer", bearer(() => signed({ role: "viewer" })), reads],
  [
    "an issuer's JWT of several audiences",
    bearer(() => signed({ aud: ["other", "peyk"] })),
    always("admitted")
  ],
  ["an issuer's JWT (RS256)", bearer(() => signed({}, "rs256")), always("unauthenticated")],
  ["an issuer's JWT without a signature", bearer(() => unsigned(claims())), always("unauthenticated")],
  [
    "an issuer's JWT signed with the public key (HS256)",
    bearer(() => confused(keys.eddsa.publicJwk, claims())),
    always("unauthenticated")
  ],
  [
    "an issuer's JWT signed with a foreign key",
    bearer(() => signed({}, "foreign")),
    always("unauthenticated")
  ],
  [
    "an issuer's JWT that brings its key along",
    bearer(() =>
      signJwt(keys.foreign, claims(), {
        jwk: keys.foreign.publicJwk,
        jku: "https://evil.example",
        kid: keys.eddsa.kid
      })
    ),
    always("unauthenticated")
  ],
  [
    "an issuer's JWT that was changed",
    bearer(async () => tamper(await signed({ scope: "read_only" }))),
    always("unauthenticated")
  ],
  [
    "an issuer's JWT that has ended",
    bearer(() => signed({ iat: seconds() - 1000, exp: seconds() - 31 })),
    always("unauthenticated")
  ],
  [
    "an issuer's JWT from the future",
    bearer(() => signed({ iat: seconds() + 60 })),
    always("unauthenticated")
  ],
  [
    "an issuer's JWT that ended just now",
    bearer(() => signed({ exp: seconds() - 5, iat: seconds() - 900 })),
    always("admitted")
  ],
  ["an issuer's JWT for others", bearer(() => signed({ aud: "other" })), always("unauthenticated")],
  [
    "a JWT of another issuer",
    bearer(() => signed({ iss: "https://other.example" })),
    always("unauthenticated")
  ],
  ["an issuer's JWT in our own name", bearer(() => signed({ iss: "peyk" })), always("unauthenticated")],
  [
    "an issuer's JWT of no customer",
    bearer(() => signed({ customer_id: 2_147_483_647 })),
    always("unauthenticated")
  ],
  [
    "an issuer's JWT whose customer is text",
    bearer(() => signed({ customer_id: customer.id })),
    always("unauthenticated")
  ],
  [
    "an issuer's JWT of an unknown scope",
    bearer(() => signed({ scope: "admin" })),
    always("unauthenticated")
  ],
  ...["iss", "aud", "sub", "jti", "iat", "exp", "customer_id", "scope"].map(
    (claim) =>
      [
        `an issuer's JWT without ${claim}`,
        bearer(() => signJwt(keys.eddsa, without(claim))),
        always("unauthenticated")
      ] as const
  )
]

const issuerStatus = async (key: keyof typeof keys) =>
  (await manage(server, "GET", "/me", { authorization: `Bearer ${await signed({}, key)}` })).status

describe("an issuer's keys", () => {
  it("are found again after it has changed them", async () => {
    expect(await issuerStatus("eddsa")).toBe(200)
    jwks.publish([...published, keys.rotated].map(({ publicJwk }) => publicJwk))
    expect(await issuerStatus("rotated")).toBe(200)
    expect(await issuerStatus("eddsa")).toBe(200)
  })
})

describe("a request to the management API", () => {
  it.each(credentials)("with %s is judged by it, whatever it asks for", async (_name, headersOf, verdict) => {
    const headers = await headersOf()
    for (const [method, path] of operations) {
      const reply = await call(method, path, headers)
      expect([method, path, verdictOf(method, reply)]).toEqual([method, path, verdict(method)])
    }
  })

  it("is let in by the demo's token", async () => {
    const { token } = server.demo as typeof server.demo & { readonly token: string }
    expect(token).toMatch(/^svc_pat_[A-Za-z0-9_-]{43}$/)
    ok(await manage(server, "GET", "/api-keys", { authorization: `apikey ${token}` }))
  })
})

describe("who am I", () => {
  const me = async (authorization: string) =>
    ok<Readonly<Record<string, unknown>>>(await manage(server, "GET", "/me", { authorization }))

  it("says of each credential whom it speaks for", async () => {
    const customer_id = Number(customer.id)
    expect(await me(`apikey ${tokens.readOnly}`)).toEqual({
      kind: "token",
      id: expect.any(String),
      name: "a read_only token",
      scope: "read_only",
      role: null,
      customer_id,
      brand: null,
      locale: "fa",
      webotp_host: null
    })
    expect(await me(`Bearer ${sessions.developer}`)).toMatchObject({
      kind: "user",
      name: "developer",
      scope: "full",
      role: "developer",
      customer_id
    })
    expect(await me(`Bearer ${await signed()}`)).toMatchObject({ kind: "session", id: "sara", customer_id })
  })

  it("is another customer for another customer's JWT", async () => {
    const theirs = await me(`Bearer ${await signed({ customer_id: Number(stranger.id) })}`)
    expect(theirs).toMatchObject({ customer_id: Number(stranger.id) })
  })
})

describe("an issuer's keys, after many requests", () => {
  it("were fetched a few times in all, and outlive an outage", async () => {
    const before = jwks.fetches()
    for (let n = 0; n < 5; n++) expect(await issuerStatus("eddsa")).toBe(200)
    expect(jwks.fetches()).toBe(before)
    expect(before).toBeLessThanOrEqual(5)
    await jwks.stop()
    for (let n = 0; n < 3; n++) expect(await issuerStatus("eddsa")).toBe(200)
  })
})
