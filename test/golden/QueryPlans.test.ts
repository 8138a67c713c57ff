import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { BatchSql } from "../../src/layers/postgres/Pools.ts"
import { TestDatabase } from "../support/TestDatabase.ts"
import { goldenStatements, recordStatement } from "./GoldenStatements.ts"
import { type PlanNode, planOf } from "./QueryPlan.ts"
import { fillStore } from "./RealisticStore.ts"

/** A table with fewer rows than this may be read through. */
const LARGE = 1000
/** The most that a lookup by key may read, of each table and for each request. */
const MAX_ROWS = 20
/** Reading through an index of a large table, with a filter, would cost thousands. */
const MAX_COST = 50

const largeTables = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql<{ readonly name: string }>`
    select relname as name from pg_class where relkind = 'r' and reltuples >= ${LARGE}`
  return new Set(rows.map(({ name }) => name))
})

/** Reads of a table that are not lookups by key. */
const readsThrough = (node: PlanNode): boolean =>
  (node["Index Cond"] ?? node["Recheck Cond"]) === undefined ||
  node["Plan Rows"] > MAX_ROWS ||
  node["Total Cost"] > MAX_COST

const isRead = (node: PlanNode): boolean => node["Node Type"].endsWith("Scan")

layer(Layer.provideMerge(Layer.effectDiscard(fillStore), TestDatabase), { excludeTestServices: true })(
  "with realistic numbers of rows",
  (it) => {
    for (const statement of goldenStatements) {
      it.effect(`${statement.name}.sql finds what it needs in large tables by their indexes`, () =>
        Effect.gen(function* () {
          const sql = statement.isBatched ? yield* BatchSql : yield* SqlClient.SqlClient
          const large = yield* largeTables
          const nodes = yield* planOf(sql, yield* recordStatement(statement))
          const reads = nodes.filter((node) => isRead(node) && large.has(node["Relation Name"] ?? ""))
          assert.isNotEmpty(reads)
          assert.deepStrictEqual(reads.filter(readsThrough), [])
        })
      )
    }
  }
)
