import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { idAt } from "../../domain/Paging.ts"
import type { RetentionPass } from "../../domain/Retention.ts"
import { rowsOf } from "../postgres/SqlRows.ts"
import { byPlace, RECORD_ROWS, type RecordTask, recordWork } from "./RecordWorkSql.ts"
import type { RetentionBatch } from "../../services/Retention.ts"

/** How many customers' records one batch reads. */
const CUSTOMERS = 1000

const BatchRow = Schema.Struct({
  gone: Schema.Int,
  found: Schema.Int,
  lastCustomer: Schema.NullOr(Schema.Int),
  lastId: Schema.NullOr(Schema.String),
  customers: Schema.Int,
  lastOfPage: Schema.NullOr(Schema.Int)
})
type BatchRow = typeof BatchRow.Type
const CustomerRow = Schema.Struct({ id: Schema.Int })

const nextOf = ({ found, lastCustomer, lastId, customers, lastOfPage }: BatchRow): RetentionBatch["next"] => {
  if (found >= RECORD_ROWS && lastCustomer !== null) return { at: lastCustomer, after: lastId }
  return customers >= CUSTOMERS && lastOfPage !== null ? { at: lastOfPage + 1, after: null } : null
}

/**
 * Finds old records by their ids, which show time: customer by customer, by the primary key, from where the previous
 * batch ended, so that its dead rows are not read again. The commit is not awaited: a row that a crash brings back is
 * deleted later.
 */
export const oldRecords = (sql: SqlClient.SqlClient, areApart: boolean) => {
  const batchRows = rowsOf(BatchRow)
  const customerRows = rowsOf(CustomerRow)
  const customersFrom = (at: number) =>
    sql`select id from customers where id >= ${at}::int order by id limit ${CUSTOMERS}`
  /** Where the set-up is apart, customers are with it: two statements. */
  const pageFrom = (at: number) =>
    areApart
      ? Effect.map(
          customerRows(customersFrom(at)),
          (page) => sql`select id from unnest(${page.map(({ id }) => id)}::int[]) as c (id)`
        )
      : Effect.succeed(customersFrom(at))
  // Citus sends a statement whole if nothing in it is volatile.
  const quick = areApart
    ? sql`select 'on'::text as commit`
    : sql`select set_config('synchronous_commit', 'off', true) as commit`
  const rows = byPlace(sql)
  return Effect.fnUntraced(function* (task: RecordTask, pass: RetentionPass) {
    const { from, until, position } = pass
    const { table, condition, lock, parts } = recordWork(sql, rows, task, pass)
    const firstId = idAt(from)
    const page = yield* pageFrom(position.at)
    const [row] = yield* batchRows(sql`
      with quick as materialized (${quick}),
      page as materialized (
        ${page}),
      old as materialized (
        select r.customer_id, r.id, r.place from page c, lateral (
          select r.customer_id, r.id, r.ctid as place from ${sql(table)} r
          where r.customer_id = c.id and r.id < ${idAt(until)}::uuid
            and r.id > case when c.id = ${position.at}::int then ${position.after ?? firstId}::uuid
              else ${firstId}::uuid end
            and ${condition}
          order by r.id limit ${RECORD_ROWS} ${lock}) r
        limit ${RECORD_ROWS}),
      last as (select customer_id, id from old order by customer_id desc, id desc limit 1),
      ${parts}
      select (select count(*)::int from gone) as gone, (select commit from quick),
        (select count(*)::int from old) as found,
        (select customer_id from last) as "lastCustomer", (select id from last) as "lastId",
        (select count(*)::int from page) as customers, (select max(id) from page) as "lastOfPage"`)
    if (row === undefined) return yield* Effect.die("a batch returned no row")
    return { gone: row.gone, next: nextOf(row) }
  })
}
