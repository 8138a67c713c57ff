import { Config, Schema } from "effect"
import { availableParallelism } from "node:os"
import { HOUR_MILLIS, MINUTE_MILLIS } from "../../domain/Instant.ts"
import { DEFAULT_HANG_MILLIS, MIN_HANG_MILLIS } from "../../domain/Schedules.ts"
import { defaultBodies } from "../../http/BodyLimits.ts"
import { defaultOverload } from "../../http/server/Gate.ts"
import { defaultConnections } from "../../http/server/OpenSockets.ts"
import { integer, IntegerText, type Setting } from "./Setting.ts"

const MAX_PROCESSES = 256
const Count = IntegerText.check(Schema.isBetween({ minimum: 1, maximum: MAX_PROCESSES }))

const processes: Setting<number> = {
  name: "PEYK_PROCESSES",
  byDefault: "1",
  description: "Server processes on the one port; `auto`: one per processor.",
  config: Config.withDefault(
    Config.schema(Schema.Union([Schema.Literal("auto"), Count]), "PEYK_PROCESSES").pipe(
      Config.map((count) => (count === "auto" ? Math.min(availableParallelism(), MAX_PROCESSES) : count))
    ),
    1
  )
}

const HangMillis = IntegerText.check(
  Schema.makeFilter(
    (millis) =>
      millis === 0 ||
      (millis >= MIN_HANG_MILLIS && millis <= HOUR_MILLIS) ||
      `0, or from ${MIN_HANG_MILLIS} to ${HOUR_MILLIS} ms are expected`
  )
)

const hangMillis: Setting<number> = {
  name: "PEYK_HANG_MS",
  byDefault: String(DEFAULT_HANG_MILLIS),
  description: "A process that does not respond for this long is restarted. 0: never, else ≥ 1000.",
  config: Config.withDefault(Config.schema(HangMillis, "PEYK_HANG_MS"), DEFAULT_HANG_MILLIS)
}

/** The number of processes, and how much one of them accepts before it refuses more. */
export const processSettings = {
  processes,
  hangMillis,
  maxRequestsInFlight: integer(
    "PEYK_MAX_REQUESTS_IN_FLIGHT",
    defaultOverload.maxRequestsInFlight,
    { minimum: 1, maximum: 1_000_000 },
    "Requests per process at once; more get 503."
  ),
  overloadDelayMillis: integer(
    "PEYK_OVERLOAD_DELAY_MS",
    defaultOverload.overloadDelayMillis,
    { minimum: 50, maximum: MINUTE_MILLIS },
    "If requests take longer than this, without waits for providers, Peyk refuses some (503)."
  ),
  maxConnections: integer(
    "PEYK_MAX_CONNECTIONS",
    defaultConnections.maxConnections,
    { minimum: 1, maximum: 1_000_000 },
    "Client connections per process; more are closed at once."
  ),
  maxConnectionsPerAddress: integer(
    "PEYK_MAX_CONNECTIONS_PER_ADDRESS",
    defaultConnections.maxConnectionsPerAddress,
    { minimum: 0, maximum: 1_000_000 },
    "The same for each client address, without trusted proxies; 0: no limit."
  ),
  bodyTimeoutMillis: integer(
    "PEYK_BODY_TIMEOUT_MS",
    defaultBodies.bodyTimeoutMillis,
    { minimum: 100, maximum: 600_000 },
    "Time for a whole body (batches, contacts: twice that), then 408."
  ),
  keepAliveMillis: integer(
    "PEYK_KEEP_ALIVE_MS",
    defaultConnections.keepAliveMillis,
    { minimum: 100, maximum: HOUR_MILLIS },
    "Idle connections are closed after this; a proxy must close them earlier."
  ),
  writeTimeoutMillis: integer(
    "PEYK_WRITE_TIMEOUT_MS",
    defaultConnections.writeTimeoutMillis,
    { minimum: 100, maximum: 600_000 },
    "A connection whose client reads nothing of a response for this long is closed."
  )
} as const
