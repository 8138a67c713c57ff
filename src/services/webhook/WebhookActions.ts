import { Effect, Schema, SchemaTransformation } from "effect"
import { DateTimeText, inItsLine, optional } from "../../domain/Fields.ts"
import { formatInstant } from "../../domain/Instant.ts"
import { problem } from "../../domain/Problem.ts"
import { check, isMaxEntries } from "../../domain/SchemaProblems.ts"
import { KeyMode } from "../../domain/customer/Customer.ts"
import { pastedText } from "../../domain/text/PastedText.ts"
import { isStorable, TrimmedName } from "../../domain/text/VisibleText.ts"
import { EVERY_EVENT, originOf, WebhookEventType } from "../../domain/Webhook.ts"
import { action, NoInput, NoTarget } from "../Action.ts"
import { Timers } from "../timer/Timers.ts"
import { Webhooks } from "./Webhooks.ts"

/** An invisible character that was copied along would be a part of the address. */
export const WebhookUrl = Schema.String.check(Schema.isMinLength(1), Schema.isMaxLength(2048))
  .annotate({ description: "https, to the public internet, without credentials." })
  .pipe(Schema.decode(SchemaTransformation.transform({ decode: pastedText, encode: (url: string) => url })))

const Events = Schema.Array(Schema.Literals([...WebhookEventType.literals, EVERY_EVENT]))
  .check(
    Schema.isMinLength(1),
    isMaxEntries(50),
    check(
      (events: ReadonlyArray<string>) => !events.includes(EVERY_EVENT) || events.length === 1,
      problem("star_not_alone")
    )
  )
  .annotate({ description: "Types of events; * alone is all of them, also those that are to come." })

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
  // The rest of an address can be a secret.
  audit: ({ endpoint: { id, events } }, { input: { url } }) => ({
    id,
    details: { origin: originOf(url), events }
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
  run: ({ actor, target, version }) =>
    Webhooks.use((webhooks) => webhooks.remove(actor.customerId, target, version)),
  audit: (_, { target }) => ({ id: target })
})

/** Sends a test event to this webhook only. */
export const testWebhook = action("webhook.test", {
  input: NoInput,
  target: Schema.Int,
  access: "writer",
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
  audit: ({ endpoint: { id } }) => ({ id })
})

/** Delivers an event again, whatever its outcome was. */
export const replayEvent = action("webhook.replay", {
  input: NoInput,
  target: Schema.Struct({ id: Schema.Int, event_id: Schema.String }),
  access: "writer",
  run: ({ actor, target: { id, event_id } }) =>
    Webhooks.use((webhooks) => webhooks.replay(actor.customerId, id, event_id)),
  audit: ({ eventId }, { target: { id } }) => ({ id, details: { event_id: eventId } }),
  after: wake
})

/** Delivers all events since then again that the endpoint wants, a limited number at a time. */
export const replaySince = action("webhook.replay_since", {
  input: ReplayBody,
  target: Schema.Int,
  access: "writer",
  auditedAs: "webhook.replay",
  run: ({ actor, target, input: { since } }) =>
    Webhooks.use((webhooks) => webhooks.replaySince(actor.customerId, target, since)),
  audit: ({ replayed }, { target, input: { since } }) => ({
    id: target,
    details: { since: formatInstant(since), replayed }
  }),
  after: wake
})
