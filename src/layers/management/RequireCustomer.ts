import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { ManagementError } from "../../services/resources/Management.ts"
import { rowsOf } from "../postgres/SqlRows.ts"

const IdRow = Schema.Struct({ id: Schema.Int })

export const noCustomer = (customerId: number) =>
  new ManagementError({ message: `there is no customer ${customerId}` })

const requireRow = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  customerId: number,
  lock: "" | "for update"
) {
  const rows = yield* rowsOf(IdRow)(
    sql`select id from customers where id = ${customerId} ${sql.literal(lock)}`
  )
  if (rows.length === 0) return yield* noCustomer(customerId)
})

/** Fails if there is no such customer. Customers are never deleted, so later statements can rely on it. */
export const requireCustomer = (sql: SqlClient.SqlClient, customerId: number) =>
  requireRow(sql, customerId, "")

/** The same, and locks the customer's row until the transaction ends: changes of its set-up wait for each other. */
export const lockCustomer = (sql: SqlClient.SqlClient, customerId: number) =>
  requireRow(sql, customerId, "for update")
