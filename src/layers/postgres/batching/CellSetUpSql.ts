import type { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { PLATFORM } from "../../../domain/customer/Customer.ts"
import type { KnownSetUp } from "../../../services/verification/VerificationStore.ts"
import { inStore } from "../SetUpPlace.ts"
import { currentSetUp, setUpColumns, SetUpFields } from "../SetUpCache.ts"
import { type BatchColumn, decodedAs } from "../SqlRows.ts"
import { cellStatement, sent } from "./CellStatements.ts"

interface Checked {
  readonly customerId: number
  readonly setUpVersion: KnownSetUp
}

const columns: ReadonlyArray<BatchColumn<Checked>> = [
  { name: "customer_id", type: "int4", of: ({ customerId }) => customerId },
  { name: "set_up", type: "int4", of: ({ setUpVersion }) => setUpVersion }
]

const changed = cellStatement(
  columns,
  (rows) => `select r.nth from ${rows} ${currentSetUp.join} where not ${currentSetUp.condition}`
)
const changedRows = decodedAs(Schema.Array(Schema.Struct({ nth: Schema.Int })))

/**
 * For a cell on another node: the set-up is on the coordinator, so it is compared by a statement of its own. Returns the
 * requests whose set-up has changed, from 1 on.
 */
export const changedSetUps = (
  sql: SqlClient.SqlClient,
  requests: ReadonlyArray<Checked>
): Effect.Effect<ReadonlySet<number>, SqlError.SqlError> =>
  requests.every(({ setUpVersion }) => setUpVersion === null)
    ? Effect.succeed(new Set())
    : Effect.map(
        changedRows(inStore(sql, sent(changed, requests)(sql))),
        (rows) => new Set(rows.map(({ nth }) => nth))
      )

const SET_UP_TABLES = {
  set_up_versions: {
    columns: "customer_id int, version int",
    read: `select coalesce(jsonb_agg(jsonb_build_object('customer_id', customer_id, 'version', version)), '[]')::text as rows
      from set_up_versions where customer_id = any($1::int[]) or customer_id = ${PLATFORM}`
  },
  webhook_endpoints: {
    columns: "customer_id int, id int, lane smallint, mode text, events text[], disabled_at timestamptz",
    read: `select coalesce(jsonb_agg(jsonb_build_object('customer_id', customer_id, 'id', id, 'lane', lane, 'mode', mode,
        'events', events)), '[]')::text as rows
      from webhook_endpoints where customer_id = any($1::int[]) and disabled_at is null`
  }
} as const
const TABLES = ["set_up_versions", "webhook_endpoints"] as const
const setUpRows = decodedAs(Schema.Tuple([Schema.Struct({ rows: Schema.String })]))

/** With the set-up's tables as parts of the statement, whose rows are parameters after its own. */
const withTables = (text: string, count: number) => {
  const tables = TABLES.filter((table) => text.includes(table))
  const parts = tables.map(
    (table, index) =>
      `${table} as materialized (select * from jsonb_to_recordset($${count + 1 + index}::jsonb)
        as r (${SET_UP_TABLES[table].columns}))`
  )
  return { tables, text: parts.length === 0 ? text : text.replace(/\bwith\b/, `with ${parts.join(", ")},`) }
}
const statementsWithTables = new Map<string, ReturnType<typeof withTables>>()

/**
 * A statement of one PostgreSQL, which begins with `with`, on the node of a cell: the tables of the set-up that it joins
 * are on the coordinator, so they are read there right before.
 */
export const sentToNode = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  text: string,
  parameters: ReadonlyArray<PgTypes.Parameter | Date>,
  customerIds: ReadonlyArray<number>
) {
  const statement = statementsWithTables.get(text) ?? withTables(text, parameters.length)
  statementsWithTables.set(text, statement)
  const customers = [...new Set(customerIds)]
  const read = yield* Effect.forEach(
    statement.tables,
    (table) => setUpRows(inStore(sql, sql.unsafe(SET_UP_TABLES[table].read, [customers]))),
    { concurrency: "unbounded" }
  )
  return yield* sql.unsafe(statement.text, [...parameters, ...read.map(([{ rows }]) => rows)])
})

const current = cellStatement<{ readonly customerId: number }>(
  [{ name: "customer_id", type: "int4", of: ({ customerId }) => customerId }],
  (rows) => `select r.customer_id as "customerId", ${setUpColumns("r.customer_id")} from ${rows}`
)
const currentRows = decodedAs(Schema.Array(Schema.Struct({ customerId: Schema.Int, ...SetUpFields })))

/** The versions of these customers' set-ups. */
export const currentSetUps = (sql: SqlClient.SqlClient, customerIds: ReadonlyArray<number>) =>
  currentRows(
    inStore(
      sql,
      sent(
        current,
        [...new Set(customerIds)].map((customerId) => ({ customerId }))
      )(sql)
    )
  )
