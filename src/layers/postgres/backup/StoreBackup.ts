import { Clock, Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { formatInstant } from "../../../domain/Instant.ts"
import { appliedMigration, checkHistory, MIGRATIONS_TABLE } from "../Migrations.ts"
import { rowsOf } from "../SqlRows.ts"
import { BACKUP_FORMAT, type BackupHeader, type BackupTrailer, type TableLine } from "./BackupFormat.ts"
import type { BackupWriter } from "./BackupFile.ts"

const ROWS_AT_ONCE = 500

const TableRow = Schema.Struct({ table: Schema.String, columns: Schema.Array(Schema.String) })
const LineRow = Schema.Struct({ line: Schema.String })
const CheckRow = Schema.Struct({ check: Schema.String })
const CountRow = Schema.Struct({ count: Schema.Int })
const SequenceRow = Schema.Struct({ name: Schema.String, last: Schema.String })

/** Every table of the schema except the list of migrations, with the columns that are not computed. */
export const storedTables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* rowsOf(TableRow)(sql`
    select c.relname as table, array_agg(a.attname::text order by a.attnum) as columns
    from pg_class c join pg_attribute a on a.attrelid = c.oid
    where c.relnamespace = current_schema()::regnamespace and c.relkind = 'r' and c.relname <> ${MIGRATIONS_TABLE}
      and a.attnum > 0 and not a.attisdropped and a.attgenerated = ''
    group by c.relname order by c.relname`)
})

const writeTable = Effect.fnUntraced(function* ({ table, columns }: TableLine, writer: BackupWriter) {
  const sql = yield* SqlClient.SqlClient
  const lineRows = rowsOf(LineRow)
  const texts = columns.map((column) => `${quoted(column)}::text`).join(", ")
  yield* writer.write([JSON.stringify({ table, columns } satisfies TableLine)])
  yield* sql.unsafe(
    `declare peyk_backup no scroll cursor for select json_build_array(${texts})::text as line from ${quoted(table)}`
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

const countRows = Effect.fnUntraced(function* (tables: ReadonlyArray<TableLine>) {
  const sql = yield* SqlClient.SqlClient
  const counts: Record<string, number> = {}
  for (const { table } of tables) {
    const [row] = yield* rowsOf(CountRow)(sql.unsafe(`select count(*)::int as count from ${quoted(table)}`))
    counts[table] = row?.count ?? 0
  }
  return counts
})

const headerOf = Effect.fnUntraced(function* (tables: ReadonlyArray<TableLine>) {
  const sql = yield* SqlClient.SqlClient
  const [installation] = yield* rowsOf(CheckRow)(
    sql`select encode(secret_check, 'hex') as check from installation`
  )
  return {
    format: BACKUP_FORMAT,
    migration: yield* Effect.orDie(appliedMigration),
    made_at: formatInstant(yield* Clock.currentTimeMillis),
    secret_check: installation?.check ?? null,
    rows: yield* countRows(tables)
  } satisfies BackupHeader
})

/** Sequences only grow, and are read last: no row of the snapshot is beyond them. */
const sequences = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* rowsOf(SequenceRow)(sql`
    select sequencename as name, last_value::text as last from pg_sequences
    where schemaname = current_schema() and last_value is not null`)
  return Object.fromEntries(rows.map(({ name, last }) => [name, last]))
})

/**
 * Writes the whole store as it was at one moment: one snapshot, which neither waits for others nor blocks them.
 * Run it on its own connection.
 */
export const writeStore = Effect.fnUntraced(function* (writer: BackupWriter) {
  const sql = yield* SqlClient.SqlClient
  const write = Effect.gen(function* () {
    yield* sql`set transaction isolation level repeatable read, read only`
    yield* checkHistory
    const tables = yield* storedTables
    const header = yield* headerOf(tables)
    yield* writer.write([JSON.stringify(header)])
    const rows: Record<string, number> = {}
    for (const table of tables) rows[table.table] = yield* writeTable(table, writer)
    const trailer: BackupTrailer = { sequences: yield* sequences, rows }
    yield* writer.write([JSON.stringify(trailer)])
    return { migration: header.migration, rows }
  })
  return yield* sql.withTransaction(write)
})
