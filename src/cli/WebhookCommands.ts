import { Effect, Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import { formatInstant } from "../domain/Instant.ts"
import { EVERY_EVENT, type WebhookEndpoint, WebhookEventType } from "../domain/Webhook.ts"
import { ManagedWebhooks } from "../services/manage/ManagedWebhooks.ts"
import { ManagementError } from "../services/Management.ts"
import { withManagement } from "./CommandGround.ts"
import { customerFlag } from "./CustomerFlag.ts"
import { printMany, printOne } from "./Output.ts"

const toFields = (endpoint: WebhookEndpoint) => ({
  id: endpoint.id,
  url: endpoint.url,
  events: endpoint.events,
  description: endpoint.description,
  status: endpoint.disabledReason === null ? "active" : "disabled",
  disabled_reason: endpoint.disabledReason,
  failing_since: endpoint.failingSince === null ? null : formatInstant(endpoint.failingSince),
  created_at: formatInstant(endpoint.createdAt)
})

const known = new Set<string>([...WebhookEventType.literals, EVERY_EVENT])

const parseEvents = Effect.fnUntraced(function* (text: string) {
  const events = [...new Set(text.split(",").map((type) => type.trim()))]
  const unknown = events.filter((type) => !known.has(type))
  if (unknown.length > 0) {
    return yield* new ManagementError({ message: `there is no event ${unknown.join(", ")}` })
  }
  if (events.includes(EVERY_EVENT) && events.length > 1) {
    return yield* new ManagementError({ message: `${EVERY_EVENT} stands alone` })
  }
  return events
})

const inWords = (customer: number) => ({
  validation_error: ({
    details
  }: {
    readonly details: { readonly errors: ReadonlyArray<{ message: string }> }
  }) =>
    Effect.fail(new ManagementError({ message: details.errors.map(({ message }) => message).join("; ") })),
  not_found: () => Effect.fail(new ManagementError({ message: `there is no customer ${customer}` })),
  conflict: ({ details }: { readonly details: { readonly reason: string } }) =>
    Effect.fail(new ManagementError({ message: details.reason }))
})

const create = Command.make(
  "create",
  {
    customer: customerFlag,
    url: Flag.String("url").pipe(Flag.withDescription("Where events are posted: https")),
    events: Flag.String("events").pipe(Flag.withDescription("Types, separated by commas; * is all of them")),
    description: Flag.String("description").pipe(
      Flag.withDescription("What the webhook is for"),
      Flag.withDefault("")
    )
  },
  ({ customer, url, events, description }) =>
    withManagement(
      Effect.gen(function* () {
        const webhooks = yield* ManagedWebhooks
        const types = yield* parseEvents(events)
        const { endpoint, secret } = yield* Effect.andThen(
          webhooks.checkUrl(url),
          webhooks.create(customer, { url, events: types, description })
        ).pipe(Effect.catchTags(inWords(customer)))
        yield* printOne({ ...toFields(endpoint), secret: Redacted.value(secret) })
      })
    )
).pipe(Command.withDescription("Create a webhook; its secret is shown this once"))

const MAX_LISTED = 100

const list = Command.make("list", { customer: customerFlag }, ({ customer }) =>
  withManagement(
    Effect.gen(function* () {
      const { items } = yield* (yield* ManagedWebhooks).list(customer, { limit: MAX_LISTED, after: null })
      yield* printMany(items.map(toFields))
    })
  )
).pipe(Command.withDescription("List a customer's webhooks"))

export const webhookCommand = Command.make("webhook").pipe(
  Command.withDescription("Webhooks: where a customer's events are posted"),
  Command.withSubcommands([create, list])
)
