import { Effect, Schema } from "effect"
import { SqlClient, type SqlError } from "effect/sql"
import { StartupError } from "../system/StartupError.ts"
import { decodedAs } from "./SqlRows.ts"

/**
 * The settings that our statements rely on, whatever is set for the server, the database or the role. `TimeZone`
 * only makes what a person reads alike. `search_path` is the operator's: the schema of the store.
 */
export const sessionSettings = {
  standard_conforming_strings: "on",
  bytea_output: "hex",
  DateStyle: "ISO",
  IntervalStyle: "postgres",
  TimeZone: "UTC",
  extra_float_digits: "1",
  default_transaction_isolation: "read committed"
} as const

const FoundRow = Schema.Struct({
  encoding: Schema.String,
  database: Schema.String,
  role: Schema.String,
  strings: Schema.String,
  bytea: Schema.String,
  dates: Schema.String,
  intervals: Schema.String,
  floats: Schema.Int,
  isolation: Schema.String
})
type StoreSettings = typeof FoundRow.Type

const found: Effect.Effect<StoreSettings, SqlError.SqlError, SqlClient.SqlClient> = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* decodedAs(Schema.Tuple([FoundRow]))(sql`
    select current_setting('server_encoding') as encoding, current_database()::text as database,
      current_user::text as role, current_setting('standard_conforming_strings') as strings,
      current_setting('bytea_output') as bytea, current_setting('DateStyle') as dates,
      current_setting('IntervalStyle') as intervals, current_setting('extra_float_digits')::int as floats,
      current_setting('default_transaction_isolation') as isolation`)
  return row
})

const identifier = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Why the database cannot hold Persian texts, and what to run; undefined if it can. */
const encodingProblem = ({ encoding, database }: StoreSettings): string | undefined =>
  encoding === "UTF8"
    ? undefined
    : `the database ${database} has the encoding ${encoding}, and Peyk needs UTF8. Make another one, and use that: ` +
      `create database ${identifier(`${database}_utf8`)} encoding 'UTF8' template template0`

/** What to run for a role whose sessions do not suit. Only behind a pooler: otherwise each session sets it itself. */
const roleProblem = (settings: StoreSettings): string | undefined => {
  const wrong: ReadonlyArray<keyof typeof sessionSettings> = [
    ...(settings.strings === "on" ? [] : (["standard_conforming_strings"] as const)),
    ...(settings.bytea === "hex" ? [] : (["bytea_output"] as const)),
    ...(settings.dates.startsWith("ISO") ? [] : (["DateStyle"] as const)),
    ...(settings.intervals === "postgres" ? [] : (["IntervalStyle"] as const)),
    ...(settings.floats >= 1 ? [] : (["extra_float_digits"] as const)),
    ...(settings.isolation === "read committed" ? [] : (["default_transaction_isolation"] as const))
  ]
  if (wrong.length === 0) return undefined
  const statements = wrong.map(
    (name) => `alter role ${identifier(settings.role)} set ${name} = '${sessionSettings[name]}';`
  )
  return (
    `${wrong.join(", ")} of the role's sessions ${wrong.length === 1 ? "does" : "do"} not suit Peyk, which sets ` +
    `nothing through a pooler. Run this, and let the pooler connect again: ${statements.join(" ")}`
  )
}

/** Why this store cannot be used, if it cannot. */
export const settingsProblem = Effect.map(
  found,
  (settings) => encodingProblem(settings) ?? roleProblem(settings)
)

export const checkSettings = Effect.flatMap(settingsProblem, (problem) =>
  problem === undefined ? Effect.void : Effect.fail(new StartupError({ message: problem }))
)
