import { Effect, Schema } from "effect"
import { ScopeInsufficient } from "../../domain/Errors.ts"
import { DateTimeText, Name, optional } from "../../domain/Fields.ts"
import { mayGrant, Scope } from "../../domain/user/Actor.ts"
import { action, NoInput, NoTarget, requireFresh } from "../Action.ts"
import { Tokens } from "./Tokens.ts"

export const NewTokenBody = Schema.Struct({
  name: Name,
  scope: Scope.annotate({ description: "read_only: for GET, HEAD and OPTIONS." }),
  expires_at: optional(DateTimeText).annotateKey({ description: "Default: in 90 days." })
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
  audit: ({ record: { id, name, scope } }) => ({ id, details: { name, scope } })
})

export const revokeToken = action("token.revoke", {
  input: NoInput,
  target: Schema.Int,
  access: "owner",
  run: ({ actor, target }) => Tokens.use((tokens) => tokens.revoke(actor.customerId, target)),
  audit: ({ id }) => ({ id })
})
