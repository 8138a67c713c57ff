import { Schema } from "effect"
import { type Actor, Role, Scope, scopeOfRole } from "./Actor.ts"
import type { Instant } from "../Instant.ts"

/** How long our own tokens are valid. */
export const SESSION_LIFE_SECONDS = 15 * 60
/** How far the clocks of issuers and ours may be apart. */
export const CLOCK_TOLERANCE_SECONDS = 30
/** The audience of our own tokens, and of others' unless told otherwise. */
export const AUDIENCE = "peyk"
/** Our own name where nobody said how the internet reaches us. */
export const ISSUER = "peyk"

/** The only algorithms: what a token's header says chooses among these and nothing else. */
export const SESSION_ALGORITHMS = ["EdDSA", "ES256"] as const

const Text = Schema.String.check(Schema.isMaxLength(255), Schema.isPattern(/^[^\p{Cc}\p{Cs}]+$/u))
/** Seconds since the epoch; some issuers have fractions of them. */
const Seconds = Schema.Finite

/** What a JWT has to say; anything more is not looked at. */
export const SessionClaims = Schema.Struct({
  iss: Text,
  sub: Text,
  jti: Text,
  iat: Seconds,
  exp: Seconds,
  customer_id: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 2_147_483_647 })),
  scope: Scope,
  /** Another issuer may say it; without it whoever has the full scope is an owner. */
  role: Schema.optionalKey(Role),
  name: Schema.optionalKey(Schema.String),
  /** The session of ours that it belongs to. */
  sid: Schema.optionalKey(Schema.String)
})
export type SessionClaims = typeof SessionClaims.Type

/** Whether the times it says make sense now: issued already, not over, and in this order. */
export const isTimely = ({ iat, exp }: Pick<SessionClaims, "iat" | "exp">, now: Instant): boolean => {
  const seconds = now / 1000
  return iat <= seconds + CLOCK_TOLERANCE_SECONDS && exp > seconds - CLOCK_TOLERANCE_SECONDS && exp > iat
}

const narrower = (one: Scope, other: Scope): Scope =>
  one === "full" && other === "full" ? "full" : "read_only"

const MAX_NAME_LENGTH = 100

/** Whom a token of another issuer speaks for: its role narrows its scope, and never widens it. */
export const externalActor = ({ sub, customer_id, scope, role, name }: SessionClaims): Actor => {
  const allowed = role === undefined ? scope : narrower(scope, scopeOfRole(role))
  return {
    customerId: customer_id,
    kind: "session",
    id: sub,
    name: (name ?? sub).slice(0, MAX_NAME_LENGTH).toWellFormed().replaceAll("\u0000", ""),
    scope: allowed,
    isOwner: allowed === "full" && (role === undefined || role === "owner"),
    role: role ?? null
  }
}

/** Whom a token of ours speaks for: what the user may do now counts, not what they might when it was made. */
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
