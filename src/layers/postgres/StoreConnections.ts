import { Context, Effect, Layer, Option, type Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import type { Configuration } from "../config/Configuration.ts"
import { StartupError } from "../system/StartupError.ts"
import { cellsLayer, keepsSearchPath, NO_CELLS, readCells, type StoreCells } from "./CellsSql.ts"
import { SetUpIsApart } from "./SetUpPlace.ts"
import { hasPooler, hostUrls, isPooled, pooled } from "./Hosts.ts"
import type { StoreAddress } from "./Primary.ts"
import { readCounts, readingClient, ReadSql } from "./Replica.ts"
import {
  batchSql,
  maintenanceSql,
  migrationOptions,
  MigrationSql,
  poolOptions,
  reportingOptions,
  ReportingSql
} from "./Pools.ts"
import { isEmbedded, locate, addressOf } from "./StoreLocation.ts"
import { StoreWrites } from "./StoreWrites.ts"
import { ConnectionWatch } from "./ConnectionWatch.ts"
import { LostCellsSql } from "./CellNodes.ts"
import { poolInCells, poolsIn } from "./CellPools.ts"
import { onePool, unreachable, watchedBy, watchedPool } from "./WatchedPool.ts"

/** The address as it can be used: directly, or through the pooler that is configured or found there. */
const reached = Effect.fnUntraced(function* (configuration: Configuration, address: StoreAddress) {
  const { databasePooler } = configuration
  if (isEmbedded(configuration) || databasePooler === "none") return address
  const found = databasePooler === "transaction" || (yield* Effect.mapError(hasPooler(address), unreachable))
  return found ? { ...address, ...pooled } : address
})

/** The cells of the store; none of one that is embedded. */
const foundCells = Effect.fnUntraced(function* (configuration: Configuration, address: StoreAddress) {
  if (isEmbedded(configuration)) return NO_CELLS
  const cells = yield* Effect.mapError(readCells(address), unreachable)
  if (isPooled(address) && !(yield* keepsSearchPath(address, cells))) {
    return yield* new StartupError({
      message:
        "the pooler of DATABASE_URL does not keep search_path, by which Peyk finds cells: " +
        "set track_extra_parameters = IntervalStyle, search_path (PgBouncer 1.20 or newer), or lead around it"
    })
  }
  return cells
})

const listenAddress = ({ databaseListenUrl }: Configuration) =>
  Option.match(databaseListenUrl, {
    onNone: () => Effect.succeed(undefined),
    onSome: (url) => addressOf("PEYK_DATABASE_LISTEN_URL", url)
  })

const READ_URL = "PEYK_DATABASE_READ_URL"

const replicaAddress = Effect.fnUntraced(function* (configuration: Configuration, url: Redacted.Redacted) {
  const [only, ...others] = yield* Effect.fromResult(hostUrls(READ_URL, url))
  if (only === undefined || others.length > 0)
    return yield* new StartupError({ message: `${READ_URL} has to name one host` })
  // Reads use the primary while the replica is unreachable.
  return yield* Effect.orElseSucceed(reached(configuration, { url: only }), () => ({ url: only }))
})

/** Reports over the primary; and reads over the replica, if there is one. */
const reportSql = (configuration: Configuration, address: StoreAddress, cells: StoreCells) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const { databaseReadUrl: url, databaseReadMaxLagMillis: maxLagMillis } = configuration
      const primary = yield* poolInCells(
        { ...reportingOptions(configuration), ...address },
        cells,
        watchedPool,
        true
      )
      const reports = Context.make(ReportingSql, primary.sql)
      const counts = yield* readCounts
      if (Option.isNone(url)) return Context.add(reports, ReadSql, primary.sql)
      const there = {
        ...reportingOptions(configuration),
        ...(yield* replicaAddress(configuration, url.value))
      }
      // Its errors say nothing about the store's writes.
      const replica = yield* poolInCells(there, cells, (options) => watchedBy(options, () => {}))
      const sql = yield* SqlClient.SqlClient
      const reading = readingClient({ sql, primary, replica, maxLagMillis, counts })
      return Context.add(reports, ReadSql, yield* Effect.provide(reading, Reactivity.layer))
    })
  )

/** Connections to the store. */
export const SqlLive = (configuration: Configuration) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const address = yield* reached(configuration, yield* locate(configuration))
      const cells = yield* foundCells(configuration, address)
      const poolOf = poolsIn(cells)
      const requests = poolOf(SqlClient.SqlClient, { ...poolOptions(configuration), ...address })
      const connections = Layer.mergeAll(
        Layer.provideMerge(
          reportSql(configuration, address, cells),
          Layer.provideMerge(cellsLayer(cells), requests)
        ),
        batchSql(address, configuration.statementTimeoutMillis, poolOf),
        Layer.succeed(SetUpIsApart, cells.areApart),
        maintenanceSql(address, yield* listenAddress(configuration)),
        onePool(MigrationSql, { ...migrationOptions, ...address })
      )
      return Layer.provideMerge(LostCellsSql, connections)
    })
  ).pipe(Layer.provideMerge(ConnectionWatch.layer), Layer.provideMerge(StoreWrites.layer))

/** Whether all rows of the store are on one machine. */
export const isOnOneMachine = Effect.fnUntraced(function* (configuration: Configuration) {
  return isEmbedded(configuration) || !(yield* readCells(yield* locate(configuration))).areApart
}, Effect.scoped)
