/** The contents of the tables before anything starts; in a kept directory, it is created once. */
import { Effect } from "effect"
import { existsSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { makeCustomer, multiplyCustomer, storeEnv } from "./Customer.ts"
import type { Options, SubjectName } from "./Options.ts"
import { joinStore } from "./ExternalStore.ts"
import { createDatabases, OWN_DATABASE, startStore } from "./Store.ts"
import { fill } from "./Stored.ts"
import { databaseOf } from "./Subjects.ts"

interface Prepared {
  readonly stored: number
  readonly customers: number
  readonly subjects: ReadonlyArray<SubjectName>
  readonly peykKeys: ReadonlyArray<string>
}

const readPrepared = (file: string, { customers, stored, subjects }: Options): Prepared => {
  const prepared: Prepared = JSON.parse(readFileSync(file, "utf8"))
  const isSame = prepared.stored === stored && prepared.customers === customers
  if (!isSame || subjects.some((name) => !prepared.subjects.includes(name))) {
    const made = `--stored ${prepared.stored} --customers ${prepared.customers} --subjects ${prepared.subjects.join(",")}`
    throw new Error(`the directory was made with ${made}`)
  }
  return prepared
}

/** The embedded PostgreSQL of a directory, or one's own. */
export const openStore = (
  directory: string,
  databaseUrl: string | null,
  isNew: boolean,
  options: Parameters<typeof startStore>[1] = {}
) =>
  databaseUrl === null
    ? startStore(join(directory, "postgres"), options)
    : Effect.promise(() => joinStore(databaseUrl, isNew))

const make = Effect.fnUntraced(function* (
  directory: string,
  { customers, databaseUrl, stored, subjects }: Options
) {
  const store = yield* openStore(directory, databaseUrl, true)
  const amount = { stored, customers }
  const databases = subjects.flatMap((name) => databaseOf[name] ?? [])
  yield* Effect.promise(() => createDatabases(store, databases))
  const hasPeyk = subjects.some((name) => name.startsWith("peyk"))
  const first = hasPeyk ? yield* Effect.promise(() => makeCustomer(storeEnv(directory, databaseUrl))) : ""
  const peykKeys = hasPeyk ? yield* Effect.promise(() => multiplyCustomer(store, first, customers)) : []
  for (const name of subjects) {
    yield* Effect.promise(() => fill(store, name, databaseOf[name]?.name ?? OWN_DATABASE, amount))
  }
  const prepared: Prepared = { stored, customers, subjects, peykKeys }
  return prepared
})

export const prepare = (directory: string, options: Options): Effect.Effect<Prepared> =>
  Effect.suspend(() => {
    const file = join(directory, "bench.json")
    if (existsSync(file)) return Effect.sync(() => readPrepared(file, options))
    return Effect.tap(Effect.orDie(Effect.scoped(make(directory, options))), (prepared) =>
      Effect.sync(() => writeFileSync(file, JSON.stringify(prepared)))
    )
  })
