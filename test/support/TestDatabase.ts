import { PgClient } from "@effect/sql-pg"
import { Context, Effect, Layer, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { randomBytes } from "node:crypto"
import { inject } from "vitest"
import { ConnectionWatch } from "../../src/layers/postgres/ConnectionWatch.ts"
import { batchSql, byKeys, maintenanceSql } from "../../src/layers/postgres/Pools.ts"
import { StoreWrites } from "../../src/layers/postgres/StoreWrites.ts"

const placeOf = (database: string) => ({
  host: inject("postgresSocketDirectory"),
  username: "postgres",
  password: Redacted.make(inject("postgresPassword")),
  database
})

const connect = (database: string) =>
  PgClient.layer({
    ...placeOf(database),
    maxConnections: 12,
    startupParameters: byKeys,
    multiplex: true,
    multiplexConcurrency: 16
  })

/** A migrated database of its own, dropped afterwards. Build it with the live clock (`excludeTestServices`). */
export const TestDatabase = Layer.unwrap(
  Effect.gen(function* () {
    const name = `test_${randomBytes(6).toString("hex")}`
    const admin = Context.get(yield* Layer.build(connect("postgres")), SqlClient.SqlClient)
    yield* Effect.acquireRelease(
      admin.unsafe(`create database ${name} template template_peyk strategy file_copy`),
      () => Effect.ignore(admin.unsafe(`drop database ${name} with (force)`))
    )
    const place = placeOf(name)
    const others = Layer.mergeAll(batchSql(place, 0, false), maintenanceSql(place))
    return Layer.merge(
      connect(name),
      Layer.orDie(Layer.provide(others, [ConnectionWatch.layer, StoreWrites.layer]))
    )
  })
)
