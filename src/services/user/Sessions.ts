import { Context, type Effect, type Redacted } from "effect"
import type { Unauthenticated } from "../../domain/Errors.ts"
import type { Instant } from "../../domain/Instant.ts"
import type { Actor } from "../../domain/user/Actor.ts"
import { AUDIENCE, ISSUER } from "../../domain/user/Sessions.ts"

export interface TrustedIssuer {
  readonly issuer: string
  readonly jwksUrl: string
  readonly audience: string
}

export interface SessionIssuersShape {
  /** The issuer in Peyk's own tokens. */
  readonly own: string
  readonly audience: string
  /** Another issuer whose tokens are accepted. */
  readonly external: TrustedIssuer | null
}

/** The issuers whose JWTs are accepted. */
export const SessionIssuers = Context.Reference<SessionIssuersShape>(
  "peyk/services/user/Sessions/SessionIssuers",
  {
    defaultValue: () => ({ own: ISSUER, audience: AUDIENCE, external: null })
  }
)

/** JWTs: of people who signed in here, or of another trusted issuer. */
export class Sessions extends Context.Service<
  Sessions,
  { readonly authenticate: (jwt: Redacted.Redacted) => Effect.Effect<Actor, Unauthenticated> }
>()("peyk/services/user/Sessions") {}

export interface SigningKey {
  readonly id: string
  readonly algorithm: string
  readonly createdAt: Instant
}

/** In its published form (RFC 7517). */
type PublicKey = Readonly<Record<string, unknown>>

/** The keys that sign Peyk's own JWTs. */
export class SigningKeys extends Context.Service<
  SigningKeys,
  {
    /** A JWT, signed by the newest key; creates the first one if there is none. */
    readonly sign: (claims: Readonly<Record<string, unknown>>) => Effect.Effect<Redacted.Redacted>
    /** All keys that are still trusted. */
    readonly publicKeys: Effect.Effect<ReadonlyArray<PublicKey>>
    /**
     * Creates the key for all later signatures, as a part of a transaction. Tokens of other keys stay valid until their
     * normal end.
     */
    readonly rotate: Effect.Effect<SigningKey>
  }
>()("peyk/services/user/Sessions/SigningKeys") {}
