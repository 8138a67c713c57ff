import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { latestMigration, migrate, MIGRATIONS_TABLE } from "../../../src/layers/postgres/Migrations.ts"
import { distributeTables } from "../../../src/layers/postgres/citus/DistributedTables.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const record = (id: number, name: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      sql`insert into ${sql(MIGRATIONS_TABLE)} (migration_id, name, created_at) values (${id}, ${name}, now())`
  )

layer(TestDatabase, { excludeTestServices: true })("a store without Citus", (it) => {
  it.effect("has nothing to distribute its tables with, and says what is missing", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(distributeTables(4))
      assert.include(error.message, "create extension citus")
    })
  )
})

layer(TestDatabase, { excludeTestServices: true })("a store's migrations", (it) => {
  it.effect("may be newer than ours, while processes are replaced by those of a later version", () =>
    Effect.gen(function* () {
      yield* record(latestMigration + 1, "of_a_later_version")
      assert.deepStrictEqual(yield* migrate, [])
    })
  )

  it.effect("that are others under our numbers are refused by name", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`update ${sql(MIGRATIONS_TABLE)} set name = 'something_else' where migration_id = 7`
      const error = yield* Effect.flip(migrate)
      assert.include(error.message, 'migration 7 "something_else"')
    })
  )
})
