import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import type { Calendar } from "../../domain/Calendar.ts"
import { RialsColumn, rowsOf } from "../postgres/SqlRows.ts"
import { Budget, Budgets, DEFAULT_CALENDAR } from "../../services/Budgets.ts"

const BudgetRow = Schema.Struct({ ...Budget.fields, amount: RialsColumn })

export const BudgetsSql = Layer.effect(
  Budgets,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const budgetRows = rowsOf(BudgetRow)
    /** Returns what is set afterwards. */
    const saving = (customerId: number, amount: number | null | undefined, calendar: Calendar | null) => {
      if (amount === null)
        return sql`
          with gone as (delete from budgets where customer_id = ${customerId})
          select amount, calendar from budgets where false`
      return amount === undefined
        ? sql`
          update budgets set calendar = coalesce(${calendar}::text, calendar) where customer_id = ${customerId}
          returning amount, calendar`
        : sql`
          insert into budgets as b (customer_id, amount, calendar)
          values (${customerId}, ${amount}::bigint, coalesce(${calendar}::text, ${DEFAULT_CALENDAR}))
          on conflict (customer_id) do update
          set amount = excluded.amount, calendar = coalesce(${calendar}::text, b.calendar)
          returning amount, calendar`
    }
    return Budgets.of({
      find: (customerId) =>
        Effect.map(
          budgetRows(sql`select amount, calendar from budgets where customer_id = ${customerId}`),
          ([row]) => row ?? null
        ),

      save: (customerId, { amount, calendar = null }) =>
        Effect.map(budgetRows(saving(customerId, amount, calendar)), ([row]) => row ?? null)
    })
  })
)
