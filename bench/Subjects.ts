/** Which programs are compared, and how each is started. */
import { readFileSync } from "node:fs"
import { makeCustomer } from "./Customer.ts"
import type { SubjectName } from "./Options.ts"
import { betterAuthDialect, peykDialect, referenceDialect } from "./Requests.ts"
import type { Database } from "./Store.ts"
import { type Program, startSubject, type Subject } from "./Subject.ts"

export interface Ground {
  readonly directory: string
  readonly socketDirectory: string
}

const referenceSchema = readFileSync(new URL("reference/schema.sql", import.meta.url), "utf8")

/** The database that a subject has to itself, with its tables as far as it does not make them. */
export const databaseOf: Readonly<Partial<Record<SubjectName, Database>>> = {
  fastify: { name: "once", schema: referenceSchema },
  "fastify-crash-safe": { name: "twice", schema: referenceSchema },
  "better-auth": { name: "auth", schema: "" }
}

/** No limit and no account is as slow as in life. */
const unlimited = {
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
  { socketDirectory }: Ground,
  env: NodeJS.ProcessEnv = {}
): Program => ({
  name,
  file: `reference/${file}`,
  port,
  env: { PORT: String(port), PGHOST: socketDirectory, PGDATABASE: databaseOf[name]?.name, ...env },
  dialect: referenceDialect
})

const programs: Readonly<Record<SubjectName, (ground: Ground) => Program | Promise<Program>>> = {
  peyk: async ({ directory }) => {
    const env = { ...unlimited, PEYK_DATA_DIR: directory, PEYK_PORT: "9310" }
    const dialect = peykDialect(await makeCustomer(env))
    return { name: "peyk", file: "serve.ts", port: 9310, env, dialect }
  },
  fastify: (ground) => reference("fastify", "service.mjs", 9311, ground),
  "fastify-crash-safe": (ground) =>
    reference("fastify-crash-safe", "service.mjs", 9312, ground, { CRASH_SAFE: "1" }),
  "better-auth": (ground) => ({
    ...reference("better-auth", "better-auth.mjs", 9314, ground),
    dialect: betterAuthDialect
  }),
  "node-http": (ground) => reference("node-http", "node-http.mjs", 9313, ground)
}

export const startSubjects = async (names: ReadonlyArray<SubjectName>, ground: Ground) => {
  const started: Array<Subject> = []
  for (const name of names) started.push(await startSubject(await programs[name](ground)))
  return started
}
