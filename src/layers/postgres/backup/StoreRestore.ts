import { Effect, Option, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { createdBySchema } from "../migrations/0001_schema.ts"
import {
  checkHistory,
  hasMigrations,
  latestMigration,
  migrations,
  MIGRATIONS_TABLE,
  migrateTo,
  migrateWith
} from "../Migrations.ts"
import { CELL_TABLES, createTablesOfCell, dropCell } from "../CellSchema.ts"
import { rowsOf } from "../SqlRows.ts"
import { checkServer } from "../Store.ts"
import { StartupError } from "../../system/StartupError.ts"
import { isDigestLine, type ReadLine } from "./BackupFile.ts"
import { BackupHeader, BackupTrailer, nameOf, TableLine, UnreleasedHeader } from "./BackupFormat.ts"
import { cellsInside, placeOf, quoted, requireUnused, setForLong, storedTables } from "./StoreBackup.ts"

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

const NameRow = Schema.Struct({ name: Schema.String })

/** The tables in the database that no extension made; the store's own, if there is one, are among them. */
const tablesInside = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* rowsOf(NameRow)(sql`
    select c.relname as name from pg_class c
    where c.relnamespace = current_schema()::regnamespace and c.relkind in ('r', 'p')
      and not exists (select from pg_depend d where d.objid = c.oid and d.deptype = 'e')
    order by 1`)
  return rows.map(({ name }) => name)
})

/** What `--replace` deletes: only what the schema made. */
const dropStore = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* checkHistory
  for (const cell of yield* cellsInside) yield* dropCell(cell)
  const tables = [MIGRATIONS_TABLE, ...createdBySchema("table")].map(quoted).join(", ")
  yield* sql.unsafe(`drop table if exists ${tables}`)
  yield* sql.unsafe(`drop function if exists ${createdBySchema("function").map(quoted).join(", ")}`)
})

/** Fails if a restore would meet a store, a server, or the tables of another program. */
const requireRoom = Effect.fnUntraced(function* ({ replace, name }: RestoreOptions) {
  const isStore = yield* hasMigrations
  if (isStore && !replace) {
    return yield* new StartupError({
      message: `there is a store in ${name} already: name an empty one, or delete that store with --replace`
    })
  }
  yield* requireUnused
  const [foreign] = isStore ? [] : yield* tablesInside
  if (foreign === undefined) return
  return yield* new StartupError({
    message: `${name} is not empty: it has the table “${foreign}” of another program. Peyk needs a database of its own`
  })
})

/** Where a backup is restored to. */
interface RestoreOptions {
  /** Its name in messages. */
  readonly name: string
  /** Whether a store that is there is deleted. */
  readonly replace: boolean
}

const insertStatement = Effect.fnUntraced(function* (line: TableLine) {
  const { columns } = line
  const sql = yield* SqlClient.SqlClient
  const known = yield* rowsOf(ColumnRow)(sql`
    select attname as column, format_type(atttypid, atttypmod) as type from pg_attribute
    where attrelid = ${placeOf(line)}::regclass and attnum > 0 and not attisdropped`)
  const typeOf = new Map(known.map(({ column, type }) => [column, type]))
  const values = columns.map((column, index) => `(l.line ->> ${index})::${typeOf.get(column)}`)
  // offset 0: each line is parsed once, and not once for each of its columns
  return `insert into ${placeOf(line)} (${columns.map(quoted).join(", ")}) overriding system value
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
    found.set(nameOf(table.success), read.count)
    line = read.line
  }
  const trailer = decodeTrailer(line ?? "")
  if (Result.isFailure(trailer)) return yield* broken("it ends too early")
  if (!isDigestLine((yield* readLine) ?? "")) return yield* broken("its checksum is missing")
  if ((yield* readLine) !== undefined) return yield* broken("something follows its end")
  yield* checkCounts(trailer.success, found)
  return trailer.success
})

const cellTables: ReadonlySet<string> = new Set(CELL_TABLES)

const load = Effect.fnUntraced(function* (readLine: ReadLine, tables: ReadonlySet<string>) {
  const made = new Set<string>()
  const makeCellOf = Effect.fnUntraced(function* ({ cell }: TableLine) {
    if (cell === undefined || made.has(cell)) return
    made.add(cell)
    if (!(yield* cellsInside).includes(cell)) return yield* broken(`it has a cell “${cell}”`)
    yield* createTablesOfCell(cell)
  })
  const { sequences, rows } = yield* readTables(readLine, (line) =>
    // A file can also name PostgreSQL's own tables.
    (line.cell === undefined ? tables.has(line.table) : cellTables.has(line.table))
      ? Effect.andThen(makeCellOf(line), loadTable(line, readLine))
      : Effect.fail(broken(`it has a table “${nameOf(line)}”`))
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
    yield* readTables(readLine, (line) =>
      countRows(readLine, nameOf(line), announcedRows(header, nameOf(line)))
    )
    return header
  },
  (check, readLine) => Effect.tapError(check, () => readToEnd(readLine))
)

const ForeignKeyRow = Schema.Struct({ table: Schema.String, name: Schema.String, definition: Schema.String })

/**
 * Loads rows in the order of the file, as they were: no trigger writes for them what the backup contains, and foreign
 * keys are checked at the end. An owner who is no superuser can do that.
 */
const withoutTriggers = Effect.fnUntraced(function* <A, E, R>(
  tables: ReadonlyArray<string>,
  load: Effect.Effect<A, E, R>
) {
  const sql = yield* SqlClient.SqlClient
  const alter = (table: string, change: string) => sql.unsafe(`alter table ${quoted(table)} ${change}`)
  const keys = yield* rowsOf(ForeignKeyRow)(sql`
    select c.relname as table, k.conname as name, pg_get_constraintdef(k.oid) as definition
    from pg_constraint k join pg_class c on c.oid = k.conrelid
    where k.contype = 'f' and c.relnamespace = current_schema()::regnamespace and c.relname = any(${tables}::text[])`)
  for (const { table, name } of keys) yield* alter(table, `drop constraint ${quoted(name)}`)
  for (const table of tables) yield* alter(table, "disable trigger user")
  const loaded = yield* load
  for (const table of tables) yield* alter(table, "enable trigger user")
  for (const { table, name, definition } of keys) {
    yield* alter(table, `add constraint ${quoted(name)} ${definition}`)
  }
  return loaded
})

/**
 * Fills an empty database from the backup: with the backup's schema, all or nothing, and then upgraded. Fails if there
 * is a store, also one that another process created meanwhile.
 */
export const restoreStore = Effect.fnUntraced(function* (
  header: BackupHeader,
  readLine: ReadLine,
  { name = "the database", replace = false, known = migrations } = {}
) {
  const sql = yield* SqlClient.SqlClient
  const restore = Effect.gen(function* () {
    yield* setForLong
    yield* checkServer
    yield* requireRoom({ name, replace })
    if (replace) yield* dropStore
    const applied = yield* migrateTo(header.migration, known)
    if (applied[0]?.[0] !== FIRST_MIGRATION)
      return yield* new StartupError({ message: `there is a store in ${name} already` })
    const tables = (yield* storedTables).map(({ table }) => table)
    yield* sql.unsafe(`truncate ${tables.map(quoted).join(", ")}`)
    return yield* withoutTriggers(tables, load(readLine, new Set(tables)))
  })
  const rows = yield* sql.withTransaction(restore)
  yield* migrateWith(known)
  yield* sql`analyze`
  return rows
})
