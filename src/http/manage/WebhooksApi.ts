import { Effect, Redacted, Schema } from "effect"
import { HttpApiEndpoint, HttpApiSchema } from "effect/http-api"
import { DateTimeText, Timestamp } from "../../domain/Fields.ts"
import { formatInstant, formatNullableInstant } from "../../domain/Instant.ts"
import { problem } from "../../domain/Problem.ts"
import { refusing } from "../../domain/SchemaProblems.ts"
import { UUID } from "../../domain/Uuid.ts"
import { KeyMode } from "../../domain/customer/Customer.ts"
import {
  DeliveryStatus,
  DisabledReason,
  ROTATION_HOURS,
  TEST_EVENT,
  type WebhookDelivery,
  type WebhookEndpoint,
  WebhookEventType
} from "../../domain/Webhook.ts"
import { RequireJson } from "../RequestGuards.ts"
import { orEnvelope } from "../errors/Envelope.ts"
import { CurrentActor } from "./ManageAuth.ts"
import { undeclaredBodyErrors } from "./UndeclaredInput.ts"
import {
  changeWebhook,
  type CreatedWebhook,
  createWebhook,
  NewWebhookBody,
  removeWebhook,
  ReplayBody,
  replayEvent,
  replaySince,
  retryFailed,
  rotateSecret,
  testWebhook,
  WebhookChangeBody,
  Webhooks
} from "../../services/webhook/Webhooks.ts"
import {
  acting,
  changed,
  changing,
  conflict,
  creating,
  handlersOf,
  id,
  invalid,
  keyErrors,
  listing,
  manageGroup,
  notFound,
  reading,
  removing,
  summary
} from "./Endpoints.ts"
import { found, handler, listed } from "./Handlers.ts"
import { listenHandler } from "./WebhookStream.ts"
import { PathId, nestedPageRequest, pageOf, pageQuery, toNestedWirePage } from "./ManageWire.ts"

const WebhookResource = Schema.Struct({
  id: Schema.Int,
  url: Schema.String,
  events: Schema.Array(Schema.String),
  description: Schema.String,
  mode: KeyMode,
  active: Schema.Boolean,
  status: Schema.Literals(["active", "disabled"]),
  disabled_reason: Schema.NullOr(DisabledReason),
  failing_since: Schema.NullOr(Timestamp),
  created_at: Timestamp,
  version: Schema.Int
}).annotate({ identifier: "Webhook" })

const CreatedWebhookResource = Schema.Struct({
  ...WebhookResource.fields,
  secret: Schema.String.annotateKey({ description: "The signing secret of events, returned only once." })
}).annotate({ identifier: "CreatedWebhook" })

const DeliveryResource = Schema.Struct({
  event_id: Schema.String,
  event_type: Schema.String,
  subject: Schema.String,
  sequence: Schema.Int,
  status: DeliveryStatus,
  tries: Schema.Array(
    Schema.Struct({
      at: Timestamp,
      status: Schema.NullOr(Schema.Int),
      error: Schema.NullOr(Schema.String),
      duration_ms: Schema.Int
    })
  ),
  created_at: Timestamp,
  replayed_at: Schema.NullOr(Timestamp),
  next_try_at: Schema.NullOr(Timestamp),
  finished_at: Schema.NullOr(Timestamp)
}).annotate({ identifier: "WebhookDelivery" })

const AcceptedDelivery = DeliveryResource.pipe(HttpApiSchema.status(202))

const Replayed = Schema.Struct({
  replayed: Schema.Int,
  next_since: Schema.NullOr(Timestamp).annotateKey({
    description: "Where the next request continues; null: that was all."
  })
}).annotate({ identifier: "WebhookReplayed" })

const Retried = Schema.Struct({
  retried: Schema.Int.annotateKey({
    description: "How many failed deliveries are tried again."
  }),
  has_more: Schema.Boolean.annotateKey({ description: "Whether another request would retry more." })
}).annotate({ identifier: "WebhookRetried" })

const EventId = Schema.String.check(Schema.isPattern(new RegExp(`^${UUID}$`), refusing(problem("not_uuid"))))

export const toWebhook = (endpoint: WebhookEndpoint) => ({
  id: endpoint.id,
  url: endpoint.url,
  events: endpoint.events,
  description: endpoint.description,
  mode: endpoint.mode,
  active: endpoint.disabledReason === null,
  status: endpoint.disabledReason === null ? ("active" as const) : ("disabled" as const),
  disabled_reason: endpoint.disabledReason,
  failing_since: formatNullableInstant(endpoint.failingSince),
  created_at: formatInstant(endpoint.createdAt),
  version: endpoint.version
})

export const toCreatedWebhook = ({ endpoint, secret }: CreatedWebhook) => ({
  ...toWebhook(endpoint),
  secret: Redacted.value(secret)
})

