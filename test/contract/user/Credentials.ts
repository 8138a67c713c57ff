import type { JWK, JWTPayload } from "jose"
import { type HeaderSet, ok, request } from "../Client.ts"
import { claimsOf, type Identities, seconds, signedFor } from "./Identities.ts"
import { signJwt } from "../../support/fakes/JwtIssuer.ts"

export type Verdict = "admitted" | "unauthenticated" | "scope_insufficient"

type HeadersOf = (given: Identities) => Promise<HeaderSet>

const READING = ["GET", "HEAD", "OPTIONS"]

const always = (verdict: Verdict) => () => verdict
const reads = (method: string): Verdict => (READING.includes(method) ? "admitted" : "scope_insufficient")

const apikey =
  (secret: (given: Identities) => string): HeadersOf =>
  async (given) => ({ authorization: `apikey ${secret(given)}` })
const bearer =
  (secret: (given: Identities) => string | Promise<string>): HeadersOf =>
  async (given) => ({ authorization: `Bearer ${await secret(given)}` })
const header =
  (secret: (given: Identities) => string): HeadersOf =>
  async (given) => ({ "x-api-key": secret(given) })

const forged = () => `svc_pat_${"x".repeat(43)}`
const tamper = (jwt: string) => {
  const [head, body = "", signature] = jwt.split(".")
  const parsed = JSON.parse(Buffer.from(body, "base64url").toString()) as JWTPayload
  const changed = Buffer.from(JSON.stringify({ ...parsed, scope: "full", jti: "x" })).toString("base64url")
  return [head, changed, signature].join(".")
}
const unsigned = (payload: JWTPayload) =>
  `${Buffer.from('{"alg":"none"}').toString("base64url")}.${Buffer.from(JSON.stringify(payload)).toString("base64url")}.`
