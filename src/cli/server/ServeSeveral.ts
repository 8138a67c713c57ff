import { Effect, Layer, Queue } from "effect"
import type { Configuration } from "../../layers/config/Configuration.ts"
import { Infrastructure } from "../../layers/graphs/Infrastructure.ts"
import { ManagementLive } from "../../layers/graphs/Management.ts"
import { claimSharedPort } from "../../layers/system/SharedPort.ts"
import { supervise } from "../../layers/system/Supervisor.ts"
import { locate } from "../../layers/postgres/StoreLocation.ts"
import { ClockComparison } from "../../layers/postgres/ClockComparison.ts"
import { whenStoreWorks } from "./StoreWait.ts"
import { exitWhenStuck, stopMillis } from "./Stopping.ts"
import { announce, prepareDemo } from "../output/Welcome.ts"

/** For the supervisor, in addition to what its processes get. */
const SUPERVISOR_STUCK_MILLIS = 5000

/** Counts each SIGHUP, also one that arrives during a replacement. */
const hangUps = Effect.gen(function* () {
  const signals = yield* Queue.sliding<"SIGHUP">(1)
  const offer = () => void Queue.offerUnsafe(signals, "SIGHUP")
  yield* Effect.acquireRelease(
    Effect.sync(() => process.on("SIGHUP", offer)),
    () => Effect.sync(() => process.off("SIGHUP", offer))
  )
  return signals
})

/**
 * Supervises several processes on one port: runs the embedded store (if there is one), upgrades the schema once, starts
 * the processes, restarts those that die, and replaces them one after the other on SIGHUP.
 */
export const serveSeveral = (configuration: Configuration) =>
  Effect.gen(function* () {
    const { host, port: wanted, processes, hangMillis } = configuration
    const stopping = stopMillis(configuration)
    yield* exitWhenStuck(stopping + SUPERVISOR_STUCK_MILLIS)
    yield* locate(configuration)
    const port = yield* claimSharedPort(host, wanted)
    const demo = yield* prepareDemo(configuration).pipe(
      Effect.provide(
        ManagementLive.pipe(
          Layer.provideMerge(ClockComparison),
          Layer.provideMerge(Infrastructure(configuration))
        )
      ),
      whenStoreWorks
    )
    const signals = yield* hangUps
    const { failed, replaceAll } = yield* supervise({
      count: processes,
      port,
      stopMillis: stopping,
      hangMillis
    })
    yield* announce(configuration, port, demo)
    const follow = Effect.forever(Effect.andThen(Queue.take(signals), replaceAll))
    return yield* Effect.raceFirst(failed, follow)
  }).pipe(Effect.scoped)
