import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { RetentionPass } from "../../domain/Retention.ts"
import { idAt } from "../../domain/Paging.ts"
import { rowsOf } from "../postgres/SqlRows.ts"
import { type CustomerStart, type CustomerStep, customerWalk } from "./CustomerWalk.ts"
import { byKey, RECORD_ROWS, type RecordTask, recordWork } from "./RecordWorkSql.ts"

const StepRow = Schema.Struct({ gone: Schema.Int, found: Schema.Int, lastId: Schema.NullOr(Schema.String) })

/** Old records of tables that are distributed by customer: the statement of one node, about one customer at a time. */
export const distributedRecords = (sql: SqlClient.SqlClient) => {
  const stepRows = rowsOf(StepRow)
  const walk = customerWalk(sql, RECORD_ROWS)

  const workOn = Effect.fnUntraced(function* (
    task: RecordTask,
    pass: RetentionPass,
    customerId: number,
    { after, limit }: CustomerStart
  ) {
    const { table, condition, lock, parts } = recordWork(sql, byKey(sql, customerId), task, pass)
    const [row] = yield* stepRows(sql`
      with old as materialized (
        select r.customer_id, r.id from ${sql(table)} r
        where r.customer_id = ${customerId}::int and r.id < ${idAt(pass.until)}::uuid
          and r.id > ${after ?? idAt(pass.from)}::uuid and ${condition}
        order by r.id limit ${limit} ${lock}),
      ${parts}
      select (select count(*)::int from gone) as gone, (select count(*)::int from old) as found,
        (select id from old order by id desc limit 1) as "lastId"`)
    if (row === undefined) return yield* Effect.die("a batch returned no row")
    const { gone, found, lastId } = row
    const step: CustomerStep = { gone, found, after: found < limit ? null : lastId }
    return step
  })

  return (task: RecordTask, pass: RetentionPass) =>
    walk(pass.position, (customerId, start) => workOn(task, pass, customerId, start))
}
