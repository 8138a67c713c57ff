import { Clock, Effect, Schedule, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { formatInstant } from "../../../domain/Instant.ts"
import { StartupError } from "../../system/StartupError.ts"
import { createdBySchema } from "../migrations/0001_schema.ts"
import { appliedMigration, checkHistory, hasMigrations } from "../Migrations.ts"
import { decodedAs, rowsOf } from "../SqlRows.ts"
import { sessionSettings } from "../StoreSettings.ts"
import {
  BACKUP_FORMAT,
  type BackupHeader,
  type BackupTrailer,
  nameOf,
  type TableLine
} from "./BackupFormat.ts"
import type { BackupWriter } from "./BackupFile.ts"

const ROWS_AT_ONCE = 500

const TableRow = Schema.Struct({ table: Schema.String, columns: Schema.Array(Schema.String) })
const CellRow = Schema.Struct({ name: Schema.String })
const LineRow = Schema.Struct({ line: Schema.String })
const CheckRow = Schema.Struct({ check: Schema.String })
const CountRow = Schema.Struct({ count: Schema.Int })
const SequenceRow = Schema.Struct({ name: Schema.String, last: Schema.String })

const tablesIn = Effect.fnUntraced(function* (cell: string | null) {
  const sql = yield* SqlClient.SqlClient
  return yield* rowsOf(TableRow)(sql`
    select c.relname as table, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c join pg_namespace n on n.oid = c.relnamespace join pg_attribute a on a.attrelid = c.oid
    where n.nspname = coalesce(${cell}::text, current_schema()) and c.relname = any(${createdBySchema("table")}::text[])
      and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    group by c.relname order by c.relname`)
})

/** Every table of the schema except the list of migrations, with the columns that are not computed. */
export const storedTables = tablesIn(null)

/** The names of the cells' schemas. */
export const cellsInside = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(rowsOf(CellRow)(sql`select name from cells order by id`), (cells) =>
    cells.map(({ name }) => name)
  )
)

const tablesOfCells = Effect.flatMap(cellsInside, (cells) =>
  Effect.forEach(cells, (cell) =>
    Effect.map(tablesIn(cell), (tables) => tables.map((table): TableLine => ({ cell, ...table })))
  )
)

const writeTable = Effect.fnUntraced(function* (line: TableLine, writer: BackupWriter) {
  const sql = yield* SqlClient.SqlClient
  const lineRows = rowsOf(LineRow)
  const texts = line.columns.map((column) => `${quoted(column)}::text`).join(", ")
  yield* writer.write([JSON.stringify(line)])
  yield* sql.unsafe(
    `declare peyk_backup no scroll cursor for select json_build_array(${texts})::text as line from ${placeOf(line)}`
  )
  let count = 0
  while (true) {
    const rows = yield* lineRows(sql.unsafe(`fetch ${ROWS_AT_ONCE} from peyk_backup`))
    if (rows.length === 0) break
    // JSON escapes line breaks: one row is one line
    yield* writer.write(rows.map(({ line }) => line))
    count += rows.length
  }
  yield* sql.unsafe("close peyk_backup")
  return count
})

export const quoted = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** A table in a statement. */
export const placeOf = ({ cell, table }: Pick<TableLine, "cell" | "table">): string =>
  cell === undefined ? quoted(table) : `${quoted(cell)}.${quoted(table)}`

const countRows = Effect.fnUntraced(function* (tables: ReadonlyArray<TableLine>) {
  const sql = yield* SqlClient.SqlClient
  const counts: Record<string, number> = {}
  for (const table of tables) {
    const [row] = yield* rowsOf(CountRow)(sql.unsafe(`select count(*)::int as count from ${placeOf(table)}`))
    counts[nameOf(table)] = row?.count ?? 0
  }
  return counts
})

const headerOf = Effect.fnUntraced(function* (tables: ReadonlyArray<TableLine>, final: boolean) {
  const sql = yield* SqlClient.SqlClient
  const [installation] = yield* rowsOf(CheckRow)(
    sql`select encode(secret_check, 'hex') as check from installation`
  )
  return {
    format: BACKUP_FORMAT,
    migration: yield* Effect.orDie(appliedMigration),
    made_at: formatInstant(yield* Clock.currentTimeMillis),
    final,
    secret_check: installation?.check ?? null,
    rows: yield* countRows(tables)
  } satisfies BackupHeader
})

