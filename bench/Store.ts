/** PostgreSQL for a measurement: the embedded one, durable as by default, and each subject's tables in it. */
import { PgClient } from "@effect/sql-pg"
import { Effect, type Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { readFileSync } from "node:fs"
import * as EmbeddedPostgres from "../src/layers/postgres/embedded/EmbeddedPostgres.ts"

export interface Database {
  readonly name: string
  readonly schema: string
}

const statementsOf = (text: string) => text.split(/;\n/).filter((statement) => statement.trim() !== "")

/** The database of Peyk. */
export const OWN_DATABASE = "peyk"

/** How its clients reach it. */
export interface StorePlace {
  /** A socket's directory, or a name. */
  readonly host: string
  readonly port?: number
  readonly username: string
  readonly password: Redacted.Redacted
}

export interface Store {
  readonly place: StorePlace
  readonly pid: number
  /** The workers of a Citus cluster, in their order. */
  readonly workers?: ReadonlyArray<number>
  /** Runs statements one by one, on their own connection. */
  readonly run: (
    database: string,
    texts: ReadonlyArray<string>
  ) => Promise<ReadonlyArray<ReadonlyArray<Record<string, unknown>>>>
}

/** Runs statements in a database there. */
export const runAt =
  (place: StorePlace): Store["run"] =>
  (database, texts) =>
    Effect.runPromise(
      Effect.scoped(
        Effect.gen(function* () {
          const sql = yield* PgClient.make({ ...place, database, maxConnections: 1 })
          return yield* Effect.forEach(texts, (text) => sql.unsafe<Record<string, unknown>>(text))
        })
      ).pipe(Effect.provide(Reactivity.layer))
    )

/** Starts it, or joins it if it runs. */
export const startStore = Effect.fnUntraced(function* (
  directory: string,
  options: EmbeddedPostgres.EmbeddedPostgresOptions = {}
) {
  const postgres = yield* EmbeddedPostgres.start(directory, options)
  const { socketPath, socketDirectory, password } = postgres
  const place = { host: socketDirectory, username: "postgres", password }
  const store: Store = {
    place,
    pid: Number(readFileSync(`${socketPath}.lock`, "utf8").split("\n")[0]),
    run: runAt(place)
  }
  return store
})

/** The databases of the references; Peyk creates its own tables. */
export const createDatabases = async ({ run }: Store, databases: ReadonlyArray<Database>) => {
  for (const { name, schema } of databases) {
    await run(OWN_DATABASE, [`create database ${name}`])
    await run(name, statementsOf(schema))
  }
}

/** Before each turn: no subject pays for writing what the previous one changed. */
export const checkpoint = ({ run }: Store) => run(OWN_DATABASE, ["checkpoint"])

/** Analyzes the tables, as autovacuum does within minutes; before that, plans are for empty ones. */
export const analyze = async ({ run }: Store, databases: ReadonlyArray<string>) => {
  for (const name of databases) await run(name, ["vacuum (analyze)"])
}

/** Everything here is immutable, as Citus wants it: a time plus an interval is not. So they were verified at once. */
const SENT = "status = 'queued' and hashtext(id::text) % 4 <> 0"

const verifiesIn = (verifications: string) => `
  with sent as materialized (
    select customer_id, id from ${verifications} where ${SENT} for update skip locked)
  update ${verifications} v set status = 'verified', verified_at = v.created_at
  from sent s where v.customer_id = s.customer_id and v.id = s.id`

/**
 * Users verify three of four codes between the turns: without any, the guard would see an attack. A paused program may
 * hold locks.
 */
export const verifyCodes = async ({ run }: Store) => {
  const [cells = []] = await run(OWN_DATABASE, ["select quote_ident(name) as name from cells"])
  const tables = ["verifications", ...cells.map(({ name }) => `${String(name)}.verifications`)]
  await run(OWN_DATABASE, tables.map(verifiesIn))
}
