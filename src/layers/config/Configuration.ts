import { Config, Option, Redacted, Schema } from "effect"
import { defaultSettings } from "../../services/Settings.ts"
import { corsSettings } from "./CorsSettings.ts"
import { endpointSettings } from "./EndpointSettings.ts"
import { limitSettings } from "./LimitSettings.ts"
import { processSettings } from "./ProcessSettings.ts"
import { sessionSettings } from "./SessionSettings.ts"
import { retentionSettings } from "./RetentionSettings.ts"
import { integer, type Setting } from "./Setting.ts"
import { DAY_MILLIS, MINUTE_MILLIS } from "../../domain/Instant.ts"
import { isDatabaseUrl } from "../postgres/hosts/Hosts.ts"

const text = (name: string, byDefault: string, description: string): Setting<string> => ({
  name,
  byDefault,
  description,
  config: Config.withDefault(Config.NonEmptyString(name), byDefault)
})

/** Absent and empty are the same. */
const optionalSecret = (
  name: string,
  byDefault: string,
  description: string
): Setting<Option.Option<Redacted.Redacted>> => ({
  name,
  byDefault,
  description,
  config: Config.map(
    Config.option(Config.Redacted(name)),
    Option.filter((secret) => Redacted.value(secret) !== "")
  )
})

/** It can contain a password, so the error must not repeat it. */
const DatabaseUrl = Schema.String.check(
  Schema.makeFilter(
    (text) =>
      text === "" ||
      isDatabaseUrl(text) ||
      "a connection URL is expected: postgres://user:password@host/database"
  )
)

/** Absent and empty are the same. */
const databaseUrl = (name: string, description: string): Setting<Option.Option<Redacted.Redacted>> => ({
  name,
  byDefault: "",
  description,
  config: Config.map(Config.option(Config.schema(DatabaseUrl, name)), (given) =>
    Option.map(
      Option.filter(given, (url) => url !== ""),
      (url) => Redacted.make(url)
    )
  )
})

const optionalFlag = (
  name: string,
  byDefault: string,
  description: string
): Setting<Option.Option<boolean>> => ({
  name,
  byDefault,
  description,
  config: Config.option(Config.Boolean(name))
})

const flag = (name: string, byDefault: boolean, description: string): Setting<boolean> => ({
  name,
  byDefault: String(byDefault),
  description,
  config: Config.withDefault(Config.Boolean(name), byDefault)
})

const connections = (name: "codeConnections" | "messageConnections", variable: string, what: string) =>
  integer(
    variable,
    defaultSettings[name],
    { minimum: 1, maximum: 10_000 },
    `Connections to a provider's host for ${what}, per customer and process.`
  )

