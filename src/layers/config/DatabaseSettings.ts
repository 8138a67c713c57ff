import { Config, Option, Redacted, Schema } from "effect"
import { MINUTE_MILLIS } from "../../domain/Instant.ts"
import { databaseUrlProblem, withPassword } from "../postgres/Hosts.ts"
import { integer, optionalSecret, type Setting } from "./Setting.ts"

/** It can contain a password, so the error must not repeat it. */
const DatabaseUrl = Schema.String.check(
  Schema.makeFilter((text) => text === "" || (databaseUrlProblem(text) ?? true))
)

const password = optionalSecret(
  "PGPASSWORD",
  "",
  "The password for DATABASE_URL and the other connection URLs, if they have none."
)

/** Absent and empty are the same. */
const databaseUrl = (name: string, description: string): Setting<Option.Option<Redacted.Redacted>> => ({
  name,
  byDefault: "",
  description,
  config: Config.map(
    Config.all([Config.option(Config.schema(DatabaseUrl, name)), password.config]),
    ([given, ownPassword]) =>
      Option.map(
        Option.filter(given, (url) => url !== ""),
        (url) =>
          Redacted.make(
            Option.match(ownPassword, {
              onNone: () => url,
              onSome: (secret) => withPassword(url, Redacted.value(secret))
            })
          )
      )
  )
})

/** How Peyk reaches PostgreSQL. */
export const databaseSettings = {
  databaseUrl: databaseUrl("DATABASE_URL", "PostgreSQL ≥ 15. Without it Peyk runs an embedded one."),
  databasePassword: password,
  databasePooler: {
    name: "PEYK_DATABASE_POOLER",
    byDefault: "auto",
    description: "Between Peyk and PostgreSQL: auto looks for a pooler; none, or transaction.",
    config: Config.withDefault(
      Config.Literals(["auto", "none", "transaction"], "PEYK_DATABASE_POOLER"),
      "auto" as const
    )
  },
  databaseListenUrl: databaseUrl(
    "PEYK_DATABASE_LISTEN_URL",
    "The same database without the pooler, for the one connection that listens."
  ),
  databaseReadUrl: databaseUrl(
    "PEYK_DATABASE_READ_URL",
    "A replica that follows DATABASE_URL, for lists, searches and reports."
  ),
  databaseReadMaxLagMillis: integer(
    "PEYK_DATABASE_READ_MAX_LAG_MS",
    500,
    { minimum: 1, maximum: MINUTE_MILLIS },
    "The longest wait for the replica to catch up; then the primary is read."
  ),
  poolSize: integer(
    "PEYK_DATABASE_POOL",
    10,
    { minimum: 2, maximum: 200 },
    "Connections to PostgreSQL per process."
  ),
  statementTimeoutMillis: integer(
    "PEYK_STATEMENT_TIMEOUT_MS",
    10_000,
    { minimum: 0, maximum: 600_000 },
    "Time-out for a statement, except migrations and reports; 0 sets none."
  )
} as const
