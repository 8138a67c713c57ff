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
 * The tables that a cell on another node has in addition to those of sends. Citus sends a whole statement to the cell's
 * node only if it reads a table of the cell. A batch is an array and no table, so statements read the one row of `here`.
 * The other two tables are for customers that move to another cell (`customer_moves` and `moved_rows` of the store).
 */
export const TABLES_APART = ["here", "moving_customers", "noted_rows"] as const

const APART = [
  "create table here (only_row boolean primary key default true check (only_row))",
  "insert into here values (true)",
  "create table moving_customers (customer_id int primary key, has_left boolean not null default false)",
  `create table noted_rows (id uuid primary key, customer_id int not null, table_name text not null, key jsonb not null)`,
  "create index noted_rows_by_customer on noted_rows (customer_id)",
  // Whether the last send to the phone added its customer to the callers.
  `alter table ${PLATFORM_COUNTERS} add column adds_caller boolean not null default true`
]

/**
 * As `note_moved_row` of the store, but on the cell's node. The arguments are the customer, the shards of both tables
 * above, and the table with the columns of its primary key.
 */
const noteApart = (schema: string): string => `
  create function ${schema}.note_moved_row() returns trigger language plpgsql as $$
  declare
    changed jsonb := to_jsonb(coalesce(new, old));
    has_left boolean;
  begin
    if current_setting('peyk.moving', true) is distinct from tg_argv[0] then
      perform pg_advisory_xact_lock_shared(28, tg_argv[0]::int);
      execute format('select has_left from %I.%I where customer_id = $1', tg_table_schema, tg_argv[1])
        into has_left using tg_argv[0]::int;
      if has_left is distinct from false then
        if tg_argv[3] = 'timers' and tg_op = 'UPDATE' then
          if new.lease_token is not null and new.lease_token is distinct from old.lease_token then return null; end if;
        end if;
        raise exception 'this customer was moved to another cell' using errcode = 'serialization_failure';
      end if;
      if tg_argv[3] <> 'timers' then
        execute format('insert into %I.%I (id, customer_id, table_name, key) values ($1, $2, $3, $4)',
          tg_table_schema, tg_argv[2]) using gen_random_uuid(), tg_argv[0]::int, tg_argv[3],
          (select jsonb_agg(changed ->> k order by n) from unnest(tg_argv[4:]) with ordinality as keys (k, n));
      end if;
    end if;
    return coalesce(new, old);
  end $$`

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
  const statements = areApart ? [...own.filter((statement) => !isRefusedByCitus(statement)), ...APART] : own
  const run = (statement: string) => sql.unsafe(statement).unprepared
  if (isDistributed) yield* run("set local citus.enable_schema_based_sharding = on")
  yield* run(`create schema ${quotedName(name)}`)
  const [path] = yield* rowsOf(Schema.Struct({ path: Schema.String }))(
    sql`select current_setting('search_path') as path`
  )
  yield* run(`set local search_path = ${quotedName(name)}`)
  yield* Effect.forEach(statements, run, { discard: true })
  if (areApart) yield* run(noteApart(quotedName(name)))
  yield* sql`select set_config('search_path', ${path?.path ?? "public"}, true)`
})

/** Drops what was made of a cell; fails if another program has something in its schema. */
export const dropCell = Effect.fnUntraced(function* (name: string) {
  const sql = yield* SqlClient.SqlClient
  const tables = [...tablesInCells(true), ...TABLES_APART].map(
    (table) => `${quotedName(name)}.${quotedName(table)}`
  )
  yield* sql.unsafe(`drop table if exists ${tables.join(", ")}`).unprepared
  yield* sql.unsafe(`drop function if exists ${quotedName(name)}.note_moved_row`).unprepared
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
