import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { formatInstant, formatNullableInstant } from "../../../domain/Instant.ts"
import { originOf } from "../../../domain/webhook/Webhook.ts"
import { Webhooks, type WebhookChange } from "../../../services/resources/Webhooks.ts"
import { auditedChange } from "../../../services/resources/WebhookWrites.ts"
import { Timers } from "../../../services/timer/Timers.ts"
import { auditEntriesOf } from "../../../services/resources/ManagementWrites.ts"
import { Api } from "../../Api.ts"
import { orEnvelope } from "../../errors/Envelope.ts"
import { CurrentActor } from "../access/ManageAuth.ts"
import {
  answerResource,
  expectedVersion,
  makePreparedWrite,
  makeWrite,
  nestedPageRequest,
  pageRequest,
  toNestedWirePage,
  toWirePage
} from "../wire/ManageWire.ts"
import { toCreatedWebhook, toDelivery, toWebhook, type WebhookChangeBody } from "./WebhooksApi.ts"

const unique = (events: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(events)]

const changeOf = ({ url, events, description, active }: typeof WebhookChangeBody.Type): WebhookChange => ({
  ...(url == null ? {} : { url }),
  ...(events == null ? {} : { events: unique(events) }),
  ...(description == null ? {} : { description }),
  isDisabled: active == null ? undefined : !active
})

const entry = auditEntriesOf("webhook")

const customerId = Effect.map(CurrentActor, ({ actor }) => actor.customerId)

export const WebhooksHandlers = HttpApiBuilder.group(
  Api,
  "webhooks",
  Effect.fnUntraced(function* (handlers) {
    const webhooks = yield* Webhooks
    const timers = yield* Timers
    const write = yield* makeWrite
    const preparedWrite = yield* makePreparedWrite
    /** Wakes the timers after the write: something is due. */
    const wake = <A, E, R>(written: Effect.Effect<A, E, R>) =>
      Effect.map(written, (answer) => {
        timers.wakeAt(0)
        return answer
      })

    return handlers.handleAll({
      list: Effect.fnUntraced(function* ({ query }) {
        return toWirePage(
          "webhooks",
          yield* webhooks.list(yield* customerId, pageRequest("webhooks", query)),
          toWebhook
        )
      }),

      create: ({ payload }) =>
        preparedWrite(
          { operation: "webhook.create", status: 201, idempotentBody: payload },
          webhooks.checkUrl(payload.url),
          Effect.fnUntraced(function* () {
            const { url, description, mode } = payload
            const events = unique(payload.events)
            const created = yield* webhooks.create(yield* customerId, {
              url,
              events,
              description: description ?? "",
              mode: mode ?? "live"
            })
            return {
              body: toCreatedWebhook(created),
              audit: entry("create", created.endpoint.id, { origin: originOf(url), events })
            }
          })
        ).pipe(orEnvelope),

      read: ({ params }) =>
        Effect.flatMap(customerId, (owner) => webhooks.find(owner, params.id)).pipe(
          Effect.map(toWebhook),
          Effect.map(answerResource),
          orEnvelope
        ),

      update: ({ params, payload }) =>
        Effect.andThen(
          payload.url == null ? Effect.void : webhooks.checkUrl(payload.url),
          write(
            { operation: "webhook.update", status: 200 },
            Effect.gen(function* () {
              const version = yield* expectedVersion
              const change = changeOf(payload)
              const updated = yield* webhooks.update(yield* customerId, params.id, change, version)
              return {
                body: toWebhook(updated),
                audit: entry("update", updated.id, auditedChange(change))
              }
            })
          )
        ).pipe(wake, orEnvelope),

      remove: ({ params }) =>
        write(
          { operation: "webhook.remove", status: 204 },
          Effect.gen(function* () {
            yield* webhooks.remove(yield* customerId, params.id, yield* expectedVersion)
            return { body: null, audit: entry("remove", params.id) }
          })
        ).pipe(orEnvelope),

      test: ({ params }) =>
        write(
          { operation: "webhook.test", status: 202, idempotentBody: params },
          Effect.gen(function* () {
            const delivery = yield* webhooks.test(yield* customerId, params.id)
            return { body: toDelivery(delivery), audit: entry("test", params.id) }
          })
        ).pipe(wake, orEnvelope),

      rotateSecret: ({ params }) =>
        write(
          { operation: "webhook.rotate_secret", status: 200, idempotentBody: params },
          Effect.gen(function* () {
            const created = yield* webhooks.rotateSecret(yield* customerId, params.id)
            return { body: toCreatedWebhook(created), audit: entry("rotate_secret", params.id) }
          })
        ).pipe(orEnvelope),

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

      replay: ({ params }) =>
        write(
          { operation: "webhook.replay", status: 202, idempotentBody: params },
          Effect.gen(function* () {
            const delivery = yield* webhooks.replay(yield* customerId, params.id, params.event_id)
            return {
              body: toDelivery(delivery),
              audit: entry("replay", params.id, { event_id: delivery.eventId })
            }
          })
        ).pipe(wake, orEnvelope),

      replaySince: ({ params, payload }) =>
        write(
          { operation: "webhook.replay_since", status: 202, idempotentBody: { ...params, ...payload } },
          Effect.gen(function* () {
            const { replayed, nextSince } = yield* webhooks.replaySince(
              yield* customerId,
              params.id,
              payload.since
            )
            const since = formatInstant(payload.since)
            return {
              body: { replayed, next_since: formatNullableInstant(nextSince) },
              audit: entry("replay", params.id, { since, replayed })
            }
          })
        ).pipe(wake, orEnvelope)
    })
  })
)
