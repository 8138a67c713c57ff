import { Effect, Layer, Option } from "effect"
import { HttpServer } from "effect/http"
import { announce, prepareDemo } from "../output/Welcome.ts"
import { serveSeveral } from "./ServeSeveral.ts"
import { exitWhenStuck, stopMillis } from "./Stopping.ts"
import { whenStoreWorks } from "./StoreWait.ts"
import type { Configuration } from "../../layers/config/Configuration.ts"
import { Infrastructure } from "../../layers/graphs/Infrastructure.ts"
import { Service } from "../../layers/graphs/Live.ts"
import { ManagementLive } from "../../layers/graphs/Management.ts"
import { ClockComparison } from "../../layers/postgres/ClockComparison.ts"
import { cannotListen } from "../../layers/system/SharedPort.ts"
import { reportReady } from "../../layers/system/Supervised.ts"

const listeningPort = Effect.map(HttpServer.HttpServer, ({ address }) =>
  "port" in address ? address.port : 0
)

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
      Layer.provide(ClockComparison),
      Layer.provide(Infrastructure(configuration))
    )
  ).pipe(
    Effect.catchTag("ServeError", ({ cause }) =>
      Effect.fail(cannotListen(configuration.host, configuration.port, cause))
    ),
    whenStoreWorks,
    (serving) => Effect.andThen(exitWhenStuck(stopMillis(configuration)), serving)
  )

/** The only process, one of several by its number, or the supervisor of several. */
export const serveAs = (number: Option.Option<number>, configuration: Configuration) => {
  if (configuration.processes === 1) return launch(configuration, alone(configuration))
  if (Option.isNone(number)) return serveSeveral(configuration)
  const serving = launch(configuration, oneOfSeveral(configuration))
  return Effect.annotateLogs(serving, "process", number.value)
}
