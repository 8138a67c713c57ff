import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { formatNullableInstant } from "../../domain/Instant.ts"
import { Api } from "../Api.ts"
import { orEnvelope } from "../errors/Envelope.ts"
import { toCreatedWebhook, toDelivery, toWebhook } from "./WebhooksApi.ts"
import { makeActionHandler } from "../wire/ActionHandlers.ts"
import { CurrentActor } from "../wire/ManageAuth.ts"
import {
  answerResource,
  nestedPageRequest,
  pageRequest,
  toNestedWirePage,
  toWirePage
} from "../wire/ManageWire.ts"
import type { Timers } from "../../services/timer/Timers.ts"
import {
  changeWebhook,
  createWebhook,
  removeWebhook,
  replayEvent,
  replaySince,
  rotateSecret,
  testWebhook
} from "../../services/webhook/WebhookActions.ts"
import { Webhooks } from "../../services/webhook/Webhooks.ts"

const customerId = Effect.map(CurrentActor, ({ actor }) => actor.customerId)

export const WebhooksHandlers = HttpApiBuilder.group(
  Api,
  "webhooks",
  Effect.fnUntraced(function* (handlers) {
    const webhooks = yield* Webhooks
    const handler = yield* makeActionHandler<Webhooks | Timers>()
    return handlers.handleAll({
      list: Effect.fnUntraced(function* ({ query }) {
        return toWirePage(
          "webhooks",
          yield* webhooks.list(yield* customerId, pageRequest("webhooks", query)),
          toWebhook
        )
      }),

      read: ({ params }) =>
        Effect.flatMap(customerId, (owner) => webhooks.find(owner, params.id)).pipe(
          Effect.map(toWebhook),
          Effect.map(answerResource),
          orEnvelope
        ),

      deliveries: Effect.fnUntraced(function* ({ params, query }) {
        const { status, event_type: eventType, since } = query
        const part = yield* nestedPageRequest("deliveries", params.id, query)
        const page = { ...part, status, eventType, since }
        return toNestedWirePage(
          "deliveries",
          params.id,
          yield* webhooks.deliveries(yield* customerId, params.id, page),
          toDelivery
        )
      }, orEnvelope),

      create: handler(createWebhook, { status: 201, body: toCreatedWebhook, isOnce: true }),
      update: handler(changeWebhook, { status: 200, body: toWebhook }),
      remove: handler(removeWebhook, { status: 204 }),
      test: handler(testWebhook, { status: 202, body: toDelivery, isOnce: true }),
      rotateSecret: handler(rotateSecret, { status: 200, body: toCreatedWebhook, isOnce: true }),
      replay: handler(replayEvent, {
        status: 202,
        body: toDelivery,
        isOnce: true,
        target: (params: { readonly id: number; readonly event_id: string }) => params
      }),
      replaySince: handler(replaySince, {
        status: 202,
        body: ({ replayed, nextSince }) => ({ replayed, next_since: formatNullableInstant(nextSince) }),
        isOnce: true
      })
    })
  })
)
