import { Clock, Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../Api.ts"
import { orEnvelope } from "../errors/Envelope.ts"
import { toApiKey, toCreatedApiKey } from "./ApiKeysApi.ts"
import { makeActionHandler } from "../wire/ActionHandlers.ts"
import { CurrentActor } from "../wire/ManageAuth.ts"
import { answerResource, pageRequest, toWirePage, withEnd, withNow } from "../wire/ManageWire.ts"
import { changeKey, createKey, revokeKey, rotateKey } from "../../services/key/KeyActions.ts"
import { Keys } from "../../services/key/Keys.ts"

/** A stored response shows if its key has ended since. */
const repeat = (kept: unknown, customerId: number) =>
  Keys.use((keys) => keys.find(customerId, Number(Object(kept).id))).pipe(
    Effect.flatMap(withNow(toApiKey)),
    Effect.map((current) => withEnd(kept, current)),
    Effect.catchTag("not_found", () => Effect.succeed(kept))
  )

export const ApiKeysHandlers = HttpApiBuilder.group(
  Api,
  "api-keys",
  Effect.fnUntraced(function* (handlers) {
    const keys = yield* Keys
    const handler = yield* makeActionHandler<Keys>()
    return handlers.handleAll({
      list: Effect.fnUntraced(function* ({ query }) {
        const { actor } = yield* CurrentActor
        const page = yield* keys.list(actor.customerId, { ...query, ...pageRequest("api_keys", query) })
        const now = yield* Clock.currentTimeMillis
        return toWirePage("api_keys", page, (key) => toApiKey(key, now))
      }),

      read: Effect.fnUntraced(function* ({ params }) {
        const { actor } = yield* CurrentActor
        return yield* keys
          .find(actor.customerId, params.id)
          .pipe(Effect.flatMap(withNow(toApiKey)), Effect.map(answerResource), orEnvelope)
      }),

      create: handler(createKey, { status: 201, body: toCreatedApiKey, isOnce: true, repeat }),
      update: handler(changeKey, { status: 200, body: toApiKey }),
      revoke: handler(revokeKey, { status: 204 }),
      rotate: handler(rotateKey, { status: 201, body: toCreatedApiKey, isOnce: true, repeat })
    })
  })
)
