import { Context, type Effect, type Redacted } from "effect"
import type { Instant } from "../../domain/Instant.ts"

export interface SigningKey {
  readonly id: string
  readonly algorithm: string
  readonly createdAt: Instant
}

/** In its published form (RFC 7517). */
export type PublicKey = Readonly<Record<string, unknown>>

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
>()("peyk/services/access/SigningKeys") {}
