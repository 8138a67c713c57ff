import { Effect } from "effect"
import { Command, Flag } from "effect/cli"
import { KeyMode } from "../../domain/people/Customer.ts"
import { EVERY_EVENT, originOf, WebhookEventType } from "../../domain/webhook/Webhook.ts"
import { toWirePage } from "../../http/manage/wire/ManageWire.ts"
import {
  toCreatedWebhook,
  toWebhook,
  WebhookDescription,
  WebhookUrl
} from "../../http/manage/setup/WebhooksApi.ts"
import { Webhooks } from "../../services/resources/Webhooks.ts"
import { auditEntriesOf } from "../../services/resources/ManagementWrites.ts"
import { CommandError, describeError } from "../output/CommandError.ts"
import { audited, withManagement } from "../CommandContext.ts"
import { customerFlag, noCustomer, requireCustomer } from "../input/CustomerFlag.ts"
import { printOne } from "../output/Output.ts"
import { pageFlags, pageOf, printPage } from "../output/Pages.ts"
import { deliveries, replay } from "./WebhookDeliveryCommands.ts"
import { refusal, webhookFlag } from "../input/WebhookFlag.ts"

const entry = auditEntriesOf("webhook")

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

const create = Command.make(
  "create",
  {
    customer: customerFlag,
    url: Flag.String("url").pipe(
      Flag.withDescription("The https address that receives the events"),
      Flag.withSchema(WebhookUrl)
    ),
    events: Flag.String("events").pipe(Flag.withDescription("Types, separated by commas; * is all of them")),
    description: Flag.String("description").pipe(
      Flag.withDescription("The purpose of the webhook"),
      Flag.withSchema(WebhookDescription),
      Flag.withDefault("")
    ),
    mode: Flag.Literals("mode", KeyMode.literals).pipe(
      Flag.withDescription("Events of live requests, or of the sandbox (test)"),
      Flag.withDefault("live" as const)
    )
  },
  ({ customer, url, events, description, mode }) =>
    withManagement(
      Effect.gen(function* () {
        const webhooks = yield* Webhooks
        const types = yield* parseEvents(events)
        yield* webhooks.checkUrl(url)
        const created = yield* audited(
          customer,
          webhooks.create(customer, { url, events: types, description, mode }),
          ({ endpoint }) => entry("create", endpoint.id, { origin: originOf(url), events: types })
        )
        yield* printOne(toCreatedWebhook(created))
      }).pipe(
        Effect.catchTags({
          validation_error: describeError,
          conflict: describeError,
          not_found: () => noCustomer(customer)
        })
      )
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
        .pipe(Effect.mapError(refusal(customer, `webhook ${webhook}`)))
      yield* printOne(toWebhook(found))
    })
  )
).pipe(Command.withDescription("Show a webhook"))

const remove = Command.make(
  "delete",
  { customer: customerFlag, webhook: webhookFlag },
  ({ customer, webhook }) =>
    withManagement(
      Effect.gen(function* () {
        const removed = (yield* Webhooks).remove(customer, webhook, null)
        yield* audited(customer, removed, () => entry("remove", webhook))
        yield* printOne({ id: webhook, deleted: true })
      }).pipe(
        Effect.catchTag("precondition_failed", Effect.die),
        Effect.mapError(refusal(customer, `webhook ${webhook}`))
      )
    )
).pipe(Command.withDescription("Delete a webhook; its pending deliveries end"))

export const webhookCommand = Command.make("webhook").pipe(
  Command.withSubcommands([create, list, show, remove, deliveries, replay])
)
