import { Clock, Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { LimitOverrides } from "../../domain/people/Admission.ts"
import { Plan, RoutingStep } from "../../domain/people/Customer.ts"
import { type Management, ManagementError } from "../../services/resources/Management.ts"
import { InstantColumn, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { noCustomer } from "./RequireCustomer.ts"
import { routingOrders } from "./RoutingOrders.ts"

const CustomerRow = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  plan: Plan,
  webOtpHost: Schema.NullOr(Schema.String),
  createdAt: InstantColumn
})
const LimitsRow = Schema.Struct({ limits: LimitOverrides })
const RoutingRow = Schema.Struct({ steps: Schema.NullOr(Schema.Array(RoutingStep)) })

type CustomerMethods = Pick<
  Management["Service"],
  | "createCustomer"
  | "updateCustomer"
  | "changeLimits"
  | "findCustomer"
  | "listCustomers"
  | "saveRouting"
  | "findRouting"
>

export const customerManagement = (sql: SqlClient.SqlClient): CustomerMethods => {
  const customerRows = rowsOf(CustomerRow)
  const routingRows = rowsOf(RoutingRow)
  const limitRows = rowsOf(LimitsRow)
  const orders = routingOrders(sql)

  const columns = sql.literal(`id, name, plan, webotp_host as "webOtpHost", created_at as "createdAt"`)

  return {
    createCustomer: Effect.fnUntraced(function* (name, plan) {
      const now = yield* Clock.currentTimeMillis
      const [row] = yield* customerRows(sql`
        insert into customers (name, plan, created_at) values (${name}, ${plan}, ${timestamp(now)})
        returning ${columns}`)
      return row ?? (yield* Effect.die("an insert returned no row"))
    }),

    updateCustomer: Effect.fnUntraced(function* (customerId, { name, plan, webOtpHost }) {
      const [row] = yield* customerRows(sql`
        update customers set name = coalesce(${name ?? null}::text, name), plan = coalesce(${plan ?? null}::text, plan),
          webotp_host = case when ${webOtpHost === undefined} then webotp_host else ${webOtpHost ?? null}::text end
        where id = ${customerId} returning ${columns}`)
      return row ?? (yield* noCustomer(customerId))
    }),

    changeLimits: Effect.fnUntraced(function* (customerId, change) {
      const [row] = yield* limitRows(sql`
        update customers set limits = jsonb_strip_nulls(limits || ${JSON.stringify(change)}::jsonb)
        where id = ${customerId} returning limits`)
      return row === undefined ? yield* noCustomer(customerId) : row.limits
    }),

    findCustomer: Effect.fnUntraced(function* (customerId) {
      const [row] = yield* customerRows(sql`select ${columns} from customers where id = ${customerId}`)
      return row ?? (yield* noCustomer(customerId))
    }),

    listCustomers: customerRows(sql`select ${columns} from customers order by id`),

    saveRouting: (customerId, steps) =>
      Effect.mapError(orders.save(customerId, steps), (error) =>
        error._tag === "ManagementError"
          ? error
          : new ManagementError({
              message: "details" in error ? `${error._tag}: ${JSON.stringify(error.details)}` : error._tag
            })
      ),

    findRouting: Effect.fnUntraced(function* (customerId) {
      const [row] = yield* routingRows(sql`
        select r.steps from customers c left join routing_orders r on r.customer_id = c.id where c.id = ${customerId}`)
      return row === undefined ? yield* noCustomer(customerId) : row.steps
    })
  }
}
