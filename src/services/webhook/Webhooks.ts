import { Context, Effect, type Redacted, Schema, SchemaTransformation } from "effect"
import type { Conflict, NotFound, PreconditionFailed, ValidationError } from "../../domain/Errors.ts"
import { DateTimeText, inItsLine, optional } from "../../domain/Fields.ts"
import { formatInstant, type Instant } from "../../domain/Instant.ts"
import type { Page, PageRequest } from "../../domain/Paging.ts"
import { problem } from "../../domain/Problem.ts"
import { check, isMaxEntries } from "../../domain/SchemaProblems.ts"
import {
  type DeliveryStatus,
  EVERY_EVENT,
  isAlertEvent,
  originOf,
  type WebhookDelivery,
  type WebhookEndpoint,
  WebhookEventType,
  type WebhookExchange
} from "../../domain/Webhook.ts"
import { ALERT_EVENTS } from "../../domain/alert/Alert.ts"
import { KeyMode } from "../../domain/customer/Customer.ts"
import { pastedText } from "../../domain/text/PastedText.ts"
import { isStorable, TrimmedName } from "../../domain/text/VisibleText.ts"
import type { Actor } from "../../domain/user/Actor.ts"
import { action, NoInput, NoTarget } from "../Action.ts"
import { Timers } from "../timer/Timers.ts"

/** A new endpoint with its signing secret, which is shown once. */
export interface CreatedWebhook {
  readonly endpoint: WebhookEndpoint
  readonly secret: Redacted.Redacted
}

interface NewWebhook {
  readonly url: string
  readonly events: ReadonlyArray<string>
  readonly description: string
  readonly mode: KeyMode
}

/** A missing field stays as it is. */
interface WebhookChange extends Partial<Omit<NewWebhook, "mode">> {
  readonly isDisabled?: boolean | undefined
}

interface DeliveryFilter {
  readonly status?: DeliveryStatus | undefined
  readonly eventType?: string | undefined
  /** Events from then on. */
  readonly since?: Instant | undefined
}

export interface Replay {
  readonly replayed: number
  /** Where the next request continues; null: that was all. */
  readonly nextSince: Instant | null
}

export interface Retry {
  readonly retried: number
  /** Whether there are more, for another request. */
  readonly hasMore: boolean
}

/** How the tries of an hour went. */
interface HourOfTries {
  readonly hour: Instant
  readonly accepted: number
  readonly failed: number
  /** Milliseconds to the response, or until there was none: of half of the tries, and of 95 of 100. */
  readonly median: number
  readonly slow: number
}

export interface EndpointHistory {
  /** From then on all deliveries are counted: not all of a busy endpoint's are read. */
  readonly from: Instant
  readonly isWhole: boolean
  /** Those with a try. */
  readonly hours: ReadonlyArray<HourOfTries>
}

/** A customer's own webhook endpoints. Those of another customer do not exist here. */
export const FoundEvent = Schema.Struct({
  type: Schema.String,
  /** The verification, the message, or what an alert is about. */
  subject: Schema.String,
  endpointId: Schema.NullOr(Schema.Int)
})
export type FoundEvent = typeof FoundEvent.Type

