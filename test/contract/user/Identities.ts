import type { JWTPayload } from "jose"
import { randomUUID } from "node:crypto"
import { formatInstant } from "../../../src/domain/Instant.ts"
import { manage, newToken, newUser, signIn } from "../Manager.ts"
import { type Demo, type Server, startServer, until } from "../Server.ts"
import { type IssuerKey, makeIssuerKey, serveKeys, signJwt } from "../../support/fakes/JwtIssuer.ts"

const ISSUER = "https://id.example.ir"

/** A server with an issuer of JWTs, and a customer with credentials of every kind. */
export interface Identities {
  readonly server: Server
  readonly keys: Readonly<Record<"eddsa" | "es256" | "rs256" | "foreign" | "rotated", IssuerKey>>
  readonly published: ReadonlyArray<IssuerKey>
  readonly jwks: Awaited<ReturnType<typeof serveKeys>>
  readonly customer: { readonly id: string; readonly live: string; readonly test: string }
  /** Another customer's id. */
  readonly stranger: string
  readonly tokens: Readonly<Record<"full" | "readOnly" | "revoked" | "expired", string>>
  readonly sessions: Readonly<Record<"owner" | "developer" | "viewer", string>>
}

export const seconds = () => Math.floor((performance.timeOrigin + performance.now()) / 1000)

export const claimsOf = ({ customer }: Identities, changed: JWTPayload = {}): JWTPayload => ({
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

export const signedFor = (
  identities: Identities,
  changed: JWTPayload = {},
  key: keyof Identities["keys"] = "eddsa"
) => signJwt(identities.keys[key], claimsOf(identities, changed))

const makeKeys = async () => {
  const [eddsa, es256, rs256, foreign, rotated] = await Promise.all([
    makeIssuerKey("EdDSA"),
    makeIssuerKey("ES256"),
    makeIssuerKey("RS256"),
    makeIssuerKey("EdDSA"),
    makeIssuerKey("ES256")
  ])
  return { eddsa, es256, rs256, foreign, rotated }
}

const makeTokens = async (server: Server, authorization: string) => {
  const soon = formatInstant((seconds() + 3) * 1000)
  const make = (scope: "full" | "read_only", end?: string) => newToken(server, authorization, scope, end)
  const [full, readOnly, revoked, expired] = await Promise.all([
    make("full"),
    make("read_only"),
    make("full"),
    make("full", soon)
  ])
  await manage(server, "DELETE", `/tokens/${revoked.id}`, { authorization })
  return {
    full: full.secret,
    readOnly: readOnly.secret,
    revoked: revoked.secret,
    expired: expired.secret
  }
}

const makeSessions = async (server: Server, authorization: string) => {
  const sessions = { owner: "", developer: "", viewer: "" }
  for (const role of ["owner", "developer", "viewer"] as const) {
    const { email } = await newUser(server, authorization, role)
    sessions[role] = (await signIn(server, email)).access_token
  }
  return sessions
}

const makeStranger = async (server: Server) => {
  const other = (await server.cli("customer", "create", "--name", "Other", "--plan", "free")) as {
    id: number
  }
  return String(other.id)
}

export const startWithIdentities = async (): Promise<Identities> => {
  const keys = await makeKeys()
  const published = [keys.eddsa, keys.es256, keys.rs256]
  const jwks = await serveKeys(published.map(({ publicJwk }) => publicJwk))
  const server = await startServer({ env: { PEYK_JWT_ISSUER: ISSUER, PEYK_JWT_JWKS_URL: jwks.url } })
  const { customer_id, live_key, test_key, token } = server.demo as Demo & { readonly token: string }
  const owner = `apikey ${token}`
  const tokens = await makeTokens(server, owner)
  const sessions = await makeSessions(server, owner)
  const stranger = await makeStranger(server)
  await until("the token to expire", async () => {
    const reply = await manage(server, "GET", "/me", { authorization: `apikey ${tokens.expired}` })
    return reply.status === 401 ? true : undefined
  })
  const customer = { id: String(customer_id), live: live_key, test: test_key }
  return { server, keys, published, jwks, customer, stranger, tokens, sessions }
}
