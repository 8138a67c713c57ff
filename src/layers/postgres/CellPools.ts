import { type Cause, Context, Effect, Layer, Scope } from "effect"
import { Reactivity } from "effect/reactivity"
import type { SqlClient, SqlConnection } from "effect/sql"
import { connectionsToNode } from "./CellNodes.ts"
import {
  beginningAt,
  type Cell,
  cellOfPlace,
  CurrentPlace,
  followingMoves,
  pathOf,
  type StoreCells
} from "./CellsSql.ts"
import type { StoreAddress } from "./Primary.ts"
import { noteClient, RowsAlone } from "./SetUpPlace.ts"
import { type Patience, type PoolOf, watchedPool } from "./WatchedPool.ts"
import { clientOver, type Connections } from "./WatchedSql.ts"

/** The connections of the cell that the fiber works in. */
const connectionsOfCells = (
  store: Connections,
  ofCell: (cell: Cell, isAlone: boolean) => Effect.Effect<Connections>
): Connections => {
  const at = (place: typeof CurrentPlace.Service) =>
    Effect.flatMap(cellOfPlace(place), (cell) =>
      cell === null ? Effect.succeed(store) : Effect.flatMap(RowsAlone, (isAlone) => ofCell(cell, isAlone))
    )
  const chosen = Effect.flatMap(CurrentPlace, at)
  const borrower: SqlConnection.Borrower = (use) =>
    Effect.flatMap(CurrentPlace, (place) =>
      followingMoves(
        place,
        Effect.flatMap(at(place), (found) => found.borrower(use))
      )
    )
  return {
    acquirer: Effect.flatMap(chosen, ({ acquirer }) => acquirer),
    borrower,
    transactionAcquirer: Effect.flatMap(chosen, ({ transactionAcquirer }) => transactionAcquirer)
  }
}

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

/** Citus finds the node of a statement by its parameters, so its coordinator plans each one again. */
const plannedAgain = (options: PoolOptions): PoolOptions =>
  options.startupParameters?.["plan_cache_mode"] === undefined
    ? options
    : { ...options, startupParameters: { ...options.startupParameters, plan_cache_mode: "auto" } }

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
    const throughStore = areApart ? plannedAgain(options) : options
    const store = yield* makePool(throughStore)
    if (all.length === 0) return store
    const context = yield* Effect.context<R | Scope.Scope>()
    const made = new Map<number, Effect.Effect<CellPools>>()
    const connectionsAt = (address: PoolOptions, failed?: (cause: Cause.Cause<unknown>) => void) =>
      Effect.map(makePool(address, failed), ({ connections }) => connections)
    const poolsOf = Effect.fnUntraced(function* (cell: Cell) {
      const own = yield* connectionsAt({
        ...throughStore,
        startupParameters: beginningAt(throughStore, pathOf(cell, searchPath))
      })
      if (!areApart || !toNodes) return { store: own, node: own, isReady: () => false }
      const node = yield* connectionsToNode({
        address: options,
        cell,
        coordinator: own,
        makePool: ({ address, searchPath: path, scope, failed }) => {
          const atNode: PoolOptions = {
            ...address,
            patienceMillis: options.patienceMillis,
            startupParameters: beginningAt(options, path)
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
    const poolsAt = (cell: Cell) => {
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
      Effect.map(poolsAt(cell), (pools) => (isAlone ? pools.node : pools.store))
    )
    const sql = yield* Effect.provide(clientOver(connections), Reactivity.layer)
    const isReady = Effect.flatMap(Effect.flatMap(CurrentPlace, cellOfPlace), (cell) =>
      cell === null ? Effect.succeed(false) : Effect.map(poolsAt(cell), (pools) => pools.isReady())
    )
    const atNode = Effect.flatMap(RowsAlone, (isAlone) => (isAlone ? isReady : Effect.succeed(false)))
    if (areApart && toNodes) noteClient(sql, atNode)
    return { sql, connections }
  })

/** Makes the connections for one purpose: statements about customers' rows alone go to the nodes of their cells. */
export const poolsIn =
  (cells: StoreCells): PoolOf =>
  (purpose, options) =>
    Layer.effect(
      purpose,
      Effect.map(poolInCells(options, cells, watchedPool, true), ({ sql }) => sql)
    )
