import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import {
  appliedMigration,
  checkHistory,
  latestMigration,
  migrate,
  migrations,
  MIGRATIONS_TABLE,
  migrateWith
} from "../../../src/layers/postgres/Migrations.ts"
import { makeCells, moveCell } from "../../../src/layers/postgres/Citus.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const record = (id: number, name: string) =>
  Effect.flatMap(
    SqlClient.SqlClient,
    (sql) =>
      sql`insert into ${sql(MIGRATIONS_TABLE)} (migration_id, name, created_at) values (${id}, ${name}, now())`
  )

layer(TestDatabase, { excludeTestServices: true })("a store without Citus", (it) => {
  it.effect("has no nodes to make cells on, and says what is missing", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(makeCells(null))
      assert.include(error.message, "create extension citus")
    })
  )

  it.effect("has no other node to move a cell to, and says so", () =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(moveCell("cell_1", "localhost", 5432))
      assert.include(error.message, "one PostgreSQL")
    })
  )
})

/** What a later version adds. */
const withLater = {
  ...migrations,
  "0002_later": Effect.flatMap(SqlClient.SqlClient, (sql) => sql`create table later (id int)`).pipe(
    Effect.asVoid
  ),
  "0003_later_still": Effect.flatMap(
    SqlClient.SqlClient,
    (sql) => sql`insert into later select max(migration_id) from ${sql(MIGRATIONS_TABLE)}`
  ).pipe(Effect.asVoid)
}

layer(TestDatabase, { excludeTestServices: true })("a store of an earlier version", (it) => {
  it.effect("is upgraded by the migrations that it lacks, in order, and each runs once", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const applied = yield* migrateWith(withLater)
      assert.deepStrictEqual(applied, [
        [2, "later"],
        [3, "later_still"]
      ])
      assert.deepStrictEqual(yield* migrateWith(withLater), [])
      assert.strictEqual(yield* appliedMigration, 3)
      assert.lengthOf(yield* sql`select from later`, 1)
    })
  )
})

layer(TestDatabase, { excludeTestServices: true })("a migration that fails", (it) => {
  it.effect("leaves the store as it was", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const failing = { ...withLater, "0004_failing": Effect.asVoid(sql`select * from nowhere`) }
      yield* Effect.exit(migrateWith(failing))
      assert.deepStrictEqual(yield* sql`select to_regclass('later') as found`, [{ found: null }])
      assert.strictEqual(yield* appliedMigration, 1)
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

  it.effect("that are others under our numbers are refused by name, and nothing is changed", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* sql`update ${sql(MIGRATIONS_TABLE)} set name = 'verification' where migration_id = 1`
      for (const work of [checkHistory, migrateWith(withLater)]) {
        const error = yield* Effect.flip(work)
        assert.include(error.message, "migration 1 “verification”: run that version, or set PEYK_DATA_DIR")
      }
      assert.deepStrictEqual(yield* sql`select to_regclass('later') as found`, [{ found: null }])
    })
  )
})