export const toDelivery = (delivery: WebhookDelivery) => ({
  event_id: delivery.eventId,
  event_type: delivery.eventType,
  subject: delivery.subject,
  sequence: delivery.sequence,
  status: delivery.status,
  tries: delivery.tries.map((made) => ({ ...made, at: formatInstant(made.at) })),
  created_at: formatInstant(delivery.createdAt),
  replayed_at: formatNullableInstant(delivery.replayedAt),
  next_try_at: formatNullableInstant(delivery.nextTryAt),
  finished_at: formatNullableInstant(delivery.finishedAt)
})

export class WebhooksGroup extends manageGroup(
  "webhooks",
  "/v1/manage/webhooks",
  { title: "Management: webhooks" },
  listing(WebhookResource, "List webhooks, the newest first", pageQuery("webhooks")),
  creating(NewWebhookBody, CreatedWebhookResource, "Create a webhook; its secret is returned only once", [
    invalid,
    notFound,
    conflict
  ]),
  reading(PathId, WebhookResource, "Read a webhook"),
  changing(
    PathId,
    WebhookChangeBody,
    WebhookResource,
    "Change a webhook, or switch it off and on; If-Match guards against others",
    [invalid, notFound, changed]
  ),
  removing("remove", "Remove a webhook; its pending deliveries fail", [notFound, changed]),
  acting("test", "/:id/test", AcceptedDelivery, `Send a ${TEST_EVENT} event to a webhook`, [
    notFound,
    conflict,
    ...keyErrors
  ]),
  acting(
    "rotateSecret",
    "/:id/rotate-secret",
    CreatedWebhookResource,
    `Replace a webhook's secret; the old one also signs for ${ROTATION_HOURS} hours`,
    [notFound, ...keyErrors]
  ),
  acting(
    "retryFailed",
    "/:id/retry-failed",
    Retried.pipe(HttpApiSchema.status(202)),
    "Deliver again what failed or waits for another try, of the last 30 days, up to 1000 at a time",
    [notFound, conflict, ...keyErrors]
  ),
  HttpApiEndpoint.get("listen", "/listen", {
    query: {
      mode: Schema.optionalKey(KeyMode).annotateKey({
        description: "Which events: test (default), or live."
      }),
      listener: Schema.optionalKey(EventId).annotateKey({
        description: "Of a program that comes back: it takes no further place."
      }),
      after: Schema.optionalKey(EventId).annotateKey({
        description: "The last event that it has had; events of the last hour are sent again."
      })
    },
    success: HttpApiSchema.StreamUint8Array({ contentType: "text/event-stream" }),
    error: [invalid, conflict]
  }).annotateMerge(summary("Receive events as a stream, until the token ends")),
  HttpApiEndpoint.get("deliveries", "/:id/deliveries", {
    params: id,
    query: {
      ...pageQuery("deliveries"),
      status: Schema.optionalKey(DeliveryStatus),
      event_type: Schema.optionalKey(Schema.Literals([...WebhookEventType.literals, TEST_EVENT])),
      since: Schema.optionalKey(DateTimeText).annotateKey({ description: "Events from then on." })
    },
    success: pageOf(DeliveryResource),
    error: [notFound, invalid]
  }).annotateMerge(summary("List a webhook's deliveries with every try, the newest first")),
  HttpApiEndpoint.post("replay", "/:id/deliveries/:event_id/replay", {
    params: { ...id, event_id: Schema.String },
    success: AcceptedDelivery,
    error: [...undeclaredBodyErrors, notFound, conflict, ...keyErrors]
  }).annotateMerge(summary("Deliver an event again")),
  HttpApiEndpoint.post("replaySince", "/:id/replay", {
    params: id,
    payload: ReplayBody,
    success: Replayed.pipe(HttpApiSchema.status(202)),
    error: [invalid, notFound, conflict, ...keyErrors]
  })
    .annotateMerge(summary("Deliver all events since a time again, up to 1000 at a time"))
    .middleware(RequireJson)
) {}

export const WebhooksHandlers = handlersOf(WebhooksGroup, (handlers) =>
  handlers.handleAll({
    list: listed(
      "webhooks",
      (customerId, page) => Webhooks.use((webhooks) => webhooks.list(customerId, page)),
      toWebhook
    ),
    read: found(Webhooks, toWebhook),

    deliveries: Effect.fnUntraced(function* ({ params: { id: parent }, query }) {
      const { actor } = yield* CurrentActor
      const { status, event_type: eventType, since } = query
      const page = { ...(yield* nestedPageRequest("deliveries", parent, query)), status, eventType, since }
      const found = yield* (yield* Webhooks).deliveries(actor.customerId, parent, page)
      return toNestedWirePage("deliveries", parent, found, toDelivery)
    }, orEnvelope),

    listen: ({ query }) => orEnvelope(listenHandler(query)),

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
    retryFailed: handler(retryFailed, {
      status: 202,
      body: ({ retried, hasMore }) => ({ retried, has_more: hasMore }),
      isOnce: true
    }),
    replaySince: handler(replaySince, {
      status: 202,
      body: ({ replayed, nextSince }) => ({ replayed, next_since: formatNullableInstant(nextSince) }),
      isOnce: true
    })
  })
)
