import { Clock, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import {
  fieldError,
  InvalidChannel,
  PreconditionFailed,
  SharedSenderNotAllowed,
  SharedSenderUnavailable,
  TemplateNotFound
} from "../../domain/Errors.ts"
import { problem } from "../../domain/Problem.ts"
import { RoutingStep, StepOrder } from "../../domain/customer/Customer.ts"
import { checkCodeTemplate, Template } from "../../domain/message/Template.ts"
import { carries, noCarrier } from "../../domain/routing/RouteAccount.ts"
import { lockCustomer, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { RoutingOrders } from "../../services/routing/RoutingOrders.ts"

const RoutingRow = Schema.Struct({ order: StepOrder, steps: Schema.Array(RoutingStep), version: Schema.Int })
const AccountChannelRow = Schema.Struct({
  id: Schema.Int,
  channel: Schema.String,
  provider: Schema.String,
  shared: Schema.Boolean,
  active: Schema.Boolean
})
const PlanRow = Schema.Struct({ plan: Schema.String })

const NOTHING_SAVED = { order: "saved", steps: [], version: 0 } as const

export const RoutingOrdersSql = Layer.effect(
  RoutingOrders,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const routingRows = rowsOf(RoutingRow)
    const accountRows = rowsOf(AccountChannelRow)
    const planRows = rowsOf(PlanRow)
    const templateRows = rowsOf(Template)

    const find = (customerId: number) =>
      Effect.map(
        routingRows(
          sql`select step_order as "order", steps, version from routing_orders where customer_id = ${customerId}`
        ),
        ([row]) => row ?? NOTHING_SAVED
      )

    /** The customer's accounts, and those that all share, as steps name them. */
    const accountsOf = (customerId: number) =>
      accountRows(sql`
        select id, channel, provider, customer_id is null as shared, disabled_at is null as active
        from sending_accounts where customer_id = ${customerId} or customer_id is null`)

    /** The same errors as for a send: a step with an account names one of this customer's, on its channel. */
    const checkAccounts = Effect.fnUntraced(function* (
      customerId: number,
      steps: ReadonlyArray<RoutingStep>,
      all: ReadonlyArray<typeof AccountChannelRow.Type>
    ) {
      for (const { account_id, channel, sender } of steps) {
        const onChannel = all.filter((account) => account.channel === channel)
        // The contract does not list telegram: an account opens it.
        if (channel === "telegram" && onChannel.length === 0) {
          return yield* new InvalidChannel({ details: { channel } })
        }
        const own = onChannel.filter(({ shared }) => !shared)
        const named = account_id === undefined ? own : own.filter(({ id }) => id === account_id)
        if (account_id !== undefined && named.length === 0) {
          return yield* fieldError(
            "steps",
            problem("step_account_unknown", { customer: customerId, channel, account: account_id })
          )
        }
        // An account can still be connected, but over telegram a bot never carries a code.
        if (
          channel === "telegram" &&
          sender === undefined &&
          !named.some((account) => carries("code", account))
        ) {
          return yield* noCarrier(channel, "code")
        }
      }
    })

    const checkSenders = Effect.fnUntraced(function* (
      customerId: number,
      steps: ReadonlyArray<RoutingStep>,
      all: ReadonlyArray<typeof AccountChannelRow.Type>
    ) {
      const shared = steps.filter(({ sender }) => sender === "shared")
      if (shared.length === 0) return
      const [customer] = yield* planRows(sql`select plan from customers where id = ${customerId}`)
      if (customer?.plan !== "start") return yield* new SharedSenderNotAllowed()
      const missing = shared.find(
        ({ channel }) =>
          !all.some(
            (account) =>
              account.shared && account.active && account.channel === channel && carries("code", account)
          )
      )
      if (missing !== undefined) {
        return yield* new SharedSenderUnavailable({ details: { channel: missing.channel } })
      }
    })

    const checkTemplates = Effect.fnUntraced(function* (
      customerId: number,
      steps: ReadonlyArray<RoutingStep>
    ) {
      for (const { template_id } of steps) {
        if (template_id === undefined) continue
        const [template] = yield* templateRows(sql`
          select id, name, body, disabled_at is null as active from templates
          where customer_id = ${customerId} and id = ${template_id}::bigint`)
        if (template === undefined) return yield* new TemplateNotFound({ details: { template_id } })
        yield* Effect.fromResult(checkCodeTemplate(template))
      }
    })

    return RoutingOrders.of({
      find,

      // Within the transaction of the write, concurrent saves wait here.
      save: Effect.fnUntraced(function* (customerId, steps, version, order = "saved") {
        yield* lockCustomer(sql, customerId)
        const saved = yield* find(customerId)
        if (version !== null && saved.version !== version) {
          return yield* new PreconditionFailed({ details: { version: saved.version } })
        }
        const accounts = yield* accountsOf(customerId)
        yield* checkAccounts(customerId, steps, accounts)
        yield* checkSenders(customerId, steps, accounts)
        yield* checkTemplates(customerId, steps)
        const now = timestamp(yield* Clock.currentTimeMillis)
        yield* Effect.orDie(sql`
          insert into routing_orders (customer_id, steps, step_order, updated_at)
          values (${customerId}, ${JSON.stringify(steps)}::jsonb, ${order}, ${now})
          on conflict (customer_id) do update set steps = excluded.steps, step_order = excluded.step_order,
            updated_at = excluded.updated_at`)
        return yield* find(customerId)
      })
    })
  })
)