/** Sequences only grow, and are read last: no row of the snapshot is beyond them. */
const sequences = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* rowsOf(SequenceRow)(sql`
    select s.relname as name, p.last_value::text as last
    from pg_sequences p join pg_class s on s.relname = p.sequencename and s.relnamespace = current_schema()::regnamespace
      join pg_depend d on d.objid = s.oid and d.refclassid = 'pg_class'::regclass and d.deptype in ('a', 'i')
    where p.schemaname = current_schema() and p.last_value is not null
      and (select relname from pg_class where oid = d.refobjid) = any(${createdBySchema("table")}::text[])`)
  return Object.fromEntries(rows.map(({ name, last }) => [name, last]))
})

/** The connections of a process that has just ended are gone by then. */
const CHECKS = 20
const CHECK_PAUSE = "100 millis"

const sessionRows = decodedAs(Schema.Tuple([CountRow]))

/** Fails while a server, or a command, uses the store. Each of their connections has a name that begins so. */
export const requireUnused = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  // a transaction sees the sessions of its first look
  yield* sql`select pg_stat_clear_snapshot()`
  const [{ count }] = yield* sessionRows(sql`
    select count(*)::int as count from pg_stat_activity
    where datname = current_database() and application_name like 'peyk%' and pid <> pg_backend_pid()`)
  if (count === 0) return
  return yield* new StartupError({
    message: `Peyk runs on this store, with ${count} connections: stop every server and command on it, then try again`
  })
}).pipe(
  Effect.retry({
    times: CHECKS,
    schedule: Schedule.spaced(CHECK_PAUSE),
    while: ({ _tag }) => _tag === "StartupError"
  })
)

const LOCK_MILLIS = 10_000

/**
 * For a transaction that takes long, whatever limits the database or the role have. Another PostgreSQL reads the texts
 * of values, so they must not depend on the settings of this one.
 */
export const setForLong = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const settings = {
    ...sessionSettings,
    statement_timeout: 0,
    idle_in_transaction_session_timeout: 0,
    lock_timeout: LOCK_MILLIS
  }
  for (const [name, value] of Object.entries(settings)) yield* sql.unsafe(`set local ${name} = '${value}'`)
})

/** Before the snapshot is taken: nothing is written until the transaction ends. */
const lockTables = Effect.fnUntraced(function* (ofCells: ReadonlyArray<TableLine>) {
  const sql = yield* SqlClient.SqlClient
  const places = [...createdBySchema("table").map(quoted), ...ofCells.map(placeOf)]
  yield* sql.unsafe(`lock table ${places.join(", ")} in share mode`)
})

const requireStoreInside = Effect.gen(function* () {
  if (yield* hasMigrations) return yield* checkHistory
  return yield* new StartupError({ message: "there is no store in it" })
})

/**
 * Writes the whole store as it was at one moment: one snapshot, which neither waits for others nor blocks them.
 * A final backup fails while a server runs, and lets nobody write until it is complete. Run it on its own connection.
 */
export const writeStore = Effect.fnUntraced(function* (writer: BackupWriter, { final = false } = {}) {
  const sql = yield* SqlClient.SqlClient
  const write = Effect.fnUntraced(function* (ofCells: ReadonlyArray<TableLine>) {
    yield* sql`set transaction isolation level repeatable read, read only`
    yield* setForLong
    if (final) yield* lockTables(ofCells)
    const tables = [...(yield* storedTables), ...ofCells]
    const header = yield* headerOf(tables, final)
    yield* writer.write([JSON.stringify(header)])
    const rows: Record<string, number> = {}
    for (const table of tables) rows[nameOf(table)] = yield* writeTable(table, writer)
    const trailer: BackupTrailer = { sequences: yield* sequences, rows }
    yield* writer.write([JSON.stringify(trailer)])
    if (final) yield* requireUnused
    return { migration: header.migration, rows }
  })
  yield* requireStoreInside
  if (final) yield* requireUnused
  const ofCells = (yield* tablesOfCells).flat()
  return yield* sql.withTransaction(write(ofCells))
})
