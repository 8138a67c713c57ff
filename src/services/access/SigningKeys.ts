import { Context, type Effect, type Redacted } from "effect"
import type { Instant } from "../../domain/Instant.ts"

export interface SigningKey {
  readonly id: string
  readonly algorithm: string
  readonly createdAt: Instant
}

/** As it is published (RFC 7517). */
export type PublicKey = Readonly<Record<string, unknown>>

/** The keys that our own JWTs are signed with. */
export class SigningKeys extends Context.Service<
  SigningKeys,
  {
    /** A JWT, signed by the newest key; the first is made when there is none. */
    readonly sign: (claims: Readonly<Record<string, unknown>>) => Effect.Effect<Redacted.Redacted>
    /** All that are still trusted. */
    readonly publicKeys: Effect.Effect<ReadonlyArray<PublicKey>>
    /** Makes the key that is signed with from now on; what others signed stays valid until it would have ended anyway. */
    readonly rotate: Effect.Effect<SigningKey>
  }
>()("peyk/services/access/SigningKeys") {}
