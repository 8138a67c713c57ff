import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../Api.ts"
import { orEnvelope } from "../errors/Envelope.ts"
import { toCreatedToken, toToken } from "./TokensApi.ts"
import { makeActionHandler } from "../wire/ActionHandlers.ts"
import { CurrentActor } from "../wire/ManageAuth.ts"
import { answerResource, pageRequest, toWirePage, withEnd, withNow } from "../wire/ManageWire.ts"
import { createToken, revokeToken } from "../../services/key/TokenActions.ts"
import { Tokens } from "../../services/key/Tokens.ts"

/** A stored response shows if its token has ended since. */
const repeat = (kept: unknown, customerId: number) =>
  Tokens.use((tokens) => tokens.find(customerId, Number(Object(kept).id))).pipe(
    Effect.flatMap(withNow(toToken)),
    Effect.map((current) => withEnd(kept, current)),
    Effect.catchTag("not_found", () => Effect.succeed(kept))
  )

export const TokensHandlers = HttpApiBuilder.group(
  Api,
  "tokens",
  Effect.fnUntraced(function* (handlers) {
    const tokens = yield* Tokens
    const handler = yield* makeActionHandler<Tokens>()
    return handlers.handleAll({
      list: Effect.fnUntraced(function* ({ query }) {
        const { actor } = yield* CurrentActor
        const page = yield* tokens.list(actor.customerId, pageRequest("tokens", query))
        const now = yield* Clock.currentTimeMillis
        return toWirePage("tokens", page, (token) => toToken(token, now))
      }),

      read: Effect.fnUntraced(function* ({ params }) {
        const { actor } = yield* CurrentActor
        return yield* tokens
          .find(actor.customerId, params.id)
          .pipe(Effect.flatMap(withNow(toToken)), Effect.map(answerResource), orEnvelope)
      }),

      create: handler(createToken, { status: 201, body: toCreatedToken, isOnce: true, repeat }),
      revoke: handler(revokeToken, { status: 204 })
    })
  })
)
