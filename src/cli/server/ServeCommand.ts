import { Console, Effect, Layer, Option } from "effect"
import { Command, Flag } from "effect/cli"
import { HttpServer } from "effect/http"
import { SqlClient } from "effect/sql"
import { withConfiguration, withStorePlace } from "../CommandContext.ts"
import { printOne } from "../output/Output.ts"
import { announce, prepareDemo } from "../output/Welcome.ts"
import { serveSeveral } from "./ServeSeveral.ts"
import { exitWhenStuck, stopMillis } from "./Stopping.ts"
import { whenStoreWorks } from "./StoreWait.ts"
import { nearest } from "../../domain/text/NearestName.ts"
import { type Configuration, settings } from "../../layers/config/Configuration.ts"
import { Infrastructure } from "../../layers/graphs/Infrastructure.ts"
import { Service } from "../../layers/graphs/Live.ts"
import { ManagementLive } from "../../layers/graphs/Management.ts"
import { appliedMigration } from "../../layers/postgres/Migrations.ts"
import { MigrationSql } from "../../layers/postgres/Pools.ts"
import { withReason } from "../../layers/postgres/StoreAvailability.ts"
import { StoreClock } from "../../layers/postgres/StoreClock.ts"
import { isEmbedded } from "../../layers/postgres/StoreLocation.ts"
import { distributeTables } from "../../layers/postgres/Citus.ts"
import { isPresent } from "../../layers/postgres/embedded/EmbeddedPostgres.ts"
import { cannotListen, checkPort } from "../../layers/system/SharedPort.ts"
import { StartupError } from "../../layers/system/StartupError.ts"
import { NUMBER_VARIABLE, ownNumber, reportReady } from "../../layers/system/Supervised.ts"

const PREFIX = "PEYK_"

const known: ReadonlyArray<string> = [...Object.values(settings).map(({ name }) => name), NUMBER_VARIABLE]

const withoutPrefix = (name: string): string => (name.startsWith(PREFIX) ? name.slice(PREFIX.length) : name)

const knownByShortName = new Map(known.map((name) => [withoutPrefix(name), name]))

/** The setting that an unknown variable may mean. The common prefix does not make names similar. */
export const describeUnknown = (name: string): string => {
  const meant = knownByShortName.get(nearest(withoutPrefix(name), [...knownByShortName.keys()]) ?? "")
  return meant === undefined ? `${name} is no setting` : `${name} is no setting; did you mean ${meant}?`
}

/** The variables that look like settings and are not. */
export const unknownSettings = (names: ReadonlyArray<string>): ReadonlyArray<string> =>
  names.filter((name) => name.startsWith(PREFIX) && !known.includes(name)).toSorted()

/** Logs them: a misspelled setting has no effect. */
export const warnOfUnknownSettings = Effect.suspend(() =>
  Effect.forEach(
    unknownSettings(Object.keys(process.env)),
    (name) => Effect.logWarning(`${describeUnknown(name)} (docs/configuration.md lists them all)`),
    { discard: true }
  )
)

const listeningPort = Effect.map(HttpServer.HttpServer, ({ address }) =>
  "port" in address ? address.port : 0
)

const sayWhatTakesLong = (configuration: Configuration) =>
  isEmbedded(configuration) && !isPresent(configuration.dataDirectory)
    ? Console.log(`Creating a store in ${configuration.dataDirectory}: this takes some seconds, once.`)
    : Effect.void

/** The only process. */
const alone = (configuration: Configuration) =>
  Layer.unwrap(
    Effect.map(prepareDemo(configuration), (demo) =>
      Effect.flatMap(listeningPort, (port) => announce(configuration, port, demo)).pipe(
        Layer.effectDiscard,
        Layer.provide(Service(configuration))
      )
    )
  )

/** One of several, whose supervisor has prepared everything and reports on all of them. */
const oneOfSeveral = (configuration: Configuration) =>
  Layer.provide(Layer.effectDiscard(reportReady), Service(configuration))

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
export const serve = (configuration: Configuration) =>
  Effect.gen(function* () {
    const number = yield* ownNumber
    if (Option.isNone(number)) {
      yield* warnOfUnknownSettings
      yield* checkPort(configuration.host, configuration.port)
      yield* sayWhatTakesLong(configuration)
    }
    if (configuration.processes === 1) return yield* launch(configuration, alone(configuration))
    if (Option.isNone(number)) return yield* serveSeveral(configuration)
    const serving = launch(configuration, oneOfSeveral(configuration))
    return yield* Effect.annotateLogs(serving, "process", number.value)
  })

const serveCommand = Command.make("serve", {}, () =>
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

const migrateCommand = Command.make(
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

export const commands = { serve: serveCommand, migrate: migrateCommand }
