import { Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { actionCommand, asInput, ofCustomer, oneOfCustomer, showCommand } from "../ActionCommand.ts"
import { about, operate, withManagement } from "../CommandContext.ts"
import { customerFlag, requireCustomer, uuidFlag, webhookFlag, optionalChoice } from "../input/Flags.ts"
import { CommandError, refusedOf } from "../output/CommandError.ts"
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
import { ALERT_EVENTS } from "../../domain/alert/Alert.ts"
import { KeyMode } from "../../domain/customer/Customer.ts"
import {
  DeliveryStatus,
  EVERY_EVENT,
  isAlertEvent,
  TEST_EVENT,
  type WebhookDelivery,
  type WebhookEndpoint,
  WebhookEventType
} from "../../domain/Webhook.ts"
import { toCreatedWebhook, toDelivery, toWebhook } from "../../http/manage/WebhooksApi.ts"
import { toNestedWirePage, toWirePage } from "../../http/manage/ManageWire.ts"
import { listen } from "./WebhookListen.ts"
import {
  changeWebhook,
  createWebhook,
  removeWebhook,
  replayEvent,
  replaySince,
  retryFailed,
  rotateSecret,
  testWebhook,
  WebhookDescription,
  Webhooks,
  WebhookUrl
} from "../../services/webhook/Webhooks.ts"

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

const printDelivery = (delivery: WebhookDelivery) => {
  const resource = toDelivery(delivery)
  return print(JSON.stringify(resource), asLines(toRow(resource)))
}

export const deliveries = Command.make(
  "deliveries",
  {
    customer: customerFlag,
    webhook: webhookFlag,
    status: optionalChoice("status", DeliveryStatus.literals, "Only with this status"),
    eventType: optionalChoice(
      "event-type",
      [...WebhookEventType.literals, TEST_EVENT],
      "Only events of this type"
    ),
    since: timeFlag("since", "Only events from then on"),
    ...pageFlags
  },
  ({ customer, webhook, status, eventType, since, ...given }) =>
    withManagement(
      Effect.gen(function* () {
        const part = yield* nestedPageOf("deliveries", webhook, given)
        const found = (yield* Webhooks).deliveries(customer, webhook, {
          ...part,
          status: Option.getOrUndefined(status),
          eventType: Option.getOrUndefined(eventType),
          since: Option.getOrUndefined(since)
        })
        const page = yield* Effect.mapError(about(customer, found), refusedOf(customer, `webhook ${webhook}`))
        const response = toNestedWirePage("deliveries", webhook, page, toDelivery)
        yield* printPage(JSON.stringify(response), response.data.map(toRow), response.next_cursor)
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

const known = new Set<string>([...WebhookEventType.literals, ALERT_EVENTS, EVERY_EVENT])

const parseEvents = Effect.fnUntraced(function* (text: string) {
  const events = [...new Set(text.split(",").map((type) => type.trim()))]
  const unknown = events.filter((type) => !known.has(type))
  if (unknown.length > 0) {
    return yield* new CommandError({ message: `there is no event ${unknown.join(", ")}` })
  }
  if (events.includes(EVERY_EVENT) && events.some((type) => type !== EVERY_EVENT && !isAlertEvent(type))) {
    return yield* new CommandError({ message: `${EVERY_EVENT} stands alone, or with alerts` })
  }
  return events
})

const urlFlag = Flag.String("url").pipe(
  Flag.withDescription("The https address that receives the events"),
  Flag.withSchema(WebhookUrl)
)

const eventsFlag = Flag.String("events").pipe(
  Flag.withDescription("Types, separated by commas; * is all of them except alerts, alert.* all alerts")
)

const descriptionFlag = Flag.String("description").pipe(
  Flag.withDescription("The purpose of the webhook"),
  Flag.withSchema(WebhookDescription)
)

/** The types of events are checked here: a list in one flag has no schema of the input. */
const ofEvents = (given: object): Effect.Effect<object, CommandError> => {
  const { events, ...input } = asInput(given)
  return typeof events === "string"
    ? Effect.map(parseEvents(events), (types) => ({ ...input, events: types }))
    : Effect.succeed(input)
}

const create = actionCommand(
  "create",
  "Create a webhook; its secret is shown only once",
  createWebhook,
  ofCustomer,
  {
    flags: {
      url: urlFlag,
      events: eventsFlag,
      description: Flag.withDefault(descriptionFlag, ""),
      mode: Flag.Literals("mode", KeyMode.literals).pipe(
        Flag.withDescription("Events of live requests, or of the sandbox (test)"),
        Flag.withDefault("live" as const)
      )
    },
    input: ofEvents,
    print: (created) => printOne(toCreatedWebhook(created))
  }
)

const list = Command.make("list", { customer: customerFlag, ...pageFlags }, ({ customer, ...given }) =>
  withManagement(
    Effect.gen(function* () {
      const { id } = yield* requireCustomer(customer)
      const page = yield* (yield* Webhooks).list(id, yield* pageOf("webhooks", given))
      const response = toWirePage("webhooks", page, toWebhook)
      yield* printPage(JSON.stringify(response), response.data, response.next_cursor)
    })
  )
).pipe(Command.withDescription("List a customer's webhooks, the newest first"))

const oneWebhook = oneOfCustomer("webhook", webhookFlag)

const printWebhook = (webhook: WebhookEndpoint) => printOne(toWebhook(webhook))

const show = showCommand("Show a webhook", oneWebhook, ({ customer, target, refused }) =>
  Webhooks.use((webhooks) => webhooks.find(customer, target)).pipe(
    Effect.mapError(refused),
    Effect.flatMap(printWebhook)
  )
)

const update = actionCommand(
  "update",
  "Change a webhook's address, events or description",
  changeWebhook,
  oneWebhook,
  {
    flags: {
      url: Flag.optional(urlFlag),
      events: Flag.optional(eventsFlag),
      description: Flag.optional(descriptionFlag)
    },
    input: ofEvents,
    print: printWebhook
  }
)

const setActive = (name: string, active: boolean, description: string) =>
  actionCommand(name, description, changeWebhook, oneWebhook, {
    input: () => Effect.succeed({ active }),
    print: printWebhook
  })

const test = actionCommand(
  "test",
  "Send a test event to a webhook; a running server begins within half a lease (15 s)",
  testWebhook,
  oneWebhook,
  { print: printDelivery }
)

const retry = actionCommand(
  "retry-failed",
  "Deliver again what failed or waits for another try, up to 1000 events at a time",
  retryFailed,
  oneWebhook,
  { print: ({ retried, hasMore }) => printOne({ retried, has_more: hasMore }) }
)

const rotate = actionCommand(
  "rotate-secret",
  "Replace a webhook's secret; the old one also signs for 24 hours",
  rotateSecret,
  oneWebhook,
  { print: (created) => printOne(toCreatedWebhook(created)) }
)

const remove = actionCommand(
  "delete",
  "Delete a webhook; its pending deliveries end",
  removeWebhook,
  oneWebhook,
  { print: (_, { target }) => printOne({ id: target, deleted: true }) }
)

const webhookCommand = Command.make("webhook").pipe(
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
    replay,
    retry,
    listen
  ])
)

export const commands = { webhook: webhookCommand }
