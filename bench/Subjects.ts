/** The compared programs, and how each is started. */
import { Redacted } from "effect"
import { readFileSync } from "node:fs"
import { serverOptions } from "../bin/server-options.js"
import type { SubjectName } from "./Options.ts"
import { PROVIDER_MILLIS } from "./ProviderDelay.ts"
import { betterAuthDialect, peykDialect, referenceDialect } from "./Requests.ts"
import { type Database, OWN_DATABASE, type Store } from "./Store.ts"
import { storeEnv } from "./Customer.ts"
import { freePort } from "./FreePort.ts"
import { type Program, startSubject, type Subject } from "./Subject.ts"

export interface BenchContext {
  readonly directory: string
  readonly store: Store
  /** Null: the store is embedded. */
  readonly databaseUrl: string | null
  readonly customers: number
  readonly processes: number
  readonly providerMillis: number
  /** The keys of Peyk's customers. */
  readonly peykKeys: ReadonlyArray<string>
}

const referenceSchema = readFileSync(new URL("reference/schema.sql", import.meta.url), "utf8")

/** A subject's own database, with the tables that it does not create itself. */
export const databaseOf: Readonly<Partial<Record<SubjectName, Database>>> = {
  fastify: { name: "once", schema: referenceSchema },
  "fastify-crash-safe": { name: "twice", schema: referenceSchema },
  "better-auth": { name: "auth", schema: "" },
  pgbench: { name: "bare", schema: referenceSchema }
}

/** Peyk's database, and those of the references. */
export const databasesOf = (names: ReadonlyArray<SubjectName>): ReadonlyArray<string> => [
  OWN_DATABASE,
  ...names.flatMap((name) => databaseOf[name]?.name ?? [])
]

/** No limits, accounts without gaps, and a receiver of webhooks on this machine. */
const unlimited = {
  PEYK_ALLOW_PRIVATE_ADDRESSES: "true",
  PEYK_ACCOUNT_GAP_MS: "0",
  PEYK_ACCOUNT_RATE_BALE: "0",
  PEYK_LIMIT_KEY_MINUTE: "0",
  PEYK_LIMIT_PHONE_HOUR: "1000",
  PEYK_LIMIT_PHONE_DAY: "1000",
  PEYK_LIMIT_PLATFORM_PHONE_DAY: "1000"
}

const reference = (
  name: SubjectName,
  file: string,
  port: number,
  { customers, providerMillis, store: { place } }: BenchContext,
  env: NodeJS.ProcessEnv = {}
): Program => ({
  name,
  file: `reference/${file}`,
  port,
  env: {
    PORT: String(port),
    [PROVIDER_MILLIS]: String(providerMillis),
    PGHOST: place.host,
    ...(place.port === undefined ? {} : { PGPORT: String(place.port) }),
    PGUSER: place.username,
    PGPASSWORD: Redacted.value(place.password),
    PGDATABASE: databaseOf[name]?.name,
    ...env
  },
  dialect: referenceDialect(customers)
})

const peyk = (
  name: SubjectName,
  { databaseUrl, directory, peykKeys, processes, providerMillis }: BenchContext,
  port: number,
  env: NodeJS.ProcessEnv = {}
): Program => ({
  name,
  file: "serve.ts",
  nodeOptions: serverOptions(),
  port,
  env: {
    ...unlimited,
    ...storeEnv(directory, databaseUrl),
    [PROVIDER_MILLIS]: String(providerMillis),
    PEYK_PORT: String(port),
    PEYK_PROCESSES: String(processes),
    ...env
  },
  processes,
  dialect: peykDialect(peykKeys)
})

/** Not pgbench, which is a separate program. */
const programs: Readonly<
  Record<Exclude<SubjectName, "pgbench">, (context: BenchContext, port: number) => Program>
> = {
  peyk: (context, port) => peyk("peyk", context, port),
  "peyk-unlogged": (context, port) => peyk("peyk-unlogged", context, port, { PEYK_REQUEST_LOG_DAYS: "0" }),
  "peyk-unguarded": (context, port) => peyk("peyk-unguarded", context, port, { PEYK_GUARD: "off" }),
  fastify: (context, port) => reference("fastify", "service.mjs", port, context),
  "fastify-crash-safe": (context, port) =>
    reference("fastify-crash-safe", "service.mjs", port, context, { CRASH_SAFE: "1" }),
  "better-auth": (context, port) => ({
    ...reference("better-auth", "better-auth.mjs", port, context),
    dialect: betterAuthDialect
  }),
  "node-http": (context, port) => reference("node-http", "node-http.mjs", port, context)
}

export const startOne = async (name: Exclude<SubjectName, "pgbench">, context: BenchContext) =>
  startSubject(programs[name](context, await freePort()))

export const startSubjects = async (names: ReadonlyArray<SubjectName>, context: BenchContext) => {
  const started: Array<Subject> = []
  for (const name of names) {
    if (name !== "pgbench") started.push(await startOne(name, context))
  }
  return started
}
