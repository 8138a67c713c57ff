/** PostgreSQL for a measurement: the embedded one, durable as it is by default, and what each subject keeps in it. */
import { PgClient } from "@effect/sql-pg"
import { Effect } from "effect"
import { Reactivity } from "effect/reactivity"
import { execFile } from "node:child_process"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { promisify } from "node:util"
import * as EmbeddedPostgres from "../src/layers/EmbeddedPostgres.ts"

const root = fileURLToPath(new URL("../", import.meta.url))
const schema = readFileSync(new URL("reference/schema.sql", import.meta.url), "utf8")
const statements = schema.split(/;\n/).filter((statement) => statement.trim() !== "")

const execute = (socketPath: string, database: string, texts: ReadonlyArray<string>) =>
  Effect.scoped(
    Effect.gen(function* () {
      const sql = yield* PgClient.make({
        path: socketPath,
        username: "postgres",
        database,
        maxConnections: 1
      })
      return yield* Effect.forEach(texts, (text) => sql.unsafe(text))
    })
  ).pipe(Effect.provide(Reactivity.layer))

/** Starts it, or joins it if it runs; where the references find their databases. */
export const startStore = Effect.fnUntraced(function* (
  dataDirectory: string,
  references: ReadonlyArray<string>
) {
  const store = yield* EmbeddedPostgres.start(join(dataDirectory, "postgres"))
  for (const name of references) {
    yield* execute(store.socketPath, "peyk", [`create database ${name}`])
    yield* execute(store.socketPath, name, statements)
  }
  const pid = Number(readFileSync(`${store.socketPath}.lock`, "utf8").split("\n")[0])
  return { ...store, pid }
})

/** Before each turn: nobody pays for writing out what the one before dirtied. */
export const checkpoint = (socketPath: string) =>
  Effect.runPromise(execute(socketPath, "peyk", ["checkpoint"]))

/** A customer who may send as much as the machine can; gives back the key. */
export const makeCustomer = async (env: NodeJS.ProcessEnv): Promise<string> => {
  const peyk = async (...args: ReadonlyArray<string>) => {
    const command = [join(root, "bin/peyk.js"), ...args, "--json"]
    const { stdout } = await promisify(execFile)(process.execPath, command, {
      env: { ...process.env, ...env }
    })
    return JSON.parse(stdout)
  }
  const mine = ["--customer", "1"]
  await peyk("customer", "create", "--name", "bench", "--plan", "start")
  await peyk("wallet", "top-up", ...mine, "--amount", "900000000000")
  const simulator = ["--provider", "simulator", "--default"]
  await peyk("account", "connect", ...mine, "--channel", "bale", "--label", "bale", ...simulator)
  await peyk("account", "connect", ...mine, "--channel", "sms", "--label", "sms", ...simulator)
  await peyk("routing", "set", ...mine, "--steps", '[{"channel":"bale"},{"channel":"sms"}]')
  const { secret } = await peyk("key", "create", ...mine, "--mode", "live")
  return secret
}
