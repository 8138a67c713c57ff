import { Context, Effect, type Redacted, Schema } from "effect"
import {
  type NotFound,
  ScopeInsufficient,
  type Unauthenticated,
  type ValidationError
} from "../../domain/Errors.ts"
import { DateTimeText, Name, optional } from "../../domain/Fields.ts"
import { DAY_MILLIS, type Instant } from "../../domain/Instant.ts"
import type { Page, PageRequest } from "../../domain/Paging.ts"
import { TOKEN_LIFE_MILLIS, type TokenRecord } from "../../domain/PersonalToken.ts"
import { type Actor, mayGrant, Scope } from "../../domain/user/Actor.ts"
import { action, NoInput, NoTarget, requireFresh } from "../Action.ts"

/** Personal access tokens: `svc_pat_…`. */
export class PersonalTokens extends Context.Service<
  PersonalTokens,
  {
    /** The actor that this token represents, if the token is known, not expired and not revoked. Records its use. */
    readonly authenticate: (secret: Redacted.Redacted) => Effect.Effect<Actor, Unauthenticated>
  }
>()("peyk/services/key/Tokens/PersonalTokens") {}

/** A new token with its secret, which is shown once. */
export interface CreatedToken {
  readonly record: TokenRecord
  readonly secret: Redacted.Redacted
}

interface NewToken {
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
>()("peyk/services/key/Tokens") {}

export const NewTokenBody = Schema.Struct({
  name: Name,
  scope: Scope.annotate({ description: "read_only: for GET, HEAD and OPTIONS." }),
  expires_at: optional(DateTimeText).annotateKey({
    description: `Default: in ${TOKEN_LIFE_MILLIS / DAY_MILLIS} days.`
  })
}).annotate({ identifier: "NewPersonalAccessToken" })

export const createToken = action("token.create", {
  input: NewTokenBody,
  target: NoTarget,
  access: "owner",
  allow: ({ actor, input: { scope } }) =>
    Effect.gen(function* () {
      if (!mayGrant(actor.scope, scope)) return yield* new ScopeInsufficient()
      if (scope === "full") yield* requireFresh(actor)
    }),
  run: ({ actor, input: { name, scope, expires_at } }) =>
    Tokens.use((tokens) =>
      tokens.create(actor.customerId, { name, scope, expiresAt: expires_at ?? undefined })
    ),
  audit: ({ record: { id, name, scope } }) => ({ id, name, details: { name, scope } })
})

export const revokeToken = action("token.revoke", {
  input: NoInput,
  target: Schema.Int,
  access: "owner",
  run: ({ actor, target }) => Tokens.use((tokens) => tokens.revoke(actor.customerId, target)),
  audit: ({ id, name }) => ({ id, name })
})
