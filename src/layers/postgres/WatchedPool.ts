import { type Cause, Context, Effect, Layer } from "effect"
import { Reactivity } from "effect/reactivity"
import type { SqlClient, SqlError } from "effect/sql"
import { MINUTE_MILLIS } from "../../domain/Instant.ts"
import { ConnectionWatch } from "./ConnectionWatch.ts"
import type { StoreAddress } from "./Primary.ts"
import { isTemporary, notNowIn, withReason } from "./StoreAvailability.ts"
import { StoreWrites } from "./StoreWrites.ts"
import { makeWatchedSql } from "./WatchedSql.ts"
import { withoutSpans } from "../../services/system/Observability.ts"
import { StartupError } from "../system/StartupError.ts"

/** How much longer than PostgreSQL's time-out this process waits for the response. */
export const ANSWER_MILLIS = 1500
/** The wait if Peyk sets no time-out. */
const UNLIMITED_PATIENCE_MILLIS = MINUTE_MILLIS

/** Neither a statement nor a transaction of a paused process can block others forever. */
export const timeouts = (millis: number) =>
  millis === 0
    ? { startupParameters: {} }
    : {
        startupParameters: {
          statement_timeout: String(millis),
          idle_in_transaction_session_timeout: String(millis)
        }
      }

export const unreachable = (error: SqlError.SqlError) =>
  new StartupError({
    message: `PostgreSQL cannot be reached: ${withReason(error)}`,
    isTemporary: isTemporary(error)
  })

/** How long the connections of a pool can be silent while a statement waits. */
export interface Patience {
  readonly patienceMillis: number
}

export const patienceFor = (statementTimeoutMillis: number): number =>
  statementTimeoutMillis === 0 ? UNLIMITED_PATIENCE_MILLIS : statementTimeoutMillis + ANSWER_MILLIS

const TICK_MILLIS = 500

/**
 * How long a request waits for the statement of a batch, including those before it: as long as any other statement
 * waits for a silent connection. Without a limit a request would wait for each of them in turn. Time is counted in
 * ticks of this process, so a process that was paused gives nothing up that has its response already.
 */
export const BatchPatience = Context.Reference<{
  readonly ticks: number
  readonly now: () => number
  /** Calls this once a tick. */
  readonly eachTick: (giveUp: () => void) => void
}>("peyk/layers/postgres/WatchedPool/BatchPatience", {
  defaultValue: () => ({ ticks: Number.POSITIVE_INFINITY, now: () => 0, eachTick: () => {} })
})

export const batchPatience = (statementTimeoutMillis: number) =>
  Layer.effect(
    BatchPatience,
    Effect.gen(function* () {
      let now = 0
      const each: Array<() => void> = []
      const tick = Effect.map(Effect.sleep(TICK_MILLIS), () => {
        now += 1
        for (const giveUp of each) giveUp()
      })
      yield* Effect.forkScoped(Effect.forever(withoutSpans(tick)))
      return {
        ticks: Math.ceil(patienceFor(statementTimeoutMillis) / TICK_MILLIS),
        now: () => now,
        eachTick: (giveUp) => void each.push(giveUp)
      }
    })
  )

/** While connections are silent, a request has a response this long after the time-out of a statement. */
const RESPONSE_MILLIS = 2000
/** Overdue requests are looked for every quarter of a second, in a process that can be busy. */
const LOOK_MILLIS = 500

/** How long a request may take while connections are silent, until it is given up. */
export const silentRequestMillis = (statementTimeoutMillis: number): number =>
  (statementTimeoutMillis === 0 ? UNLIMITED_PATIENCE_MILLIS : statementTimeoutMillis + RESPONSE_MILLIS) -
  LOOK_MILLIS

/** `failed` is called with the error of each statement. */
export const watchedBy = (options: StoreAddress & Patience, failed: (cause: Cause.Cause<unknown>) => void) =>
  Effect.gen(function* () {
    const watched = (yield* ConnectionWatch).pool(options.patienceMillis, failed)
    const pool = yield* Effect.mapError(
      Effect.provide(makeWatchedSql(options, watched, options.patienceMillis), Reactivity.layer),
      unreachable
    )
    return { ...pool, closeAll: Effect.sync(watched.closeAll) }
  })

export const watchedPool = (
  options: StoreAddress & Patience,
  alsoFailed: (cause: Cause.Cause<unknown>) => void = () => {}
) =>
  Effect.flatMap(StoreWrites, ({ failed }) =>
    watchedBy(options, (cause) => {
      failed(cause)
      alsoFailed(cause)
      if (notNowIn(cause) !== undefined) options.primary?.suspect()
    })
  )

/** Makes the connections for one purpose. */
export type PoolOf = <Self>(
  purpose: Context.Key<Self, SqlClient.SqlClient>,
  options: StoreAddress & Patience
) => Layer.Layer<Self, StartupError, ConnectionWatch | StoreWrites>

export const onePool: PoolOf = (purpose, options) =>
  Layer.effect(
    purpose,
    Effect.map(watchedPool(options), ({ sql }) => sql)
  )
