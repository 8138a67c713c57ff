import type { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { PLATFORM } from "../../../domain/customer/Customer.ts"
import type { KnownSetUp } from "../../../services/verification/VerificationStore.ts"
import { inStore, isAtRows, SetUpIsApart } from "../SetUpPlace.ts"
import { currentSetUp, setUpColumns, SetUpFields } from "../SetUpCache.ts"
import { type BatchColumn, decodedAs, sentAlone } from "../SqlRows.ts"
import { rowStatement, sent } from "./RowStatements.ts"

interface Checked {
  readonly customerId: number
  readonly setUpVersion: KnownSetUp
}

const columns: ReadonlyArray<BatchColumn<Checked>> = [
  { name: "customer_id", type: "int4", of: ({ customerId }) => customerId },
  { name: "set_up", type: "int4", of: ({ setUpVersion }) => setUpVersion }
]

const changed = rowStatement(
  columns,
  (rows) => `select r.nth from ${rows} ${currentSetUp.join} where not ${currentSetUp.condition}`
)
const changedRows = decodedAs(Schema.Array(Schema.Struct({ nth: Schema.Int })))

/** Compares the set-up by a statement of its own. Returns the requests whose set-up has changed, from 1 on. */
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
 * A statement of one PostgreSQL, which begins with `with`, on the machine of customers' rows: the tables of the set-up that
 * it joins are not there, so they are read right before.
 */
export const sentToRows = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  text: string,
  parameters: ReadonlyArray<PgTypes.Parameter | Date>,
  customerIds: () => ReadonlyArray<number>
) {
  const statement = statementsWithTables.get(text) ?? withTables(text, parameters.length)
  statementsWithTables.set(text, statement)
  const customers = [...new Set(customerIds())]
  const read = yield* Effect.forEach(
    statement.tables,
    (table) => setUpRows(inStore(sql, sql.unsafe(SET_UP_TABLES[table].read, [customers]))),
    { concurrency: "unbounded" }
  )
  return yield* sql.unsafe(statement.text, [...parameters, ...read.map(([{ rows }]) => rows)])
})

/** Sends a statement about the rows of these customers, which joins them with the set-up. */
export type Sends = typeof sentToRows

type Runs<Given extends ReadonlyArray<unknown>, Result> = (
  sql: SqlClient.SqlClient,
  ...given: Given
) => Effect.Effect<Result, SqlError.SqlError>

/**
 * Chooses once how a batch is run.
 *
 * @param together in one statement: on one PostgreSQL, and on the machine of customers' rows where that is reached
 * @param apart in statements about customers' rows alone
 */
export const bySetUpPlace = <Given extends ReadonlyArray<unknown>, Result>(
  together: (send: Sends) => Runs<Given, Result>,
  apart: () => Runs<Given, Result>
): Effect.Effect<Runs<Given, Result>> =>
  Effect.map(SetUpIsApart, (isApart) => {
    if (!isApart) return together(sentAlone)
    const [atRows, elsewhere] = [together(sentToRows), apart()]
    return (sql, ...given) =>
      Effect.flatMap(isAtRows(sql), (isReached) => (isReached ? atRows : elsewhere)(sql, ...given))
  })

const current = rowStatement<{ readonly customerId: number }>(
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
