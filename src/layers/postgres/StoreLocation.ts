import { Effect, Option, type Redacted } from "effect"
import * as path from "node:path"
import type { Configuration } from "../config/Configuration.ts"
import { StartupError } from "../system/StartupError.ts"
import * as EmbeddedPostgres from "./embedded/EmbeddedPostgres.ts"
import { hostUrls } from "./Hosts.ts"
import { findPrimary, followPrimary, type StoreAddress } from "./Primary.ts"

export const isEmbedded = ({ databaseUrl }: Configuration): boolean => Option.isNone(databaseUrl)

/** The connections that one process uses in addition to its pool: batches, reports, maintenance, migrations, its presence. */
const OTHER_CONNECTIONS = 12
/** For the command line, and PostgreSQL's own reserve. */
const SPARE_CONNECTIONS = 20
const USUAL_MAX_CONNECTIONS = 100

/** The default of PostgreSQL, or more if the processes need more connections. */
const maxConnections = ({ processes, poolSize }: Configuration): number =>
  Math.max(USUAL_MAX_CONNECTIONS, processes * (poolSize + OTHER_CONNECTIONS) + SPARE_CONNECTIONS)

export const embeddedDirectory = ({ dataDirectory }: Configuration): string =>
  path.join(dataDirectory, "postgres")

const NO_PRIMARY = "PostgreSQL cannot be reached: no host of the URL accepts writes"

/** The address of one host, or of several of which one accepts writes. */
export const addressOf = Effect.fnUntraced(function* (setting: string, url: Redacted.Redacted) {
  const urls = yield* Effect.fromResult(hostUrls(setting, url))
  const [only] = urls
  if (urls.length === 1 && only !== undefined) return { url: only } satisfies StoreAddress
  const first = yield* findPrimary(urls)
  if (first === undefined) return yield* new StartupError({ message: NO_PRIMARY })
  return { url: first, primary: yield* followPrimary(urls, first) } satisfies StoreAddress
})

/** Whether the files of the embedded store have to be made. */
export const isStoreMissing = (configuration: Configuration): boolean =>
  isEmbedded(configuration) && !EmbeddedPostgres.isPresent(embeddedDirectory(configuration))

const forOperator = ({ message }: EmbeddedPostgres.EmbeddedPostgresError) => new StartupError({ message })

export const createStore = (configuration: Configuration) =>
  Effect.mapError(EmbeddedPostgres.create(embeddedDirectory(configuration)), forOperator)

/** Where the store is: the operator's PostgreSQL, or the embedded one, which this starts and keeps for its scope. */
export const locate = Effect.fnUntraced(function* (configuration: Configuration) {
  const { databaseUrl } = configuration
  if (Option.isSome(databaseUrl)) return yield* addressOf("DATABASE_URL", databaseUrl.value)
  const { socketPath, password } = yield* Effect.mapError(
    EmbeddedPostgres.start(embeddedDirectory(configuration), {
      flags: ["-c", `max_connections=${maxConnections(configuration)}`]
    }),
    forOperator
  )
  return { path: socketPath, username: "postgres", password, database: "peyk" }
})
