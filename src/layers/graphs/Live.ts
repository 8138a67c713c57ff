import { ByteSize, Clock, Effect, Layer } from "effect"
import { HttpIncomingMessage, HttpRouter } from "effect/http"
import { maxHeaderSize } from "node:http"
import { availableParallelism } from "node:os"
import { ServingMetrics } from "../../http/server/RequestMetrics.ts"
import { Serving } from "../../http/server/Serving.ts"
import type { Configuration } from "../config/Configuration.ts"
import { httpRoutes, httpServerLayer, servingLayer } from "./HttpGraph.ts"
import { hasSimulator } from "./Infrastructure.ts"
import { SharedServices } from "./SharedServices.ts"
import { timerGraph } from "./TimerGraph.ts"
import { useCases } from "./UseCases.ts"
import { BatchMetricsCounted, SerializeWrites } from "../postgres/batching/StatementBatch.ts"
import { batchPatience } from "../postgres/WatchedPool.ts"
import { emptySimulator } from "../provider/SimulatorSql.ts"
import { GarbageCollection } from "../system/GarbageCollection.ts"
import { ProcessLease } from "../system/ProcessLease.ts"
import { Telemetry } from "../system/Telemetry.ts"
import { PlatformTimersSql } from "../timer/TimerStoreSql.ts"
import { BotInboxStore } from "../../services/account/BotInboxes.ts"
import { PostedReports } from "../../services/provider/PostedReports.ts"
import { TimerRunner } from "../../services/timer/TimerRunner.ts"
import { platformRounds, PlatformTimers } from "../../services/timer/TimerStore.ts"

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
      ProcessLease,
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

/** At every start: the settings decide whether updates are posted or polled, and they may have changed. */
const scheduleInboxChecks = Layer.effectDiscard(
  Effect.gen(function* () {
    const inboxes = yield* BotInboxStore
    yield* inboxes.wakeAll(yield* Clock.currentTimeMillis)
  })
)

const emptySimulatorThatIsOff = (configuration: Configuration) =>
  hasSimulator(configuration) ? Layer.empty : Layer.effectDiscard(emptySimulator)

const scheduleRounds = Layer.effectDiscard(
  Effect.gen(function* () {
    const timers = yield* PlatformTimers
    const now = yield* Clock.currentTimeMillis
    for (const round of platformRounds) yield* timers.schedule(round, now)
  })
).pipe(Layer.provide(PlatformTimersSql))