export class Webhooks extends Context.Service<
  Webhooks,
  {
    /** Whether endpoints can be plain http, or in a private network. */
    readonly allowsPrivateAddresses: boolean
    /** Whether events may be sent there; resolves its name, so it belongs before a transaction. */
    readonly checkUrl: (url: string) => Effect.Effect<void, ValidationError>
    readonly list: (customerId: number, page: PageRequest) => Effect.Effect<Page<WebhookEndpoint>>
    readonly find: (customerId: number, id: number) => Effect.Effect<WebhookEndpoint, NotFound>
    readonly create: (
      customerId: number,
      webhook: NewWebhook
    ) => Effect.Effect<CreatedWebhook, NotFound | Conflict>
    /** @param version the expected one; null: any */
    readonly update: (
      customerId: number,
      id: number,
      change: WebhookChange,
      version: number | null
    ) => Effect.Effect<WebhookEndpoint, NotFound | PreconditionFailed>
    /**
     * Its pending deliveries fail.
     *
     * @param version the expected one; null: any
     */
    readonly remove: (
      customerId: number,
      id: number,
      version: number | null
    ) => Effect.Effect<void, NotFound | PreconditionFailed>
    /** Another secret; the previous one also signs for a day. */
    readonly rotateSecret: (customerId: number, id: number) => Effect.Effect<CreatedWebhook, NotFound>
    /** The tries since then, in hours from there on, of a limited number of the latest deliveries. */
    readonly history: (customerId: number, id: number, from: Instant) => Effect.Effect<EndpointHistory>
    /** A test event for this endpoint only. */
    readonly test: (customerId: number, id: number) => Effect.Effect<WebhookDelivery, NotFound | Conflict>
    readonly deliveries: (
      customerId: number,
      id: number,
      page: PageRequest & DeliveryFilter
    ) => Effect.Effect<Page<WebhookDelivery>, NotFound>
    readonly delivery: (
      customerId: number,
      id: number,
      eventId: string
    ) => Effect.Effect<WebhookDelivery, NotFound>
    /** An event by its id, and an endpoint that it was for; null: it was for none. */
    readonly findEvent: (customerId: number, eventId: string) => Effect.Effect<FoundEvent, NotFound>
    /** The JSON that is posted for an event of this endpoint; null once its record is deleted. */
    readonly body: (customerId: number, id: number, eventId: string) => Effect.Effect<string | null>
    /** Delivers an event again, whatever its outcome was. */
    readonly replay: (
      customerId: number,
      id: number,
      eventId: string
    ) => Effect.Effect<WebhookDelivery, NotFound | Conflict>
    /** What went over the wire in the last tries of a delivery, the oldest first. */
    readonly exchanges: (
      customerId: number,
      id: number,
      eventId: string
    ) => Effect.Effect<ReadonlyArray<WebhookExchange>>
    /** Delivers again what failed, or waits for another try, of the last 30 days; a limited number at a time. */
    readonly retryFailed: (customerId: number, id: number) => Effect.Effect<Retry, NotFound | Conflict>
    /** Delivers all events since then again that the endpoint wants, a limited number at a time. */
    readonly replaySince: (
      customerId: number,
      id: number,
      since: Instant
    ) => Effect.Effect<Replay, NotFound | Conflict>
  }
>()("peyk/services/webhook/Webhooks") {}

/** An invisible character that was copied along would be a part of the address. */
export const WebhookUrl = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(2048))
  .annotate({ description: "https, to the public internet, without credentials." })
  .pipe(Schema.decode(SchemaTransformation.transform({ decode: pastedText, encode: (url: string) => url })))

const Events = Schema.Array(Schema.Literals([...WebhookEventType.literals, ALERT_EVENTS, EVERY_EVENT]))
  .check(
    Schema.isMinLength(1),
    isMaxEntries(50),
    check(
      (events: ReadonlyArray<string>) =>
        !events.includes(EVERY_EVENT) ||
        events.every((event) => event === EVERY_EVENT || isAlertEvent(event)),
      problem("star_not_alone")
    )
  )
  .annotate({
    description:
      "Types of events; * is all of them, also those that are to come, except alerts: alert.* is all of these."
  })

export const WebhookDescription = TrimmedName.check(
  check(
    (text: string) => text.length <= 200 && isStorable(text),
    problem("too_many_characters", { maximum: 200 })
  ),
  inItsLine
)

export const NewWebhookBody = Schema.Struct({
  url: WebhookUrl,
  events: Events,
  description: optional(WebhookDescription),
  mode: optional(KeyMode).annotateKey({
    description: "Which events: live (default), or test for those of the sandbox. It cannot be changed."
  })
}).annotate({ identifier: "NewWebhook" })

export const WebhookChangeBody = Schema.Struct({
  url: optional(WebhookUrl),
  events: optional(Events),
  description: optional(WebhookDescription),
  active: optional(Schema.Boolean)
}).annotate({ identifier: "WebhookChange" })

export const ReplayBody = Schema.Struct({
  since: DateTimeText.annotate({ description: "ISO 8601; events are kept for 30 days." })
}).annotate({ identifier: "WebhookReplay" })

/** A delivery is due: this process need not wait until it would look by itself. */
const wake = Timers.use((timers) => Effect.sync(() => timers.wakeAt(0)))

const unique = (events: ReadonlyArray<string>): ReadonlyArray<string> => [...new Set(events)]

/** The rest of an address can be a secret. */
const nameOf = ({ url, description }: Pick<WebhookEndpoint, "url" | "description">): string =>
  description === "" ? (originOf(url) ?? "") : description

const webhookBefore = ({ actor, target }: { readonly actor: Actor; readonly target: number }) =>
  Effect.map(
    Webhooks.use((webhooks) => webhooks.find(actor.customerId, target)),
    (endpoint) => ({
      name: nameOf(endpoint),
      values: {
        origin: originOf(endpoint.url),
        events: endpoint.events,
        description: endpoint.description,
        active: endpoint.disabledReason === null
      }
    })
  )

