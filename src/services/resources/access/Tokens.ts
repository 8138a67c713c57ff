import { Context, type Effect, type Redacted } from "effect"
import type { Scope } from "../../../domain/user/Actor.ts"
import type { NotFound, ValidationError } from "../../../domain/Errors.ts"
import type { Instant } from "../../../domain/Instant.ts"
import type { Page, PageRequest } from "../../../domain/Paging.ts"
import type { TokenRecord } from "../../../domain/key/PersonalToken.ts"

/** A new token with its secret, which is shown once. */
export interface CreatedToken {
  readonly record: TokenRecord
  readonly secret: Redacted.Redacted
}

export interface NewToken {
  readonly name: string
  readonly scope: Scope
  /** Null: never; undefined: in 90 days. */
  readonly expiresAt: Instant | null | undefined
}

/** A customer's personal access tokens. Those of another customer do not exist here. */
export class Tokens extends Context.Service<
  Tokens,
  {
    readonly list: (customerId: number, page: PageRequest) => Effect.Effect<Page<TokenRecord>>
    readonly find: (customerId: number, id: number) => Effect.Effect<TokenRecord, NotFound>
    readonly create: (customerId: number, token: NewToken) => Effect.Effect<CreatedToken, ValidationError>
    /** The customer whose token this is. */
    readonly ownerOf: (id: number) => Effect.Effect<number, NotFound>
    readonly revoke: (customerId: number, id: number) => Effect.Effect<TokenRecord, NotFound>
  }
>()("peyk/services/resources/access/Tokens") {}
