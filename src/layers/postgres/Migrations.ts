import { Effect, Schema } from "effect"
import { Migrator, SqlClient, type SqlError } from "effect/sql"
import schema from "./migrations/0001_schema.ts"
import { StartupError } from "../system/StartupError.ts"
import { decodedAs, rowsOf } from "./SqlRows.ts"

/** By number and name; each runs once, in the order of the numbers. */
interface Migrations {
  readonly [name: string]: Effect.Effect<void, SqlError.SqlError, SqlClient.SqlClient>
}

/** Until the first release, a change of the schema gives migration 1 another name: stores that lack it are refused. */
export const migrations: Migrations = {
  "0001_origin": schema
}

export const MIGRATIONS_TABLE = "peyk_migrations"

const numberOf = (name: string): number => Number.parseInt(name, 10)
const latestOf = (known: Migrations): number => Math.max(...Object.keys(known).map(numberOf))

export const latestMigration = latestOf(migrations)

const AppliedRow = Schema.Struct({ id: Schema.Int, name: Schema.String })
const HistoryRow = Schema.Struct({ exists: Schema.Boolean })

const appliedMigrations = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [table] = yield* rowsOf(HistoryRow)(
    sql`select to_regclass(${MIGRATIONS_TABLE}) is not null as exists`
  )
  if (table?.exists !== true) return []
  return yield* rowsOf(AppliedRow)(
    sql`select migration_id as id, name from ${sql(MIGRATIONS_TABLE)} order by migration_id`
  )
})

const isKnown = (known: Migrations, { id, name }: typeof AppliedRow.Type): boolean =>
  id > latestOf(known) || Object.hasOwn(known, `${String(id).padStart(4, "0")}_${name}`)

/**
 * Fails if the store's migrations differ from ours by number and name: ours cannot follow. Stores of development versions
 * differ so. With numbers alone, a store could pass as current although it lacks one of ours. Migrations newer than ours
 * come from a process of a later version.
 */
const checkHistoryFor = Effect.fnUntraced(function* (known: Migrations) {
  const foreign = (yield* appliedMigrations).find((applied) => !isKnown(known, applied))
  if (foreign === undefined) return
  return yield* new StartupError({
    message:
      `this store was made by another version of Peyk, which had a migration ${foreign.id} “${foreign.name}”: run that ` +
      "version, or set PEYK_DATA_DIR or DATABASE_URL to where there is no store"
  })
})

export const checkHistory = checkHistoryFor(migrations)

const run = (known: Migrations) =>
  Migrator.make({})({ loader: Migrator.fromRecord(known), table: MIGRATIONS_TABLE })

/** Upgrades the schema, forward only. Safe in several processes at once: one does it, others wait. */
export const migrateWith = (known: Migrations) => Effect.andThen(checkHistoryFor(known), run(known))

export const migrate = migrateWith(migrations)

/** Makes an empty database a store of the schema as this migration left it. */
export const migrateTo = (last: number, known: Migrations) =>
  run(Object.fromEntries(Object.entries(known).filter(([name]) => numberOf(name) <= last)))

/** Whether there is a store in the database. */
export const hasMigrations = Effect.map(appliedMigrations, (applied) => applied.length > 0)

const newestRow = decodedAs(Schema.Tuple([Schema.Struct({ id: Schema.NullOr(Schema.Int) })]))

/** The number of the store's newest migration; 0 for an empty store. */
export const appliedMigration = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [{ id }] = yield* newestRow(sql`select max(migration_id) as id from ${sql(MIGRATIONS_TABLE)}`)
  return id ?? 0
})
