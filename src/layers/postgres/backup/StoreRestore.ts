import { Effect, Option, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { appliedMigration, latestMigration, migrations, migrateTo, migrateWith } from "../Migrations.ts"
import { rowsOf } from "../SqlRows.ts"
import { StartupError } from "../../system/StartupError.ts"
import type { ReadLine } from "./BackupFile.ts"
import { BackupHeader, BackupTrailer, TableLine, UnreleasedHeader } from "./BackupFormat.ts"
import { quoted, storedTables } from "./StoreBackup.ts"

const ROWS_AT_ONCE = 500
/** A statement with more would fill the memory. */
const CHARACTERS_AT_ONCE = 16 * 1024 * 1024
/** After a mistake a file is read so far, for its checksum. */
const CHARACTERS_TO_END = 128 * 1024 * 1024
const FIRST_MIGRATION = 1

const decodeHeader = Schema.decodeUnknownResult(Schema.fromJsonString(BackupHeader))
const decodeUnreleased = Schema.decodeUnknownOption(Schema.fromJsonString(UnreleasedHeader))
const decodeTable = Schema.decodeUnknownResult(Schema.fromJsonString(TableLine))
const decodeTrailer = Schema.decodeUnknownResult(Schema.fromJsonString(BackupTrailer))

const ColumnRow = Schema.Struct({ column: Schema.String, type: Schema.String })

const broken = (what: string) =>
  new StartupError({ message: `the backup is damaged, it is not whole: ${what}` })

/** The file's header, read before anything is done with it. */
export const readHeader = Effect.fnUntraced(function* (readLine: ReadLine) {
  const line = (yield* readLine) ?? ""
  const header = decodeHeader(line)
  if (Result.isFailure(header)) {
    return yield* new StartupError({
      message: Option.isSome(decodeUnreleased(line))
        ? "the backup was made by a development version of Peyk: restore it with that version"
        : "this is no backup that this version of Peyk can read"
    })
  }
  const { migration } = header.success
  if (migration > latestMigration) {
    return yield* new StartupError({
      message: `the backup was made by a newer version of Peyk (schema ${migration}, this one knows ${latestMigration})`
    })
  }
  return header.success
})

/** Whether there is a store, or the remains of one; `restoreStore` checks that again. */
export const isEmptyStore = Effect.map(
  Effect.orElseSucceed(
    Effect.map(appliedMigration, (applied) => applied > 0),
    () => false
  ),
  (exists) => !exists
)

const insertStatement = Effect.fnUntraced(function* ({ table, columns }: TableLine) {
  const sql = yield* SqlClient.SqlClient
  const known = yield* rowsOf(ColumnRow)(sql`
    select attname as column, format_type(atttypid, atttypmod) as type from pg_attribute
    where attrelid = ${quoted(table)}::regclass and attnum > 0 and not attisdropped`)
  const typeOf = new Map(known.map(({ column, type }) => [column, type]))
  const values = columns.map((column, index) => `(l.line ->> ${index})::${typeOf.get(column)}`)
  // offset 0: each line is parsed once, and not once for each of its columns
  return `insert into ${quoted(table)} (${columns.map(quoted).join(", ")}) overriding system value
    select ${values.join(", ")} from (select text::jsonb as line from unnest($1::text[]) text offset 0) l`
})

/** Reads the rows of one table, and returns the line that follows them. */
const loadTable = Effect.fnUntraced(function* (table: TableLine, readLine: ReadLine) {
  const sql = yield* SqlClient.SqlClient
  const statement = yield* insertStatement(table)
  let pending: Array<string> = []
  let characters = 0
  let count = 0
  const flush = Effect.suspend(() => {
    const lines = pending
    pending = []
    characters = 0
    count += lines.length
    return lines.length === 0 ? Effect.void : Effect.asVoid(sql.unsafe(statement, [lines]))
  })
  while (true) {
    const line = yield* readLine
    if (line?.startsWith("[") !== true) {
      yield* flush
      return { line, count }
    }
    pending.push(line)
    characters += line.length
    if (pending.length >= ROWS_AT_ONCE || characters >= CHARACTERS_AT_ONCE) yield* flush
  }
})

const checkCounts = (trailer: BackupTrailer, loaded: ReadonlyMap<string, number>) => {
  const wrong = Object.entries(trailer.rows).find(([table, count]) => loaded.get(table) !== count)
  return wrong === undefined && Object.keys(trailer.rows).length === loaded.size
    ? Effect.void
    : Effect.fail(broken(`the rows of ${wrong?.[0] ?? "a table"} do not add up`))
}

const setSequences = (sequences: BackupTrailer["sequences"]) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.forEach(
      Object.entries(sequences),
      ([name, last]) => sql`select setval(${quoted(name)}::regclass, ${last}::bigint)`,
      { discard: true }
    )
  )

