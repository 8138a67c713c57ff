import { type Cause, Context, Effect, Layer, Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import type { SqlClient, SqlError } from "effect/sql"
import { MINUTE_MILLIS } from "../../domain/Instant.ts"
import { connectionsToNode, noteNodes } from "./CellNodes.ts"
import {
  type Cell,
  cellOfPlace,
  connectionsOfCells,
  CurrentPlace,
  NO_CELLS,
  pathOf,
  type StoreCells
} from "./CellsSql.ts"
import { ConnectionWatch } from "./ConnectionWatch.ts"
import type { StoreAddress } from "./Primary.ts"
import { isTemporary, notNowIn, withReason } from "./StoreAvailability.ts"
import { StoreWrites } from "./StoreWrites.ts"
import { clientOver, type Connections, makeWatchedSql } from "./WatchedSql.ts"
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
interface Patience {
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

interface CellPool {
  readonly sql: SqlClient.SqlClient
  readonly connections: Connections
}

type PoolOptions = StoreAddress & Patience

/** A cell's connections: through the coordinator, and in a cluster those of batches to the cell's node. */
interface CellPools {
  readonly store: Connections
  readonly node: Connections
  /** Whether the node's are used now. */
  readonly isReady: () => boolean
}

type MakePool<E, R> = (
  options: PoolOptions,
  failed?: (cause: Cause.Cause<unknown>) => void
) => Effect.Effect<CellPool, E, R>

/** Statements of batches are planned once, as on one PostgreSQL: through the coordinator, Citus plans each again. */
const NODE_PLANS = { plan_cache_mode: "force_generic_plan" } as const

/**
 * A pool, and in a store of several cells one for each of them: the fiber's cell decides.
 *
 * @param toNodes whether statements about a cell alone go to its node
 */
export const poolInCells = <E, R>(
  options: PoolOptions,
  { all, searchPath, areApart }: StoreCells,
  makePool: MakePool<E, R>,
  toNodes = false
): Effect.Effect<CellPool, E, R | Scope.Scope> =>
  Effect.gen(function* () {
    const store = yield* makePool(options)
    if (all.length === 0) return store
    const context = yield* Effect.context<R | Scope.Scope>()
    const made = new Map<number, Effect.Effect<CellPools>>()
    const pathed = (path: string) => ({ ...options.startupParameters, search_path: path })
    const connectionsAt = (address: PoolOptions, failed?: (cause: Cause.Cause<unknown>) => void) =>
      Effect.map(makePool(address, failed), ({ connections }) => connections)
    const poolsOf = Effect.fnUntraced(function* (cell: Cell) {
      const own = yield* connectionsAt({ ...options, startupParameters: pathed(pathOf(cell, searchPath)) })
      if (!areApart || !toNodes) return { store: own, node: own, isReady: () => false }
      const node = yield* connectionsToNode({
        address: options,
        cell,
        coordinator: own,
        makePool: ({ address, searchPath: path, scope, failed }) => {
          const plans = options.startupParameters?.["plan_cache_mode"] === undefined ? {} : NODE_PLANS
          const startupParameters = { ...pathed(path), ...plans }
          const atNode: PoolOptions = {
            ...address,
            patienceMillis: options.patienceMillis,
            startupParameters
          }
          return Effect.provideContext(
            connectionsAt(atNode, failed),
            Context.add(context, Scope.Scope, scope)
          )
        }
      })
      return { store: own, node: node.connections, isReady: node.isReady }
    })
    /** Made when the first statement needs it: cells can be added while this process runs. */
    const poolsIn = (cell: Cell) => {
      const known = made.get(cell.id)
      if (known !== undefined) return known
      const forget = Effect.sync(() => made.delete(cell.id))
      const making = Effect.uninterruptible(
        Effect.onError(Effect.provideContext(poolsOf(cell), context), () => forget)
      )
      const once = Effect.runSync(Effect.cached(Effect.orDie(making)))
      made.set(cell.id, once)
      return once
    }
    const connections = connectionsOfCells(store.connections, (cell, isAlone) =>
      Effect.map(poolsIn(cell), (pools) => (isAlone ? pools.node : pools.store))
    )
    const sql = yield* Effect.provide(clientOver(connections), Reactivity.layer)
    const atNode = Effect.flatMap(CurrentPlace, (place) =>
      place.isAlone === true
        ? Effect.flatMap(cellOfPlace(place), (cell) =>
            cell === null ? Effect.succeed(false) : Effect.map(poolsIn(cell), ({ isReady }) => isReady())
          )
        : Effect.succeed(false)
    )
    if (areApart && toNodes) noteNodes(sql, atNode)
    return { sql, connections }
  })

/** Separate connections for one purpose. */
export const poolOf = <Self>(
  purpose: Context.Key<Self, SqlClient.SqlClient>,
  options: StoreAddress & Patience,
  cells: StoreCells = NO_CELLS,
  toNodes = false
) =>
  Layer.effect(
    purpose,
    Effect.map(poolInCells(options, cells, watchedPool, toNodes), ({ sql }) => sql)
  )