const ownKey = async ({ server }: Identities) => {
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
const ownClaims = ({ sessions }: Identities) =>
  JSON.parse(Buffer.from(sessions.owner.split(".")[1] ?? "", "base64url").toString()) as JWTPayload
const without = (given: Identities, name: string): JWTPayload =>
  Object.fromEntries(Object.entries(claimsOf(given)).filter(([claim]) => claim !== name))

/** What a request to the management API can bring, and how each method is then judged. */
export const credentials: ReadonlyArray<readonly [string, HeadersOf, (method: string) => Verdict]> = [
  ["nothing", async () => ({}), always("unauthenticated")],
  ["an empty header", async () => ({ authorization: "" }), always("unauthenticated")],
  ["a scheme alone", async () => ({ authorization: "apikey" }), always("unauthenticated")],
  ["garbage", async () => ({ authorization: "Basic Zm9vOmJhcg==" }), always("unauthenticated")],
  [
    "a token without a scheme",
    async ({ tokens }) => ({ authorization: tokens.full }),
    always("unauthenticated")
  ],

  ["a full token", apikey(({ tokens }) => tokens.full), always("admitted")],
  ["a read-only token", apikey(({ tokens }) => tokens.readOnly), reads],
  ["a revoked token", apikey(({ tokens }) => tokens.revoked), always("unauthenticated")],
  ["an expired token", apikey(({ tokens }) => tokens.expired), always("unauthenticated")],
  ["a token nobody made", apikey(forged), always("unauthenticated")],
  ["a token and a character more", apikey(({ tokens }) => `${tokens.full}x`), always("unauthenticated")],
  ["a token in X-API-Key", header(({ tokens }) => tokens.full), always("unauthenticated")],
  ["a token as Bearer", bearer(({ tokens }) => tokens.full), always("admitted")],
  ["a read-only token as Bearer", bearer(({ tokens }) => tokens.readOnly), reads],
  ["a revoked token as Bearer", bearer(({ tokens }) => tokens.revoked), always("unauthenticated")],
  ["a token nobody made, as Bearer", bearer(forged), always("unauthenticated")],
  [
    "a token, APIKEY in capitals",
    async ({ tokens }) => ({ authorization: `APIKEY ${tokens.full}` }),
    always("admitted")
  ],
  [
    "a token, ApiKey and spaces",
    async ({ tokens }) => ({ authorization: `ApiKey   ${tokens.full}` }),
    always("admitted")
  ],

  ["a live key in X-API-Key", header(({ customer }) => customer.live), always("scope_insufficient")],
  ["a test key in X-API-Key", header(({ customer }) => customer.test), always("scope_insufficient")],
  ["a live key as apikey", apikey(({ customer }) => customer.live), always("scope_insufficient")],
  ["a test key as apikey", apikey(({ customer }) => customer.test), always("scope_insufficient")],
  ["a live key as Bearer", bearer(({ customer }) => customer.live), always("scope_insufficient")],
  ["a test key as Bearer", bearer(({ customer }) => customer.test), always("scope_insufficient")],
  [
    "a live key without a scheme",
    async ({ customer }) => ({ authorization: customer.live }),
    always("scope_insufficient")
  ],
  [
    "a test key as Basic",
    async ({ customer }) => ({ authorization: `Basic ${customer.test}` }),
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
    async (given) => ({
      ...(await apikey(({ tokens }) => tokens.full)(given)),
      "x-api-key": given.customer.live
    }),
    always("admitted")
  ],
  [
    "a bad token next to a service key",
    async (given) => ({ ...(await apikey(forged)(given)), "x-api-key": given.customer.live }),
    always("unauthenticated")
  ],

  ["an owner's session", bearer(({ sessions }) => sessions.owner), always("admitted")],
  ["a viewer's session", bearer(({ sessions }) => sessions.viewer), reads],
  [
    "a session, bearer in small letters",
    async ({ sessions }) => ({ authorization: `bearer ${sessions.owner}` }),
    always("admitted")
  ],
  ["a session as apikey", apikey(({ sessions }) => sessions.owner), always("unauthenticated")],
  ["a session in X-API-Key", header(({ sessions }) => sessions.owner), always("unauthenticated")],
  [
    "a session that was changed",
    bearer(({ sessions }) => tamper(sessions.viewer)),
    always("unauthenticated")
  ],
  ["a session without a signature", bearer((given) => unsigned(ownClaims(given))), always("unauthenticated")],
  [
    "a session signed with the public key (HS256)",
    bearer(async (given) => confused(await ownKey(given), ownClaims(given))),
    always("unauthenticated")
  ],
  [
    "a session signed with a foreign key",
    bearer((given) => signJwt(given.keys.foreign, ownClaims(given))),
    always("unauthenticated")
  ],
  [
    "a session signed with a foreign key of the right name",
    bearer(async (given) =>
      signJwt(given.keys.foreign, ownClaims(given), { kid: (await ownKey(given)).kid })
    ),
    always("unauthenticated")
  ],

  ["an issuer's JWT (EdDSA)", bearer((given) => signedFor(given)), always("admitted")],
  ["an issuer's JWT (ES256)", bearer((given) => signedFor(given, {}, "es256")), always("admitted")],
  ["an issuer's JWT that may only read", bearer((given) => signedFor(given, { scope: "read_only" })), reads],
  ["an issuer's JWT for a viewer", bearer((given) => signedFor(given, { role: "viewer" })), reads],
  [
    "an issuer's JWT of several audiences",
    bearer((given) => signedFor(given, { aud: ["other", "peyk"] })),
    always("admitted")
  ],
  ["an issuer's JWT (RS256)", bearer((given) => signedFor(given, {}, "rs256")), always("unauthenticated")],
  [
    "an issuer's JWT without a signature",
    bearer((given) => unsigned(claimsOf(given))),
    always("unauthenticated")
  ],
  [
    "an issuer's JWT signed with the public key (HS256)",
    bearer((given) => confused(given.keys.eddsa.publicJwk, claimsOf(given))),
    always("unauthenticated")
  ],
  [
    "an issuer's JWT signed with a foreign key",
    bearer((given) => signedFor(given, {}, "foreign")),
    always("unauthenticated")
  ],
  [
    "an issuer's JWT that brings its key along",
    bearer((given) =>
      signJwt(given.keys.foreign, claimsOf(given), {
        jwk: given.keys.foreign.publicJwk,
        jku: "https://evil.example",
        kid: given.keys.eddsa.kid
      })
    ),
    always("unauthenticated")
  ],
  [
    "an issuer's JWT that was changed",
    bearer(async (given) => tamper(await signedFor(given, { scope: "read_only" }))),
    always("unauthenticated")
  ],
  [
    "an issuer's JWT that has ended",
    bearer((given) => signedFor(given, { iat: seconds() - 1000, exp: seconds() - 31 })),
    always("unauthenticated")
  ],
  [
    "an issuer's JWT from the future",
    bearer((given) => signedFor(given, { iat: seconds() + 60 })),
    always("unauthenticated")
  ],
  [
    "an issuer's JWT that ended just now",
    bearer((given) => signedFor(given, { exp: seconds() - 5, iat: seconds() - 900 })),
    always("admitted")
  ],
  [
    "an issuer's JWT for others",
    bearer((given) => signedFor(given, { aud: "other" })),
    always("unauthenticated")
  ],
  [
    "a JWT of another issuer",
    bearer((given) => signedFor(given, { iss: "https://other.example" })),
    always("unauthenticated")
  ],
  [
    "an issuer's JWT in our own name",
    bearer((given) => signedFor(given, { iss: "peyk" })),
    always("unauthenticated")
  ],
  [
    "an issuer's JWT of no customer",
    bearer((given) => signedFor(given, { customer_id: 2_147_483_647 })),
    always("unauthenticated")
  ],
  [
    "an issuer's JWT whose customer is text",
    bearer((given) => signedFor(given, { customer_id: given.customer.id })),
    always("unauthenticated")
  ],
  [
    "an issuer's JWT of an unknown scope",
    bearer((given) => signedFor(given, { scope: "admin" })),
    always("unauthenticated")
  ],
  ...["iss", "aud", "sub", "jti", "iat", "exp", "customer_id", "scope"].map(
    (claim) =>
      [
        `an issuer's JWT without ${claim}`,
        bearer((given) => signJwt(given.keys.eddsa, without(given, claim))),
        always("unauthenticated")
      ] as const
  )
]