interface ReadTable {
  /** The line after the table's rows. */
  readonly line: string | undefined
  readonly count: number
}

/** Reads all tables to the end of the backup, and handles each. */
const readTables = Effect.fnUntraced(function* <E, R>(
  readLine: ReadLine,
  readTable: (table: TableLine) => Effect.Effect<ReadTable, E, R>
) {
  const found = new Map<string, number>()
  let line = yield* readLine
  while (true) {
    const table = decodeTable(line ?? "")
    if (Result.isFailure(table)) break
    const read = yield* readTable(table.success)
    found.set(table.success.table, read.count)
    line = read.line
  }
  const trailer = decodeTrailer(line ?? "")
  if (Result.isFailure(trailer)) return yield* broken("it ends too early")
  if ((yield* readLine) !== undefined) return yield* broken("something follows its end")
  yield* checkCounts(trailer.success, found)
  return trailer.success
})

const load = Effect.fnUntraced(function* (readLine: ReadLine, tables: ReadonlySet<string>) {
  const { sequences, rows } = yield* readTables(readLine, (table) =>
    // A file can also name PostgreSQL's own tables.
    tables.has(table.table)
      ? loadTable(table, readLine)
      : Effect.fail(broken(`it has a table “${table.table}”`))
  )
  yield* setSequences(sequences)
  return rows
})

/** Stops at the first row that the header does not name. */
const countRows = Effect.fnUntraced(function* (readLine: ReadLine, table: string, announced: number) {
  let count = 0
  while (true) {
    const line = yield* readLine
    if (line?.startsWith("[") !== true) return { line, count }
    count += 1
    if (count > announced) return yield* broken(`“${table}” has more than its ${announced} rows`)
  }
})

const announcedRows = ({ rows }: BackupHeader, table: string): number =>
  Object.hasOwn(rows, table) ? (rows[table] ?? 0) : 0

/** Not of a file that goes on for too long. */
const readToEnd = Effect.fnUntraced(function* (readLine: ReadLine) {
  let characters = 0
  while (characters < CHARACTERS_TO_END) {
    const line = yield* readLine
    if (line === undefined) return
    characters += line.length + 1
  }
})

/**
 * Reads the file to its end, where its checksum is. A damaged file can look like any other mistake before that, so the
 * checksum is checked first.
 */
export const checkBackup = Effect.fnUntraced(
  function* (readLine: ReadLine) {
    const header = yield* readHeader(readLine)
    yield* readTables(readLine, ({ table }) => countRows(readLine, table, announcedRows(header, table)))
    return header
  },
  (check, readLine) => Effect.tapError(check, () => readToEnd(readLine))
)

/**
 * Fills an empty store from the backup: with the backup's schema, all or nothing, and then upgraded. Fails if there
 * is a store, also one that another process created meanwhile. Triggers are off: the backup contains what they would
 * write.
 */
export const restoreStore = Effect.fnUntraced(function* (
  header: BackupHeader,
  readLine: ReadLine,
  known = migrations
) {
  const sql = yield* SqlClient.SqlClient
  const restore = Effect.gen(function* () {
    const applied = yield* migrateTo(header.migration, known)
    if (applied[0]?.[0] !== FIRST_MIGRATION)
      return yield* new StartupError({ message: "there is a store already" })
    yield* sql`set local session_replication_role = replica`
    const tables = (yield* storedTables).map(({ table }) => table)
    yield* sql.unsafe(`truncate ${tables.map(quoted).join(", ")}`)
    return yield* load(readLine, new Set(tables))
  })
  const rows = yield* sql.withTransaction(restore)
  yield* migrateWith(known)
  yield* sql`analyze`
  return rows
})
