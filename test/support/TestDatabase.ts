import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import { inject } from "vitest"
import { CellsAreApart, cellsLayer, readCells } from "../../src/layers/postgres/CellsSql.ts"
import { createCell } from "../../src/layers/postgres/CellSchema.ts"
import { ConnectionWatch } from "../../src/layers/postgres/ConnectionWatch.ts"
import { batchSql, byKeys, maintenanceSql } from "../../src/layers/postgres/Pools.ts"
import { StoreWrites } from "../../src/layers/postgres/StoreWrites.ts"
import { poolOf } from "../../src/layers/postgres/WatchedPool.ts"

export const placeOf = (database: string) => ({
  host: inject("postgresSocketDirectory"),
  username: "postgres",
  password: Redacted.make(inject("postgresPassword")),
  database
})

export const poolOptions = {
  maxConnections: 12,
  startupParameters: byKeys,
  multiplex: true,
  multiplexConcurrency: 16
}

const connect = (database: string) => PgClient.layer({ ...placeOf(database), ...poolOptions })

export const makeDatabase = Effect.gen(function* () {
  const name = `test_${randomBytes(6).toString("hex")}`
  const admin = Context.get(yield* Layer.build(connect("postgres")), SqlClient.SqlClient)
  yield* Effect.acquireRelease(
    admin.unsafe(`create database ${name} template template_peyk strategy file_copy`),
    () => Effect.ignore(admin.unsafe(`drop database ${name} with (force)`))
  )
  return name
})

/**
 * A migrated database of its own, whose new customers live in these cells in turn.
 *
 * @param areApart whether statements are those of cells on other nodes: they do the same on one PostgreSQL
 */
export const TestDatabaseOfCells = (names: ReadonlyArray<string>, areApart = false) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const name = yield* makeDatabase
      const place = placeOf(name)
      const create = Effect.forEach(names, (cell, index) => createCell(index + 1, cell, areApart), {
        discard: true
      })
      yield* Effect.provide(create, yield* Layer.build(connect(name)))
      const cells = yield* readCells(place)
      return Layer.mergeAll(
        batchSql(place, 0, cells),
        maintenanceSql(place),
        Layer.succeed(CellsAreApart, areApart),
        Layer.provideMerge(
          cellsLayer(cells),
          poolOf(SqlClient.SqlClient, { ...place, ...poolOptions, patienceMillis: 60_000 }, cells)
        )
      ).pipe(Layer.provide([ConnectionWatch.layer, StoreWrites.layer]), Layer.orDie)
    })
  )

/** A migrated database of its own, dropped afterwards. Build it with the live clock (`excludeTestServices`). */
export const TestDatabase = Layer.unwrap(
  Effect.gen(function* () {
    const name = yield* makeDatabase
    const place = placeOf(name)
    const others = Layer.mergeAll(batchSql(place, 0), maintenanceSql(place))
    return Layer.merge(
      connect(name),
      Layer.orDie(Layer.provide(others, [ConnectionWatch.layer, StoreWrites.layer]))
    )
  })
)
