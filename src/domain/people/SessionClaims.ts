import { Schema } from "effect"
import { type Actor, Role, Scope, scopeOfRole } from "./Actor.ts"
import type { Instant } from "../Instant.ts"
import { storable } from "../text/StorableText.ts"

/** The validity of Peyk's own tokens. */
export const SESSION_LIFE_SECONDS = 15 * 60
/** The largest difference allowed between an issuer's clock and ours. */
export const CLOCK_TOLERANCE_SECONDS = 30
/** The audience of Peyk's own tokens, and by default of other issuers' tokens. */
export const AUDIENCE = "peyk"
/** Peyk's own name if no public URL is set. */
export const ISSUER = "peyk"

/** The only algorithms: a token's header selects one of these. */
export const SESSION_ALGORITHMS = ["EdDSA", "ES256"] as const

const Text = Schema.String.check(Schema.isMaxLength(255), Schema.isPattern(/^[^\p{Cc}\p{Cs}]+$/u))
/** Seconds since the epoch; some issuers write fractions. */
const Seconds = Schema.Finite

/** The claims that a JWT must have; others are ignored. */
export const SessionClaims = Schema.Struct({
  iss: Text,
  sub: Text,
  jti: Text,
  iat: Seconds,
  exp: Seconds,
  customer_id: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2_147_483_647 })),
  scope: Scope,
  /** Optional for another issuer; without it the full scope means owner. */
  role: Schema.optionalKey(Role),
  name: Schema.optionalKey(Schema.String),
  /** The session that it belongs to. */
  sid: Schema.optionalKey(Schema.String)
})
export type SessionClaims = typeof SessionClaims.Type

/** Whether its times are valid now: already issued, not expired, and in this order. */
export const isTimely = ({ iat, exp }: Pick<SessionClaims, "iat" | "exp">, now: Instant): boolean => {
  const seconds = now / 1000
  return iat <= seconds + CLOCK_TOLERANCE_SECONDS && exp > seconds - CLOCK_TOLERANCE_SECONDS && exp > iat
}

const narrower = (one: Scope, other: Scope): Scope =>
  one === "full" && other === "full" ? "full" : "read_only"

const MAX_NAME_LENGTH = 100

/** The actor that a token of another issuer represents: its role narrows its scope, and never widens it. */
export const externalActor = ({ sub, customer_id, scope, role, name }: SessionClaims): Actor => {
  const allowed = role === undefined ? scope : narrower(scope, scopeOfRole(role))
  return {
    customerId: customer_id,
    kind: "session",
    id: sub,
    name: storable((name ?? sub).slice(0, MAX_NAME_LENGTH)),
    scope: allowed,
    isOwner: allowed === "full" && (role === undefined || role === "owner"),
    role: role ?? null
  }
}

/** An operator at work on a customer's account; the platform's while they are in nobody's. */
export const operatorActorOf = (
  operator: { readonly id: string; readonly name: string },
  customerId: number,
  sessionId: string
): Actor => ({
  customerId,
  kind: "operator",
  id: operator.id,
  name: operator.name,
  scope: "full",
  isOwner: true,
  sessionId
})

/** The actor that a token of ours represents: the user's current rights apply, not those at its creation. */
export const userActor = (
  user: { readonly id: string; readonly customerId: number; readonly name: string; readonly role: Role },
  scope: Scope,
  sessionId?: string
): Actor => {
  const allowed = narrower(scope, scopeOfRole(user.role))
  return {
    customerId: user.customerId,
    kind: "user",
    id: user.id,
    name: user.name,
    scope: allowed,
    isOwner: allowed === "full" && user.role === "owner",
    role: user.role,
    ...(sessionId === undefined ? {} : { sessionId })
  }
}
