import { Config } from "effect"
import { DAY_MILLIS, MINUTE_MILLIS } from "../../domain/Instant.ts"
import { defaultSettings } from "../../services/Settings.ts"
import { integer } from "./Setting.ts"

const connections = (name: "codeConnections" | "messageConnections", variable: string, what: string) =>
  integer(
    variable,
    defaultSettings[name],
    { minimum: 1, maximum: 10_000 },
    `Connections to a provider's host for ${what}, per customer and process.`
  )

/** How codes and messages are sent. */
export const sendSettings = {
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
  messageConnections: connections("messageConnections", "PEYK_MESSAGE_CONNECTIONS", "messages")
} as const
