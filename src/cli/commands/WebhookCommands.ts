import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { operate, withManagement } from "../CommandContext.ts"
import { customerFlag, requireCustomer, uuidFlag, webhookFlag } from "../input/Flags.ts"
import { CommandError, refusedAction, refusedOf } from "../output/CommandError.ts"
import {
  asLines,
  nestedPageOf,
  pageFlags,
  pageOf,
  print,
  printOne,
  printPage,
  timeFlag
} from "../output/Output.ts"
import { formatInstant, formatNullableInstant } from "../../domain/Instant.ts"
import { KeyMode } from "../../domain/customer/Customer.ts"
import {
  DeliveryStatus,
  EVERY_EVENT,
  TEST_EVENT,
  type WebhookDelivery,
  WebhookEventType
} from "../../domain/Webhook.ts"
import { toCreatedWebhook, toDelivery, toWebhook } from "../../http/manage/WebhooksApi.ts"
import { toNestedWirePage, toWirePage } from "../../http/manage/ManageWire.ts"
import {
  changeWebhook,
  createWebhook,
  removeWebhook,
  replayEvent,
  replaySince,
  rotateSecret,
  testWebhook,
  WebhookDescription,
  WebhookUrl
} from "../../services/webhook/WebhookActions.ts"
import { Webhooks } from "../../services/webhook/Webhooks.ts"

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

const known = new Set<string>([...WebhookEventType.literals, EVERY_EVENT])

const parseEvents = Effect.fnUntraced(function* (text: string) {
  const events = [...new Set(text.split(",").map((type) => type.trim()))]
  const unknown = events.filter((type) => !known.has(type))
  if (unknown.length > 0) {
    return yield* new CommandError({ message: `there is no event ${unknown.join(", ")}` })
  }
  if (events.includes(EVERY_EVENT) && events.length > 1) {
    return yield* new CommandError({ message: `${EVERY_EVENT} stands alone` })
  }
  return events
})

const urlFlag = Flag.String("url").pipe(
  Flag.withDescription("The https address that receives the events"),
  Flag.withSchema(WebhookUrl)
)

const eventsFlag = Flag.String("events").pipe(
  Flag.withDescription("Types, separated by commas; * is all of them")
)

const descriptionFlag = Flag.String("description").pipe(
  Flag.withDescription("The purpose of the webhook"),
  Flag.withSchema(WebhookDescription)
)

const create = Command.make(
  "create",
  {
    customer: customerFlag,
    url: urlFlag,
    events: eventsFlag,
    description: Flag.withDefault(descriptionFlag, ""),
    mode: Flag.Literals("mode", KeyMode.literals).pipe(
      Flag.withDescription("Events of live requests, or of the sandbox (test)"),
      Flag.withDefault("live" as const)
    )
  },
  ({ customer, ...given }) =>
    withManagement(
      Effect.gen(function* () {
        const input = { ...given, events: yield* parseEvents(given.events) }
        const created = yield* Effect.mapError(
          operate(createWebhook, { customer, target: undefined, input }),
          refusedAction(`customer ${customer}`)
        )
        yield* printOne(toCreatedWebhook(created))
      })
    )
).pipe(Command.withDescription("Create a webhook; its secret is shown only once"))

const list = Command.make("list", { customer: customerFlag, ...pageFlags }, ({ customer, ...given }) =>
  withManagement(
    Effect.gen(function* () {
      const { id } = yield* requireCustomer(customer)
      const page = yield* (yield* Webhooks).list(id, yield* pageOf("webhooks", given))
      const answer = toWirePage("webhooks", page, toWebhook)
      yield* printPage(JSON.stringify(answer), answer.data, answer.next_cursor)
    })
  )
).pipe(Command.withDescription("List a customer's webhooks, the newest first"))

const show = Command.make("show", { customer: customerFlag, webhook: webhookFlag }, ({ customer, webhook }) =>
  withManagement(
    Effect.gen(function* () {
      const found = yield* (yield* Webhooks)
        .find(customer, webhook)
        .pipe(Effect.mapError(refusedOf(customer, `webhook ${webhook}`)))
      yield* printOne(toWebhook(found))
    })
  )
).pipe(Command.withDescription("Show a webhook"))

const changed = (customer: number, webhook: number, input: object) =>
  operate(changeWebhook, { customer, target: webhook, input }).pipe(
    Effect.mapError(refusedOf(customer, `webhook ${webhook}`)),
    Effect.flatMap((saved) => printOne(toWebhook(saved)))
  )

const update = Command.make(
  "update",
  {
    customer: customerFlag,
    webhook: webhookFlag,
    url: Flag.optional(urlFlag),
    events: Flag.optional(eventsFlag),
    description: Flag.optional(descriptionFlag)
  },
  ({ customer, webhook, url, events, description }) =>
    withManagement(
      Effect.gen(function* () {
        const types = Option.isNone(events) ? null : yield* parseEvents(events.value)
        yield* changed(customer, webhook, {
          url: Option.getOrNull(url),
          events: types,
          description: Option.getOrNull(description)
        })
      })
    )
).pipe(Command.withDescription("Change a webhook's address, events or description"))

const ofWebhook = { customer: customerFlag, webhook: webhookFlag }

const setActive = (name: string, active: boolean, description: string) =>
  Command.make(name, ofWebhook, ({ customer, webhook }) =>
    withManagement(changed(customer, webhook, { active }))
  ).pipe(Command.withDescription(description))

const test = Command.make("test", ofWebhook, ({ customer, webhook }) =>
  withManagement(
    operate(testWebhook, { customer, target: webhook }).pipe(
      Effect.mapError(refusedOf(customer, `webhook ${webhook}`)),
      Effect.flatMap(printDelivery)
    )
  )
).pipe(
  Command.withDescription(
    "Send a test event to a webhook; a running server begins within half a lease (15 s)"
  )
)

const rotate = Command.make("rotate-secret", ofWebhook, ({ customer, webhook }) =>
  withManagement(
    operate(rotateSecret, { customer, target: webhook }).pipe(
      Effect.mapError(refusedOf(customer, `webhook ${webhook}`)),
      Effect.flatMap((created) => printOne(toCreatedWebhook(created)))
    )
  )
).pipe(Command.withDescription("Replace a webhook's secret; the old one also signs for 24 hours"))

const remove = Command.make("delete", ofWebhook, ({ customer, webhook }) =>
  withManagement(
    operate(removeWebhook, { customer, target: webhook }).pipe(
      Effect.mapError(refusedOf(customer, `webhook ${webhook}`)),
      Effect.andThen(printOne({ id: webhook, deleted: true }))
    )
  )
).pipe(Command.withDescription("Delete a webhook; its pending deliveries end"))

export const webhookCommand = Command.make("webhook").pipe(
  Command.withSubcommands([
    create,
    list,
    show,
    update,
    setActive("disable", false, "Post no more events to a webhook"),
    setActive("enable", true, "Post events to a webhook again"),
    test,
    rotate,
    remove,
    deliveries,
    replay
  ])
)