export const createWebhook = action("webhook.create", {
  input: NewWebhookBody,
  target: NoTarget,
  access: "writer",
  // It resolves a name, which can take long.
  prepare: ({ input: { url } }) => Webhooks.use((webhooks) => webhooks.checkUrl(url)),
  run: ({ actor, input: { url, events, description, mode } }) =>
    Webhooks.use((webhooks) =>
      webhooks.create(actor.customerId, {
        url,
        events: unique(events),
        description: description ?? "",
        mode: mode ?? "live"
      })
    ),
  audit: ({ endpoint }, { input: { url } }) => ({
    id: endpoint.id,
    name: nameOf(endpoint),
    details: { origin: originOf(url), events: endpoint.events }
  })
})

const changesIn = ({ url, events, description, active }: typeof WebhookChangeBody.Type) => ({
  ...(url == null ? {} : { url }),
  ...(events == null ? {} : { events: unique(events) }),
  ...(description == null ? {} : { description }),
  isDisabled: active == null ? undefined : !active
})

export const changeWebhook = action("webhook.update", {
  input: WebhookChangeBody,
  target: Schema.Int,
  access: "writer",
  prepare: ({ input: { url } }) =>
    url == null ? Effect.void : Webhooks.use((webhooks) => webhooks.checkUrl(url)),
  before: webhookBefore,
  run: ({ actor, target, version, input }) =>
    Webhooks.use((webhooks) => webhooks.update(actor.customerId, target, changesIn(input), version)),
  audit: ({ id }, { input }) => {
    const { url, events, description } = changesIn(input)
    return { id, details: { origin: originOf(url), events, description, active: input.active ?? undefined } }
  },
  after: wake
})

/** Its pending deliveries fail. */
export const removeWebhook = action("webhook.remove", {
  input: NoInput,
  target: Schema.Int,
  access: "writer",
  before: webhookBefore,
  run: ({ actor, target, version }) =>
    Webhooks.use((webhooks) => webhooks.remove(actor.customerId, target, version)),
  audit: (_, { target }) => ({ id: target })
})

/** Sends a test event to this webhook only. */
export const testWebhook = action("webhook.test", {
  input: NoInput,
  target: Schema.Int,
  access: "writer",
  before: webhookBefore,
  run: ({ actor, target }) => Webhooks.use((webhooks) => webhooks.test(actor.customerId, target)),
  audit: (_, { target }) => ({ id: target }),
  after: wake
})

/** Another secret; the previous one also signs for a day. */
export const rotateSecret = action("webhook.rotate_secret", {
  input: NoInput,
  target: Schema.Int,
  access: "writer",
  run: ({ actor, target }) => Webhooks.use((webhooks) => webhooks.rotateSecret(actor.customerId, target)),
  audit: ({ endpoint }) => ({ id: endpoint.id, name: nameOf(endpoint) })
})

/** Delivers an event again, whatever its outcome was. */
export const replayEvent = action("webhook.replay", {
  input: NoInput,
  target: Schema.Struct({ id: Schema.Int, event_id: Schema.String }),
  access: "writer",
  before: ({ actor, target: { id } }) => webhookBefore({ actor, target: id }),
  run: ({ actor, target: { id, event_id } }) =>
    Webhooks.use((webhooks) => webhooks.replay(actor.customerId, id, event_id)),
  audit: ({ eventId }, { target: { id } }) => ({ id, details: { event_id: eventId } }),
  after: wake
})

/** Delivers again what failed, or waits for another try: for a receiver that was mended. */
export const retryFailed = action("webhook.retry_failed", {
  input: NoInput,
  target: Schema.Int,
  access: "writer",
  auditedAs: "webhook.replay",
  run: ({ actor, target }) => Webhooks.use((webhooks) => webhooks.retryFailed(actor.customerId, target)),
  audit: ({ retried }, { target }) => ({ id: target, details: { only: "failed", replayed: retried } }),
  after: wake
})

/** Delivers all events since then again that the endpoint wants, a limited number at a time. */
export const replaySince = action("webhook.replay_since", {
  input: ReplayBody,
  target: Schema.Int,
  access: "writer",
  auditedAs: "webhook.replay",
  before: webhookBefore,
  run: ({ actor, target, input: { since } }) =>
    Webhooks.use((webhooks) => webhooks.replaySince(actor.customerId, target, since)),
  audit: ({ replayed }, { target, input: { since } }) => ({
    id: target,
    details: { since: formatInstant(since), replayed }
  }),
  after: wake
})
