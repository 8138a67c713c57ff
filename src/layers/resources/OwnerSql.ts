import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { NotFound } from "../../domain/Errors.ts"
import { rowsOf } from "../postgres/SqlRows.ts"

const OwnerRow = Schema.Struct({ customerId: Schema.Int })

/** Finds the customer of a row by the row's id. */
export const ownerIn = (sql: SqlClient.SqlClient, table: "api_keys" | "personal_tokens" | "templates") => {
  const ownerRows = rowsOf(OwnerRow)
  return Effect.fnUntraced(function* (id: number) {
    const [row] = yield* ownerRows(
      sql`select customer_id as "customerId" from ${sql(table)} where id = ${id}`
    )
    return row === undefined ? yield* new NotFound() : row.customerId
  })
}

/** Locks the customer's row until the transaction ends: changes of its set-up wait for each other. */
export const lockCustomer = (sql: SqlClient.SqlClient, customerId: number) =>
  Effect.orDie(sql`select from customers where id = ${customerId} for update`)
