import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { RetentionPass } from "../../domain/Retention.ts"
import type { RetentionBatch } from "../../services/retention/Retention.ts"
import { rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { type CustomerStart, type CustomerStep, customerWalk } from "./CustomerWalk.ts"
import { lapsed, lapsedRows, type WalkedTable } from "./LapsedRowsSql.ts"

/** Read by one statement. */
const ROWS = 5000

/** Distributed by customer: the rest of each key. */
const keys = {
  idempotency_keys: ["operation", "key"],
  phone_counters: ["kind", "phone"],
  monthly_counters: ["month"],
  request_blocks: ["id"]
} as const
type OwnedTable = keyof typeof keys
const types: Readonly<Record<string, string>> = { month: "date", id: "uuid" }

const isOwned = (table: WalkedTable): table is OwnedTable => table in keys

const Key = Schema.Array(Schema.String)
const KeyText = Schema.fromJsonString(Key)
const decodeKey = Schema.decodeUnknownSync(KeyText)
const encodeKey = Schema.encodeSync(KeyText)

const StepRow = Schema.Struct({ gone: Schema.Int, found: Schema.Int, last: Schema.NullOr(Key) })
const PhoneRow = Schema.Struct({ phone: Schema.String, hasLapsed: Schema.Boolean })

/**
 * The same as `lapsedRows`, where tables are distributed. Those are read in the order of their keys: the places on the
 * disk are those of one node.
 */
export const distributedLapsedRows = (sql: SqlClient.SqlClient) => {
  const stepRows = rowsOf(StepRow)
  const phoneRows = rowsOf(PhoneRow)
  const walk = customerWalk(sql, ROWS)
  const ofCoordinator = lapsedRows(sql)

  const workOn = Effect.fnUntraced(function* (
    table: OwnedTable,
    { until }: RetentionPass,
    customerId: number,
    { after, limit }: CustomerStart
  ) {
    const columns = keys[table]
    const key = columns.map((name) => `t.${name}`).join(", ")
    const isInPage = columns
      .map((name) => `t.${name} = any(array(select ${name} from page where has_lapsed))`)
      .join(" and ")
    const start = columns.map((name, index) => `$${index + 3}::${types[name] ?? "text"}`).join(", ")
    const [row] = yield* stepRows(
      sql.unsafe(
        `with page as materialized (
          select ${key}, array[${columns.map((name) => `t.${name}::text`).join(", ")}] as place, ${lapsed[table]} as has_lapsed
          from ${table} t where t.customer_id = $2 ${after === null ? "" : `and (${key}) > (${start})`}
          order by ${key} limit ${limit}),
        gone as (
          delete from ${table} t
          where t.customer_id = $2 and ${isInPage} and ${lapsed[table]} returning true)
        select (select count(*)::int from gone) as gone, (select count(*)::int from page) as found,
          (select place from page order by place desc limit 1) as last`,
        [timestamp(until), customerId, ...(after === null ? [] : decodeKey(after))]
      )
    )
    if (row === undefined) return yield* Effect.die("a walk returned no row")
    const { gone, found, last } = row
    const step: CustomerStep = { gone, found, after: found < limit || last === null ? null : encodeKey(last) }
    return step
  })

  const phones = Effect.fnUntraced(function* ({ until, position }: RetentionPass) {
    const condition = lapsed.platform_phone_counters
    const page = yield* phoneRows(
      sql.unsafe(
        `select t.phone, ${condition} as "hasLapsed" from platform_phone_counters t
        where t.phone > $2 order by t.phone limit ${ROWS}`,
        [timestamp(until), position.after ?? ""]
      )
    )
    const over = page.filter(({ hasLapsed }) => hasLapsed).map(({ phone }) => phone)
    if (over.length > 0) {
      yield* Effect.orDie(
        sql.unsafe(`delete from platform_phone_counters t where t.phone = any($2) and ${condition}`, [
          timestamp(until),
          over
        ])
      )
    }
    const last = page.length < ROWS ? undefined : page.at(-1)
    const batch: RetentionBatch = {
      gone: over.length,
      next: last === undefined ? null : { at: 0, after: last.phone }
    }
    return batch
  })

  return (table: WalkedTable, pass: RetentionPass) => {
    if (table === "platform_phone_counters") return phones(pass)
    return isOwned(table)
      ? walk(pass.position, (customerId, start) => workOn(table, pass, customerId, start))
      : ofCoordinator(table, pass)
  }
}
