import { type Cause, Clock, Context, Effect, Layer } from "effect"
import type { Instant } from "../../domain/Instant.ts"
import { gauge, withoutSpans } from "../../services/system/Observability.ts"
import { MaintenanceSql } from "./MaintenanceSql.ts"
import { notNowIn, withReason } from "./StoreAvailability.ts"

const PROBE_PAUSE = "2 seconds"
/** For this long after a statement failed because of the disk, the store counts as failing, whatever a probe shows. */
const DISTRUST_MILLIS = 5000

/** Allocates half a megabyte of new blocks, and releases them. */
export const tryToWrite = Effect.flatMap(
  MaintenanceSql,
  ({ sql }) => sql`create temp table peyk_write_probe on commit drop as
    select repeat('.', 1000) as filler from generate_series(1, 512)`
)

/**
 * Whether PostgreSQL really works, and does not only respond: only statements that write notice a full disk. Their
 * failures are remembered. A process that is not ready gets no more of them, so a probe finds out when it is over.
 */
export class StoreWrites extends Context.Service<
  StoreWrites,
  {
    /** Called with the error of a statement. */
    readonly failed: (cause: Cause.Cause<unknown>) => void
    readonly areFailing: () => boolean
    /** Tries to write, after writes were failing. */
    readonly probe: Effect.Effect<void, never, MaintenanceSql>
  }
>()("peyk/layers/postgres/StoreWrites") {
  static readonly layer = Layer.effect(
    StoreWrites,
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      let failedAt: Instant | null = null
      let unlogged: string | null = null
      gauge(yield* Effect.context<never>(), "peyk_database_writable", {
        description:
          "0 while PostgreSQL refuses to work (its disk is full, it is read-only, it stops), else 1.",
        read: () => Number(failedAt === null)
      })
      const failed = (cause: Cause.Cause<unknown>) => {
        const error = notNowIn(cause)
        if (error === undefined) return
        if (failedAt === null) unlogged = withReason(error)
        failedAt = clock.currentTimeMillisUnsafe()
      }
      const logFirst = Effect.suspend(() => {
        if (unlogged === null) return Effect.void
        const reason = unlogged
        unlogged = null
        return Effect.logWarning(`PostgreSQL refuses to work: ${reason}`)
      })
      const probe = Effect.gen(function* () {
        if (failedAt === null) return
        yield* logFirst
        // Its own failure counts like any other.
        yield* Effect.exit(tryToWrite)
        if (failedAt === null || clock.currentTimeMillisUnsafe() - failedAt < DISTRUST_MILLIS) return
        failedAt = null
        yield* Effect.logInfo("PostgreSQL takes writes again")
      })
      return StoreWrites.of({ failed, areFailing: () => failedAt !== null, probe })
    })
  )

  /** Probes for as long as the layer lives. */
  static readonly layerProbes = Layer.effectDiscard(
    Effect.flatMap(StoreWrites, ({ probe }) =>
      Effect.forkScoped(Effect.forever(withoutSpans(Effect.andThen(Effect.sleep(PROBE_PAUSE), probe))))
    )
  )
}
