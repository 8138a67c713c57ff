import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { RetentionPosition } from "../../domain/Retention.ts"
import type { RetentionBatch } from "../../services/Retention.ts"
import { rowsOf } from "../postgres/SqlRows.ts"

const CUSTOMERS = 100

/** Where the work on a customer begins, and how many rows it may read. */
export interface CustomerStart {
  readonly after: string | null
  readonly limit: number
}

/** The outcome of one statement about one customer. */
export interface CustomerStep {
  readonly gone: number
  /** Rows read. */
  readonly found: number
  /** Where this customer's rows go on; null after the last. */
  readonly after: string | null
}

const IdRow = Schema.Struct({ id: Schema.Int })

/**
 * Works on one customer after the other, until a batch is full. Citus runs a statement about one customer on one node, and
 * can lock rows there.
 */
export const customerWalk = (sql: SqlClient.SqlClient, rowsOfBatch: number) => {
  const idRows = rowsOf(IdRow)
  return Effect.fnUntraced(function* (
    position: RetentionPosition,
    workOn: (customerId: number, start: CustomerStart) => Effect.Effect<CustomerStep>
  ) {
    const customers = yield* idRows(
      sql`select id from customers where id >= ${position.at} order by id limit ${CUSTOMERS}`
    )
    let gone = 0
    let found = 0
    for (const { id } of customers) {
      const step = yield* workOn(id, {
        after: id === position.at ? position.after : null,
        limit: rowsOfBatch - found
      })
      gone += step.gone
      found += step.found
      const next = step.after === null ? { at: id + 1, after: null } : { at: id, after: step.after }
      if (step.after !== null || found >= rowsOfBatch) return { gone, next } satisfies RetentionBatch
    }
    const last = customers.length < CUSTOMERS ? undefined : customers.at(-1)
    const batch: RetentionBatch = { gone, next: last === undefined ? null : { at: last.id + 1, after: null } }
    return batch
  })
}
