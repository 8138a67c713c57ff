import { ByteSize, Layer } from "effect"
import { HttpIncomingMessage, HttpRouter } from "effect/http"
import { maxHeaderSize } from "node:http"
import { availableParallelism } from "node:os"
import { ServingMetrics } from "../../http/server/RequestMetrics.ts"
import { Serving } from "../../http/server/Serving.ts"
import { PostedReports } from "../../services/provider/PostedReports.ts"
import { TimerRunner } from "../../services/timer/TimerRunner.ts"
import type { Configuration } from "../config/Configuration.ts"
import { batchPatience, SerializeWrites } from "../postgres/batching/StatementBatch.ts"
import { BatchMetricsCounted } from "../postgres/batching/BatchMetrics.ts"
import { GarbageCollection } from "../system/GarbageCollection.ts"
import { Telemetry } from "../system/Telemetry.ts"
import { httpRoutes, httpServerLayer, servingLayer } from "./HttpGraph.ts"
import { SharedServices } from "./SharedServices.ts"
import { scheduleInboxChecks, emptySimulatorThatIsOff, scheduleRounds } from "./StartupTasks.ts"
import { timerGraph } from "./TimerGraph.ts"
import { useCases } from "./UseCases.ts"

/**
 * Serves the API and runs due work. On a stop, first no more due work begins, then requests get their responses, and
 * then the services that they need end.
 */
export const Service = (configuration: Configuration, graphs = useCases) =>
  Layer.provide(TimerRunner.layerLoop, timerGraph(graphs)).pipe(
    Layer.provideMerge(Serving.layerDrain),
    Layer.provideMerge(
      HttpRouter.serve(httpRoutes(configuration, graphs), { disableLogger: true, disableListenLog: true })
    ),
    Layer.provide([
      scheduleInboxChecks,
      scheduleRounds,
      emptySimulatorThatIsOff(configuration),
      ServingMetrics
    ]),
    Layer.provide([
      // As long as Node allows: an id that is too long is then refused as an id.
      Layer.succeed(HttpRouter.RouterConfig, { maxParamLength: maxHeaderSize }),
      Layer.succeed(HttpIncomingMessage.MaxBodySize, ByteSize.bytes(configuration.maxBodyBytes)),
      Layer.provide(PostedReports.layer, graphs.live)
    ]),
    Layer.provideMerge(httpServerLayer(configuration)),
    Layer.provideMerge(servingLayer(configuration, graphs)),
    Layer.provide(SharedServices),
    Layer.provide([
      Telemetry,
      GarbageCollection,
      BatchMetricsCounted,
      batchPatience(configuration.statementTimeoutMillis),
      Layer.succeed(SerializeWrites, configuration.processes >= availableParallelism())
    ])
  )
