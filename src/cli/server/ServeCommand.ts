import { Console, Effect, Layer, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { HttpServer } from "effect/http"
import { SqlClient } from "effect/sql"
import type { Configuration } from "../../layers/config/Configuration.ts"
import { Infrastructure } from "../../layers/graphs/Infrastructure.ts"
import { Service } from "../../layers/graphs/Live.ts"
import { ManagementLive } from "../../layers/graphs/Management.ts"
import { useCases } from "../../layers/graphs/UseCases.ts"
import { distributeTables } from "../../layers/postgres/citus/DistributedTables.ts"
import { isPresent } from "../../layers/postgres/embedded/EmbeddedPostgres.ts"
import { isEmbedded } from "../../layers/postgres/StoreLocation.ts"
import { appliedMigration } from "../../layers/postgres/Migrations.ts"
import { withReason } from "../../layers/postgres/StoreAvailability.ts"
import { MigrationSql } from "../../layers/postgres/Pools.ts"
import { cannotListen, checkPort } from "../../layers/process/SharedPort.ts"
import { ownNumber, reportReady } from "../../layers/process/Supervised.ts"
import { StartupError } from "../../layers/process/StartupError.ts"
import { StoreClock } from "../../layers/postgres/StoreClock.ts"
import { withConfiguration, withStorePlace } from "../CommandContext.ts"
import { printOne } from "../output/Output.ts"
import { serveSeveral } from "./ServeSeveral.ts"
import { whenStoreWorks } from "./StoreWait.ts"
import { exitWhenStuck, stopMillis } from "./Stopping.ts"
import { warnOfUnknownSettings } from "../input/UnknownSettings.ts"
import { announce, prepareDemo } from "../output/Welcome.ts"

const listeningPort = Effect.map(HttpServer.HttpServer, ({ address }) =>
  "port" in address ? address.port : 0
)

const sayWhatTakesLong = (configuration: Configuration) =>
  isEmbedded(configuration) && !isPresent(configuration.dataDirectory)
    ? Console.log(`Creating a store in ${configuration.dataDirectory}: this takes some seconds, once.`)
    : Effect.void

/** The only process. */
const alone = (configuration: Configuration, graphs: typeof useCases) =>
  Layer.unwrap(
    Effect.map(prepareDemo(configuration), (demo) =>
      Effect.flatMap(listeningPort, (port) => announce(configuration, port, demo)).pipe(
        Layer.effectDiscard,
        Layer.provide(Service(configuration, graphs))
      )
    )
  )

/** One of several, whose supervisor has prepared everything and reports on all of them. */
const oneOfSeveral = (configuration: Configuration, graphs: typeof useCases) =>
  Layer.provide(Layer.effectDiscard(reportReady), Service(configuration, graphs))

const launch = (
  configuration: Configuration,
  server: ReturnType<typeof alone> | ReturnType<typeof oneOfSeveral>
) =>
  Layer.launch(
    server.pipe(
      Layer.provide(ManagementLive),
      Layer.provide(StoreClock),
      Layer.provide(Infrastructure(configuration))
    )
  ).pipe(
    Effect.catchTag("ServeError", ({ cause }) =>
      Effect.fail(cannotListen(configuration.host, configuration.port, cause))
    ),
    whenStoreWorks,
    (serving) => Effect.andThen(exitWhenStuck(stopMillis(configuration)), serving)
  )

/** Serves until the process must stop; then finishes its work within the grace time. */
export const serve = (configuration: Configuration, graphs = useCases) =>
  Effect.gen(function* () {
    const number = yield* ownNumber
    if (Option.isNone(number)) {
      yield* warnOfUnknownSettings
      yield* checkPort(configuration.host, configuration.port)
      yield* sayWhatTakesLong(configuration)
    }
    if (configuration.processes === 1) return yield* launch(configuration, alone(configuration, graphs))
    if (Option.isNone(number)) return yield* serveSeveral(configuration)
    const serving = launch(configuration, oneOfSeveral(configuration, graphs))
    return yield* Effect.annotateLogs(serving, "process", number.value)
  })

export const serveCommand = Command.make("serve", {}, () =>
  withConfiguration((configuration) => serve(configuration))
).pipe(
  Command.withExamples([
    { command: "peyk serve", description: "On the embedded store, at http://127.0.0.1:8080" }
  ])
)

/** Enough for eight workers, and few enough that a statement over all of them is quick. */
const SHARDS = 32

const distributeForCitus = Effect.flatMap(MigrationSql, (sql) =>
  Effect.provideService(distributeTables(SHARDS), SqlClient.SqlClient, sql)
).pipe(
  Effect.mapError(
    (error) => new StartupError({ message: `the tables could not be distributed: ${withReason(error)}` })
  )
)

export const migrateCommand = Command.make(
  "migrate",
  {
    citus: Flag.Boolean("citus").pipe(
      Flag.withDescription("Also distribute the tables over the workers of a Citus cluster"),
      Flag.withDefault(false)
    )
  },
  ({ citus }) =>
    withStorePlace((configuration) =>
      Effect.gen(function* () {
        const distributed = citus ? { distributed: (yield* distributeForCitus).join(", ") } : {}
        const applied = yield* Effect.orDie(appliedMigration)
        yield* printOne({ schema: "up to date", migration: applied, ...distributed })
      }).pipe(Effect.provide(Infrastructure(configuration)))
    )
)
