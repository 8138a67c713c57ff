import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { formatInstant, formatNullableInstant } from "../../domain/Instant.ts"
import {
  DeliveryStatus,
  TEST_EVENT,
  type WebhookDelivery,
  WebhookEventType
} from "../../domain/webhook/Webhook.ts"
import { toNestedWirePage } from "../../http/wire/ManageWire.ts"
import { toDelivery } from "../../http/webhook/WebhooksApi.ts"
import { replayEvent, replaySince } from "../../services/webhook/WebhookActions.ts"
import { Webhooks } from "../../services/webhook/Webhooks.ts"
import { CommandError, refusedOf } from "../output/CommandError.ts"
import { operate, withManagement } from "../CommandContext.ts"
import { customerFlag } from "../input/CustomerFlag.ts"
import { asLines, print, printOne } from "../output/Output.ts"
import { nestedPageOf, pageFlags, printPage, timeFlag } from "../output/Pages.ts"
import { uuidFlag } from "../input/UuidFlag.ts"
import { webhookFlag } from "../input/WebhookFlag.ts"

type Resource = ReturnType<typeof toDelivery>

const lastTry = ({ tries }: Resource): string | null => {
  const last = tries.at(-1)
  return last === undefined ? null : (last.error ?? String(last.status))
}

const toRow = (delivery: Resource) => ({
  event_id: delivery.event_id,
  event_type: delivery.event_type,
  status: delivery.status,
  tries: delivery.tries.length,
  last_try: lastTry(delivery),
  created_at: delivery.created_at,
  next_try_at: delivery.next_try_at,
  finished_at: delivery.finished_at
})

export const printDelivery = (delivery: WebhookDelivery) => {
  const resource = toDelivery(delivery)
  return print(JSON.stringify(resource), asLines(toRow(resource)))
}

export const deliveries = Command.make(
  "deliveries",
  {
    customer: customerFlag,
    webhook: webhookFlag,
    status: Flag.Literals("status", DeliveryStatus.literals).pipe(
      Flag.withDescription("Only with this status"),
      Flag.optional
    ),
    eventType: Flag.Literals("event-type", [...WebhookEventType.literals, TEST_EVENT]).pipe(
      Flag.withDescription("Only events of this type"),
      Flag.optional
    ),
    since: timeFlag("since", "Only events from then on"),
    ...pageFlags
  },
  ({ customer, webhook, status, eventType, since, ...given }) =>
    withManagement(
      Effect.gen(function* () {
        const part = yield* nestedPageOf("deliveries", webhook, given)
        const page = yield* (yield* Webhooks)
          .deliveries(customer, webhook, {
            ...part,
            status: Option.getOrUndefined(status),
            eventType: Option.getOrUndefined(eventType),
            since: Option.getOrUndefined(since)
          })
          .pipe(Effect.mapError(refusedOf(customer, `webhook ${webhook}`)))
        const answer = toNestedWirePage("deliveries", webhook, page, toDelivery)
        yield* printPage(JSON.stringify(answer), answer.data.map(toRow), answer.next_cursor)
      })
    )
).pipe(Command.withDescription("List the deliveries to a webhook, the newest first"))

const replayOne = Effect.fnUntraced(function* (customer: number, id: number, event_id: string) {
  const delivery = yield* Effect.mapError(
    operate(replayEvent, { customer, target: { id, event_id } }),
    refusedOf(customer, `event ${event_id} on webhook ${id}`)
  )
  yield* printDelivery(delivery)
})

const replayAll = Effect.fnUntraced(function* (customer: number, webhook: number, since: string) {
  const { replayed, nextSince } = yield* Effect.mapError(
    operate(replaySince, { customer, target: webhook, input: { since } }),
    refusedOf(customer, `webhook ${webhook}`)
  )
  yield* printOne({ replayed, next_since: formatNullableInstant(nextSince) })
})

export const replay = Command.make(
  "replay",
  {
    customer: customerFlag,
    webhook: webhookFlag,
    event: uuidFlag("event", "Deliver this event again").pipe(Flag.optional),
    since: timeFlag("since", "Deliver all events from then on again, up to 1000 at a time")
  },
  ({ customer, webhook, event, since }) =>
    withManagement(
      Effect.gen(function* () {
        if (Option.isSome(event) && Option.isNone(since)) {
          return yield* replayOne(customer, webhook, event.value)
        }
        if (Option.isSome(since) && Option.isNone(event)) {
          return yield* replayAll(customer, webhook, formatInstant(since.value))
        }
        return yield* new CommandError({ message: "give either --event ID or --since TIME" })
      })
    )
).pipe(
  Command.withDescription(
    "Deliver events to a webhook again; a running server begins within half a lease (15 s)"
  )
)
