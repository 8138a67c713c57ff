import { Config, Schema } from "effect"
import { availableParallelism } from "node:os"
import { integer, type Setting } from "./Setting.ts"

const MAX_PROCESSES = 256
const Count = Schema.FiniteFromString.check(
  Schema.isInt(),
  Schema.isBetween({ minimum: 1, maximum: MAX_PROCESSES })
)

const processes: Setting<number> = {
  name: "PEYK_PROCESSES",
  byDefault: "1",
  description: "Processes that serve on the one port; `auto` is one for each processor.",
  config: Config.withDefault(
    Config.schema(Schema.Union([Schema.Literal("auto"), Count]), "PEYK_PROCESSES").pipe(
      Config.map((count) => (count === "auto" ? Math.min(availableParallelism(), MAX_PROCESSES) : count))
    ),
    1
  )
}

/** How many processes there are, and how much one of them takes on before it refuses more. */
export const processSettings = {
  processes,
  hangMillis: integer(
    "PEYK_HANG_MS",
    30_000,
    { minimum: 0, maximum: 3_600_000 },
    "Of several processes, one that has not answered for this long is killed and started again; 0 is never."
  ),
  maxRequestsInFlight: integer(
    "PEYK_MAX_REQUESTS_IN_FLIGHT",
    4096,
    { minimum: 1, maximum: 1_000_000 },
    "Requests that a process works on at once, with those that wait for a provider; more are refused with 503."
  ),
  overloadDelayMillis: integer(
    "PEYK_OVERLOAD_DELAY_MS",
    500,
    { minimum: 50, maximum: 60_000 },
    "When answers take longer than this, without the provider's part, requests are refused with 503 until they do not."
  ),
  maxConnections: integer(
    "PEYK_MAX_CONNECTIONS",
    10_000,
    { minimum: 1, maximum: 1_000_000 },
    "Connections that a process has open to its clients; more are closed as they come."
  ),
  bodyTimeoutMillis: integer(
    "PEYK_BODY_TIMEOUT_MS",
    5000,
    { minimum: 100, maximum: 600_000 },
    "How long a request's body may take to arrive, as a whole; batches and contacts have twice that. Then it is 408."
  )
} as const
