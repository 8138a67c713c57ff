import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { RialsColumn, rowsOf } from "../postgres/SqlRows.ts"
import { Budget, Budgets } from "../../services/Budgets.ts"

const BudgetRow = Schema.Struct({ ...Budget.fields, amount: RialsColumn })

export const BudgetsSql = Layer.effect(
  Budgets,
  Effect.map(SqlClient.SqlClient, (sql) => {
    const budgetRows = rowsOf(BudgetRow)
    return Budgets.of({
      find: (customerId) =>
        Effect.map(
          budgetRows(sql`select amount, calendar from budgets where customer_id = ${customerId}`),
          ([row]) => row ?? null
        ),

      save: (customerId, budget) =>
        Effect.orDie(
          budget === null
            ? sql`delete from budgets where customer_id = ${customerId}`
            : sql`
              insert into budgets (customer_id, amount, calendar)
              values (${customerId}, ${budget.amount}::bigint, ${budget.calendar})
              on conflict (customer_id) do update set amount = excluded.amount, calendar = excluded.calendar`
        )
    })
  })
)
