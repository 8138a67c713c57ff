import { Context, Effect, Layer, Option, type Redacted } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import type { Configuration } from "../config/Configuration.ts"
import { StartupError } from "../system/StartupError.ts"
import { IsDistributed, isDistributed } from "./Citus.ts"
import { cellsLayer, NO_CELLS, readCells, type StoreCells } from "./CellsSql.ts"
import { hasPooler, hostUrls, pooled } from "./Hosts.ts"
import type { StorePlace } from "./Primary.ts"
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
import { isEmbedded, locate, placeOf } from "./StoreLocation.ts"
import { StoreWrites } from "./StoreWrites.ts"
import { ConnectionWatch } from "./ConnectionWatch.ts"
import { poolInCells, poolOf, unreachable, watchedBy, watchedPool } from "./WatchedPool.ts"

/** The place as it can be used: directly, or through the pooler that is configured or found there. */
const reached = Effect.fnUntraced(function* (configuration: Configuration, place: StorePlace) {
  const { databasePooler } = configuration
  if (isEmbedded(configuration) || databasePooler === "none") return place
  const found = databasePooler === "transaction" || (yield* Effect.mapError(hasPooler(place), unreachable))
  return found ? { ...place, ...pooled } : place
})

const listenPlace = ({ databaseListenUrl }: Configuration) =>
  Option.match(databaseListenUrl, {
    onNone: () => Effect.succeed(undefined),
    onSome: (url) => placeOf("PEYK_DATABASE_LISTEN_URL", url)
  })

const READ_URL = "PEYK_DATABASE_READ_URL"

const replicaPlace = Effect.fnUntraced(function* (configuration: Configuration, url: Redacted.Redacted) {
  const [only, ...others] = yield* Effect.fromResult(hostUrls(READ_URL, url))
  if (only === undefined || others.length > 0)
    return yield* new StartupError({ message: `${READ_URL} has to name one host` })
  // Reads use the primary while the replica is unreachable.
  return yield* Effect.orElseSucceed(reached(configuration, { url: only }), () => ({ url: only }))
})

/** Reports over the primary; and reads over the replica, if there is one. */
const reportSql = (configuration: Configuration, place: StorePlace, cells: StoreCells) =>
  Layer.effectContext(
    Effect.gen(function* () {
      const { databaseReadUrl: url, databaseReadMaxLagMillis: maxLagMillis } = configuration
      const primary = yield* poolInCells({ ...reportingOptions(configuration), ...place }, cells, watchedPool)
      const reports = Context.make(ReportingSql, primary.sql)
      const counts = yield* readCounts
      if (Option.isNone(url)) return Context.add(reports, ReadSql, primary.sql)
      const there = { ...reportingOptions(configuration), ...(yield* replicaPlace(configuration, url.value)) }
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
      const place = yield* reached(configuration, yield* locate(configuration))
      const distributed =
        !isEmbedded(configuration) && (yield* Effect.mapError(isDistributed(place), unreachable))
      const cells = isEmbedded(configuration)
        ? NO_CELLS
        : yield* Effect.mapError(readCells(place), unreachable)
      const requests = poolOf(SqlClient.SqlClient, { ...poolOptions(configuration), ...place }, cells)
      return Layer.mergeAll(
        Layer.provideMerge(
          reportSql(configuration, place, cells),
          Layer.provideMerge(cellsLayer(cells), requests)
        ),
        batchSql(place, configuration.statementTimeoutMillis, distributed, cells),
        Layer.succeed(IsDistributed, distributed),
        maintenanceSql(place, yield* listenPlace(configuration)),
        poolOf(MigrationSql, { ...migrationOptions, ...place })
      )
    })
  ).pipe(Layer.provideMerge(ConnectionWatch.layer), Layer.provideMerge(StoreWrites.layer))
