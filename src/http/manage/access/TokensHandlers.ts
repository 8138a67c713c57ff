import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { mayGrant } from "../../../domain/people/Actor.ts"
import { ScopeInsufficient } from "../../../domain/Errors.ts"
import { Tokens } from "../../../services/resources/access/Tokens.ts"
import { auditEntriesOf } from "../../../services/resources/ManagementWrites.ts"
import { Api } from "../../Api.ts"
import { orEnvelope } from "../../errors/Envelope.ts"
import { CurrentActor } from "./ManageAuth.ts"
import {
  answerResource,
  makeWrite,
  pageRequest,
  requireFresh,
  requireOwner,
  toWirePage,
  withEnd
} from "../wire/ManageWire.ts"
import { toCreatedToken, toToken } from "./TokensApi.ts"

const entry = auditEntriesOf("token")

export const TokensHandlers = HttpApiBuilder.group(
  Api,
  "tokens",
  Effect.fnUntraced(function* (handlers) {
    const tokens = yield* Tokens
    const write = yield* makeWrite
    const repeat = (kept: unknown, customerId: number) =>
      tokens.find(customerId, Number(Object(kept).id)).pipe(
        Effect.flatMap(toToken),
        Effect.map((current) => withEnd(kept, current)),
        Effect.catchTag("not_found", () => Effect.succeed(kept))
      )
    return handlers.handleAll({
      list: Effect.fnUntraced(function* ({ query }) {
        const { actor } = yield* CurrentActor
        const { items, next } = yield* tokens.list(actor.customerId, pageRequest("tokens", query))
        return toWirePage("tokens", { items: yield* Effect.forEach(items, toToken), next }, (item) => item)
      }),

      create: ({ payload }) =>
        Effect.andThen(
          requireOwner,
          write(
            { operation: "token.create", status: 201, idempotentBody: payload, repeat },
            Effect.gen(function* () {
              const { actor } = yield* CurrentActor
              const { name, scope, expires_at } = payload
              if (!mayGrant(actor.scope, scope)) return yield* new ScopeInsufficient()
              if (scope === "full") yield* requireFresh
              const created = yield* tokens.create(actor.customerId, {
                name,
                scope,
                expiresAt: expires_at ?? undefined
              })
              return {
                body: yield* toCreatedToken(created),
                audit: entry("create", created.record.id, { name, scope })
              }
            })
          )
        ).pipe(orEnvelope),

      read: Effect.fnUntraced(function* ({ params }) {
        const { actor } = yield* CurrentActor
        return yield* tokens
          .find(actor.customerId, params.id)
          .pipe(Effect.flatMap(toToken), Effect.map(answerResource), orEnvelope)
      }),

      revoke: ({ params }) =>
        Effect.andThen(
          requireOwner,
          write(
            { operation: "token.revoke", status: 204 },
            Effect.gen(function* () {
              const { actor } = yield* CurrentActor
              const { id } = yield* tokens.revoke(actor.customerId, params.id)
              return { body: null, audit: entry("revoke", id) }
            })
          )
        ).pipe(orEnvelope)
    })
  })
)