/** Every setting. A test compares `docs/configuration.md` with this. */
export const settings = {
  host: text("PEYK_HOST", "127.0.0.1", "The address to listen on."),
  port: integer(
    "PEYK_PORT",
    8080,
    { minimum: 0, maximum: 65_535 },
    "The port to listen on; 0 picks a free one."
  ),
  databaseUrl: databaseUrl("DATABASE_URL", "PostgreSQL ≥ 15. Without it Peyk runs an embedded one."),
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
  dataDirectory: text(
    "PEYK_DATA_DIR",
    "./data",
    "The directory of the embedded store, its secret and the demo keys."
  ),
  secret: optionalSecret(
    "PEYK_SECRET",
    "created when embedded",
    "Master secret: 32 random bytes in base64. Required with DATABASE_URL."
  ),
  simulator: optionalFlag(
    "PEYK_SIMULATOR",
    "on when embedded on loopback",
    "Enables simulated accounts and the page /simulator."
  ),
  trustedProxies: integer(
    "PEYK_TRUSTED_PROXIES",
    0,
    { minimum: 0, maximum: 10 },
    "The number of proxies in front that append to X-Forwarded-For."
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
  ),
  logLevel: {
    name: "PEYK_LOG_LEVEL",
    byDefault: "Info",
    description: "Debug, Info, Warn, Error or None.",
    config: Config.withDefault(Config.LogLevel("PEYK_LOG_LEVEL"), "Info" as const)
  },
  logFormat: {
    name: "PEYK_LOG_FORMAT",
    byDefault: "auto",
    description: "json, pretty, or auto: pretty on a terminal, else json.",
    config: Config.withDefault(
      Config.Literals(["auto", "json", "pretty"], "PEYK_LOG_FORMAT"),
      "auto" as const
    )
  },
  metricsToken: optionalSecret(
    "PEYK_METRICS_TOKEN",
    "",
    "The bearer token for /metrics, which is 401 without it if PEYK_HOST is not loopback."
  ),
  guard: {
    name: "PEYK_GUARD",
    byDefault: "enforcing",
    description: "The strictest guard mode that customers can choose: off, record or enforcing.",
    config: Config.withDefault(
      Config.Literals(["off", "record", "enforcing"], "PEYK_GUARD"),
      "enforcing" as const
    )
  },
  codeLength: integer(
    "PEYK_CODE_LENGTH",
    defaultSettings.codeLength,
    { minimum: 4, maximum: 10 },
    "Digits of a code."
  ),
  maxWrongCodes: integer(
    "PEYK_MAX_WRONG_CODES",
    defaultSettings.maxWrongCodes,
    { minimum: 1, maximum: 10 },
    "Wrong codes before a verification is locked."
  ),
  providerTimeoutMillis: integer(
    "PEYK_PROVIDER_TIMEOUT_MS",
    defaultSettings.providerTimeoutMillis,
    { minimum: 100, maximum: 120_000 },
    "Time-out for a provider; after it the outcome is unknown."
  ),
  leaseMillis: integer(
    "PEYK_LEASE_MS",
    defaultSettings.leaseMillis,
    { minimum: 300, maximum: 600_000 },
    "How soon others continue the work of a dead process."
  ),
  idempotencyMillis: integer(
    "PEYK_IDEMPOTENCY_MS",
    defaultSettings.idempotencyMillis,
    { minimum: MINUTE_MILLIS, maximum: 30 * DAY_MILLIS },
    "How long Peyk remembers an idempotency key."
  ),
  messagePatienceMillis: integer(
    "PEYK_MESSAGE_PATIENCE_MS",
    defaultSettings.messagePatienceMillis,
    { minimum: 0, maximum: DAY_MILLIS },
    "How long a due message waits for an account that can send."
  ),
  graceMillis: integer(
    "PEYK_GRACE_MS",
    defaultSettings.graceMillis,
    { minimum: 0, maximum: 600_000 },
    "How long a stopping process waits for its unfinished work."
  ),
  timerConcurrency: integer(
    "PEYK_TIMER_CONCURRENCY",
    defaultSettings.timerConcurrency,
    { minimum: 1, maximum: 10_000 },
    "Due codes, and due messages, per customer and process at once."
  ),
  codeConnections: connections("codeConnections", "PEYK_CODE_CONNECTIONS", "codes"),
  messageConnections: connections("messageConnections", "PEYK_MESSAGE_CONNECTIONS", "messages"),
  ...processSettings,
  ...limitSettings,
  ...retentionSettings,
  ...endpointSettings,
  ...sessionSettings,
  ...corsSettings,
  allowsPrivateAddresses: flag(
    "PEYK_ALLOW_PRIVATE_ADDRESSES",
    false,
    "Allow http and private addresses for webhooks and bridges: development."
  ),
  maxBodyBytes: integer(
    "PEYK_MAX_BODY_BYTES",
    65_536,
    { minimum: 1024, maximum: 10_485_760 },
    "The largest request body."
  )
} as const

type ConfigOf<S> = S extends Setting<infer A> ? A : never
export type Configuration = { readonly [K in keyof typeof settings]: ConfigOf<(typeof settings)[K]> }

const configs = Object.fromEntries(Object.entries(settings).map(([key, { config }]) => [key, config]))

/** All settings, read and checked. */
export const configuration: Config.Config<Configuration> = Config.map(
  Config.all(configs),
  (all) => all as Configuration
)
