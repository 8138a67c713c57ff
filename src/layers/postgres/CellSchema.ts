import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { schemaStatements } from "./migrations/0001_schema.ts"
import { quotedName } from "./CellsSql.ts"
import { rowsOf } from "./SqlRows.ts"

/** The tables that each cell has for itself: all that sends write to, except what is counted for all customers together. */
export const CELL_TABLES = [
  "verifications",
  "messages",
  "timers",
  "events",
  "webhook_deliveries",
  "idempotency_keys",
  "phone_counters",
  "monthly_counters",
  "wallets",
  "ledger",
  "ledger_days",
  "request_blocks",
  "activity_slots",
  "code_sums"
] as const

/**
 * What a cell on another node has too: the platform's counters of a part of all phones, whichever customers send to them.
 */
export const PLATFORM_COUNTERS = "platform_phone_counters"

/** The tables that retention finds in each cell. */
export const tablesInCells = (areApart: boolean): ReadonlyArray<string> =>
  areApart ? [...CELL_TABLES, PLATFORM_COUNTERS] : CELL_TABLES

/** The name of the table that a statement of the schema is about. */
const ABOUT = /^create table (\w+)|^create (?:unique )?index \w+ on (\w+)|^alter table (\w+)/

const isAbout =
  (tables: ReadonlyArray<string>) =>
  (statement: string): boolean => {
    const [, ...names] = ABOUT.exec(statement) ?? []
    return tables.some((table) => names.includes(table))
  }

const HasCitus = Schema.Struct({ hasCitus: Schema.Boolean })

/** Whether the database is a coordinator of Citus with schemas of its own on each node. */
export const hasCitus = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* rowsOf(HasCitus)(sql`select to_regclass('pg_dist_schema') is not null as "hasCitus"`)
  return row?.hasCitus === true
})

/**
 * A row to select from: Citus sends a statement whole to the cell's node if it reads a table of the cell, and a batch is
 * not one.
 */
const HERE = [
  "create table here (only_row boolean primary key default true check (only_row))",
  "insert into here values (true)",
  // Whether the last send to the phone added its customer to the callers.
  `alter table ${PLATFORM_COUNTERS} add column adds_caller boolean not null default true`
]

/** How a value is stored is set on each node by hand there; it decides about some space only. */
const isRefusedByCitus = (statement: string): boolean => statement.includes(" set storage ")

/**
 * Makes the schema of a cell, and its tables. In a Citus cluster all of them are on one node.
 *
 * @param isApart whether it gets what a cell on another node has; by default in a Citus cluster
 */
export const createTablesOfCell = Effect.fnUntraced(function* (name: string, isApart?: boolean) {
  const sql = yield* SqlClient.SqlClient
  const isDistributed = yield* hasCitus
  const areApart = isApart ?? isDistributed
  const own = schemaStatements().filter(isAbout(tablesInCells(areApart)))
  const statements = areApart ? [...own.filter((statement) => !isRefusedByCitus(statement)), ...HERE] : own
  const run = (statement: string) => sql.unsafe(statement).unprepared
  if (isDistributed) yield* run("set local citus.enable_schema_based_sharding = on")
  yield* run(`create schema ${quotedName(name)}`)
  const [path] = yield* rowsOf(Schema.Struct({ path: Schema.String }))(
    sql`select current_setting('search_path') as path`
  )
  yield* run(`set local search_path = ${quotedName(name)}`)
  yield* Effect.forEach(statements, run, { discard: true })
  yield* sql`select set_config('search_path', ${path?.path ?? "public"}, true)`
})

/** Drops what was made of a cell; fails if another program has something in its schema. */
export const dropCell = Effect.fnUntraced(function* (name: string) {
  const sql = yield* SqlClient.SqlClient
  const tables = [...tablesInCells(true), "here"].map((table) => `${quotedName(name)}.${quotedName(table)}`)
  yield* sql.unsafe(`drop table if exists ${tables.join(", ")}`).unprepared
  yield* sql.unsafe(`drop schema if exists ${quotedName(name)}`).unprepared
})

/**
 * Makes a cell without customers, of tables like those of the store. Its number is the next one. Processes that run
 * already learn of it within seconds, unless it is the first.
 */
export const createCell = Effect.fnUntraced(function* (id: number, name: string, isApart?: boolean) {
  const sql = yield* SqlClient.SqlClient
  yield* sql.withTransaction(
    Effect.andThen(
      sql`insert into cells (id, name) values (${id}, ${name})`,
      createTablesOfCell(name, isApart)
    )
  )
})
