import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { LimitOverrides } from "../../domain/people/Admission.ts"
import { Plan } from "../../domain/people/Customer.ts"
import { CustomerStandings } from "../../services/customer/AccountSummaries.ts"
import { RialsColumn, rowsOf } from "../postgres/SqlRows.ts"
import { monthOf } from "../../domain/people/Admission.ts"

const StandingRow = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  plan: Plan,
  limits: LimitOverrides,
  usedThisMonth: Schema.Int,
  balance: RialsColumn,
  held: RialsColumn
})

export const CustomerStandingsSql = Layer.effect(
  CustomerStandings,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const standingRows = rowsOf(StandingRow)
    return CustomerStandings.of({
      read: Effect.fnUntraced(function* (customerId, now) {
        const { start, end } = monthOf(now)
        // Each part by the customer's number: Citus does not join rows of the coordinator with those of workers.
        const [row] = yield* standingRows(sql`
          select c.id, c.name, c.plan, c.limits, m.used as "usedThisMonth", w.balance, w.held
          from customers c, (
            select coalesce(sum(used), 0)::int as used from monthly_counters
            where customer_id = ${customerId} and month = ${start}::date) m, (
            select coalesce(sum(balance), 0)::bigint as balance, coalesce(sum(held), 0)::bigint as held
            from wallets where customer_id = ${customerId}) w
          where c.id = ${customerId}`)
        return row === undefined
          ? yield* Effect.die(`no customer ${customerId}`)
          : { ...row, monthEndsAt: end }
      })
    })
  })
)
