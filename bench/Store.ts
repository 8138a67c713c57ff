/** PostgreSQL for a measurement: the embedded one, durable as it is by default, and what each subject keeps in it. */
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { Reactivity } from "effect/reactivity"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import * as EmbeddedPostgres from "../src/layers/EmbeddedPostgres.ts"

export interface Database {
  readonly name: string
  readonly schema: string
}

const statementsOf = (text: string) => text.split(/;\n/).filter((statement) => statement.trim() !== "")

const OWN_DATABASE = "peyk"

export interface Store {
  readonly socketDirectory: string
  readonly pid: number
  readonly databases: ReadonlyArray<string>
  /** Runs statements one by one, on a connection of their own. */
  readonly run: (
    database: string,
    texts: ReadonlyArray<string>
  ) => Promise<ReadonlyArray<ReadonlyArray<Record<string, unknown>>>>
}

const execute = (path: string, database: string, texts: ReadonlyArray<string>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const sql = yield* PgClient.make({ path, username: "postgres", database, maxConnections: 1 })
      return yield* Effect.forEach(texts, (text) => sql.unsafe<Record<string, unknown>>(text))
    })
  ).pipe(Effect.provide(Reactivity.layer))

/** Starts it, or joins it if it runs; the references get a database each. */
export const startStore = Effect.fnUntraced(function* (
  dataDirectory: string,
  references: ReadonlyArray<Database>
) {
  const { socketPath, socketDirectory } = yield* EmbeddedPostgres.start(join(dataDirectory, "postgres"))
  for (const { name, schema } of references) {
    yield* execute(socketPath, OWN_DATABASE, [`create database ${name}`])
    yield* execute(socketPath, name, statementsOf(schema))
  }
  const store: Store = {
    socketDirectory,
    pid: Number(readFileSync(`${socketPath}.lock`, "utf8").split("\n")[0]),
    databases: [OWN_DATABASE, ...references.map(({ name }) => name)],
    run: (database, texts) => Effect.runPromise(execute(socketPath, database, texts))
  }
  return store
})

/** Before each turn: nobody pays for writing out what the one before dirtied. */
export const checkpoint = ({ run }: Store) => run(OWN_DATABASE, ["checkpoint"])

/** Tells the planner what is in the tables, as autovacuum does within minutes; before that, plans are for empty ones. */
export const analyze = async ({ databases, run }: Store) => {
  for (const database of databases) await run(database, ["vacuum (analyze)"])
}
