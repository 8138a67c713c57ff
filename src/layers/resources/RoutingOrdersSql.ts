import { Clock, Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import {
  fieldError,
  InvalidChannel,
  PreconditionFailed,
  SharedSenderNotAllowed,
  TemplateNotFound
} from "../../domain/Errors.ts"
import { checkCodeTemplate, Template } from "../../domain/message/Template.ts"
import { RoutingStep, StepOrder } from "../../domain/people/Customer.ts"
import { TELEGRAM_GATEWAY } from "../../domain/routing/Channel.ts"
import { RoutingOrders } from "../../services/resources/RoutingOrders.ts"
import { rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { lockCustomer } from "./OwnerSql.ts"

const RoutingRow = Schema.Struct({ order: StepOrder, steps: Schema.Array(RoutingStep), version: Schema.Int })
const AccountChannelRow = Schema.Struct({ id: Schema.Int, channel: Schema.String, provider: Schema.String })
const PlanRow = Schema.Struct({ plan: Schema.String })

const isTelegram = ({ channel }: RoutingStep): boolean => channel === "telegram"
const isGateway = ({ provider }: typeof AccountChannelRow.Type): boolean => provider === TELEGRAM_GATEWAY

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

    /** A step with an account names one of this customer's, on its channel; telegram needs an account that opens it. */
    const checkAccounts = Effect.fnUntraced(function* (
      customerId: number,
      steps: ReadonlyArray<RoutingStep>
    ) {
      const accounts = yield* accountRows(sql`
        select id, channel, provider from sending_accounts where customer_id = ${customerId}`)
      if (steps.some(isTelegram) && !accounts.some(isGateway)) {
        return yield* new InvalidChannel({ details: { channel: "telegram" } })
      }
      for (const { account_id, channel } of steps) {
        if (account_id === undefined) continue
        if (!accounts.some((account) => account.id === account_id && account.channel === channel)) {
          return yield* fieldError("steps", `customer ${customerId} has no ${channel} account ${account_id}`)
        }
      }
    })

    const checkSenders = Effect.fnUntraced(function* (customerId: number, steps: ReadonlyArray<RoutingStep>) {
      if (!steps.some(({ sender }) => sender === "shared")) return
      const [customer] = yield* planRows(sql`select plan from customers where id = ${customerId}`)
      if (customer?.plan !== "start") return yield* new SharedSenderNotAllowed()
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
        yield* checkAccounts(customerId, steps)
        yield* checkSenders(customerId, steps)
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
