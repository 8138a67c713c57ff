import { Clock, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { RoutingStep } from "../../domain/people/Customer.ts"
import { SharedSenderNotAllowed, TemplateNotFound } from "../../domain/Errors.ts"
import { checkCodeTemplate, Template } from "../../domain/message/Template.ts"
import { ManagementError } from "../../services/resources/Management.ts"
import { rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { requireCustomer } from "./RequireCustomer.ts"

const AccountChannelRow = Schema.Struct({ id: Schema.Int, channel: Schema.String })
const PlanRow = Schema.Struct({ plan: Schema.String })

/** Saves a customer's routing order, for the management API and for the command line. */
export const routingOrders = (sql: SqlClient.SqlClient) => {
  const accountRows = rowsOf(AccountChannelRow)
  const planRows = rowsOf(PlanRow)
  const templateRows = rowsOf(Template)

  /** A step with an account must name one of this customer's, on the step's channel. */
  const checkAccounts = Effect.fnUntraced(function* (customerId: number, steps: ReadonlyArray<RoutingStep>) {
    const accounts = yield* accountRows(sql`
      select id, channel from sending_accounts where customer_id = ${customerId}`)
    for (const { account_id, channel } of steps) {
      if (account_id === undefined) continue
      if (!accounts.some((account) => account.id === account_id && account.channel === channel)) {
        return yield* new ManagementError({
          message: `customer ${customerId} has no ${channel} account ${account_id}`
        })
      }
    }
  })

  const checkSenders = Effect.fnUntraced(function* (customerId: number, steps: ReadonlyArray<RoutingStep>) {
    if (!steps.some(({ sender }) => sender === "shared")) return
    const [customer] = yield* planRows(sql`select plan from customers where id = ${customerId}`)
    if (customer?.plan !== "start") return yield* new SharedSenderNotAllowed()
  })

  const checkTemplates = Effect.fnUntraced(function* (customerId: number, steps: ReadonlyArray<RoutingStep>) {
    for (const { template_id } of steps) {
      if (template_id === undefined) continue
      const [template] = yield* templateRows(sql`
        select id, name, body, disabled_at is null as active from templates
        where customer_id = ${customerId} and id = ${template_id}::bigint`)
      if (template === undefined) return yield* new TemplateNotFound({ details: { template_id } })
      yield* Effect.fromResult(checkCodeTemplate(template))
    }
  })

  return {
    save: Effect.fnUntraced(function* (customerId: number, steps: ReadonlyArray<RoutingStep>) {
      yield* requireCustomer(sql, customerId)
      yield* checkAccounts(customerId, steps)
      yield* checkSenders(customerId, steps)
      yield* checkTemplates(customerId, steps)
      const now = timestamp(yield* Clock.currentTimeMillis)
      yield* Effect.orDie(sql`
        insert into routing_orders (customer_id, steps, updated_at)
        values (${customerId}, ${JSON.stringify(steps)}::jsonb, ${now})
        on conflict (customer_id) do update set steps = excluded.steps, updated_at = excluded.updated_at`)
    })
  }
}
