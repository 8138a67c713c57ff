import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import { inject } from "vitest"
import { cellsLayer, readCells } from "../../src/layers/postgres/CellsSql.ts"
import { SetUpIsApart } from "../../src/layers/postgres/SetUpPlace.ts"
import { createCell, TABLES_APART, tablesInCells } from "../../src/layers/postgres/CellSchema.ts"
import { ConnectionWatch } from "../../src/layers/postgres/ConnectionWatch.ts"
import { batchSql, byKeys, maintenanceSql } from "../../src/layers/postgres/Pools.ts"
import { StoreWrites } from "../../src/layers/postgres/StoreWrites.ts"
import { LostCellsSql } from "../../src/layers/postgres/CellNodes.ts"
import { poolsIn } from "../../src/layers/postgres/CellPools.ts"

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
 * The catalog of Citus, as far as it says where cells are. The only node is this PostgreSQL: group 1 to those who connect
 * to the node of a cell, and group 2 to the coordinator's connections.
 */
const CATALOG = [
  "set allow_system_table_mods = on",
  "create table pg_catalog.pg_dist_shard (logicalrelid regclass, shardid bigint)",
  "create table pg_catalog.pg_dist_placement (shardid bigint, groupid int)",
  "create table pg_catalog.pg_dist_node (nodename text, nodeport int, groupid int, noderole text)",
  `create view pg_catalog.pg_dist_local_group as
    select case when current_setting('search_path') like '%_local%' then 1 else 2 end as groupid`,
  `create function pg_catalog.lock_shard_metadata(mode int, shards bigint[]) returns void language sql as
    'select pg_advisory_xact_lock_shared(shards[1])'`,
  "reset allow_system_table_mods"
]

/** As Citus has it: the rows of a cell's table are in a shard, and the coordinator's statements go there. */
const asNodes = Effect.fnUntraced(function* (cells: ReadonlyArray<string>) {
  const sql = yield* SqlClient.SqlClient
  const run = (statement: string) => sql.unsafe(statement).unprepared
  const asShard = (table: string, shard: number) => [
    `alter table ${table} rename to ${table.split(".")[1]}_${shard}`,
    `create view ${table} as select *, ctid from ${table}_${shard}`,
    `insert into pg_dist_shard values ('${table}', ${shard})`,
    `insert into pg_dist_placement values (${shard}, 1), (${shard}, 2)`
  ]
  const tables = cells.flatMap((cell) =>
    [...tablesInCells(true), ...TABLES_APART].map((table) => `${cell}.${table}`)
  )
  const node = `insert into pg_dist_node values ('${inject("postgresSocketDirectory")}', 5432, 1, 'primary')`
  const statements = [...CATALOG, node, ...tables.flatMap((table, index) => asShard(table, index + 1))]
  yield* sql.withTransaction(Effect.forEach(statements, run, { discard: true }))
})

/**
 * A migrated database of its own, whose new customers live in these cells in turn.
 *
 * @param areApart whether statements are those of cells on other nodes: they do the same on one PostgreSQL
 */
export const TestDatabaseOfCells = (names: ReadonlyArray<string>, areApart = false, hasNodes = false) =>
  Layer.unwrap(
    Effect.gen(function* () {
      const name = yield* makeDatabase
      const place = placeOf(name)
      const create = Effect.forEach(names, (cell, index) => createCell(index + 1, cell, areApart), {
        discard: true
      })
      yield* Effect.provide(create, yield* Layer.build(connect(name)))
      if (hasNodes) yield* Effect.provide(asNodes(names), yield* Layer.build(connect(name)))
      const cells = { ...(yield* readCells(place)), areApart: hasNodes }
      const poolOf = poolsIn(cells)
      const connections = Layer.mergeAll(
        batchSql(place, 0, poolOf),
        maintenanceSql(place),
        Layer.succeed(SetUpIsApart, areApart),
        Layer.provideMerge(
          cellsLayer(cells),
          poolOf(SqlClient.SqlClient, { ...place, ...poolOptions, patienceMillis: 60_000 })
        )
      )
      return Layer.provideMerge(LostCellsSql, connections).pipe(
        Layer.provide([ConnectionWatch.layer, StoreWrites.layer]),
        Layer.orDie
      )
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
