import { PgTypes } from "@effect/sql-pg"
import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { BatchSql } from "../../src/layers/postgres/Pools.ts"
import { decodedAs } from "../../src/layers/postgres/SqlRows.ts"
import { TestDatabase } from "../support/TestDatabase.ts"
import { goldenStatements, recordStatement } from "./GoldenStatements.ts"
import type { RecordedStatement } from "./RecordedSql.ts"
import { fillStore } from "./RealisticStore.ts"

/** A table with fewer rows than this may be read through. */
const LARGE = 1000
/** The most that a lookup by key may read, of each table and for each request. */
const MAX_ROWS = 20
/** Reading through an index of a large table, with a filter, would cost thousands. */
const MAX_COST = 50

/** As much of a plan's node as is looked at. */
interface PlanNode {
  readonly "Node Type": string
  readonly "Relation Name"?: string | undefined
  readonly "Index Cond"?: string | undefined
  /** The conditions of the indexes that a bitmap was made from. */
  readonly "Recheck Cond"?: string | undefined
  readonly "Plan Rows": number
  readonly "Total Cost": number
  readonly Plans?: ReadonlyArray<PlanNode> | undefined
}

const PlanNode: Schema.Codec<PlanNode> = Schema.Struct({
  "Node Type": Schema.String,
  "Relation Name": Schema.optional(Schema.String),
  "Index Cond": Schema.optional(Schema.String),
  "Recheck Cond": Schema.optional(Schema.String),
  "Plan Rows": Schema.Number,
  "Total Cost": Schema.Number,
  Plans: Schema.optional(Schema.Array(Schema.suspend((): Schema.Codec<PlanNode> => PlanNode)))
})

const planRows = decodedAs(
  Schema.Tuple([Schema.Struct({ "QUERY PLAN": Schema.Tuple([Schema.Struct({ Plan: PlanNode })]) })])
)

const nodesOf = (node: PlanNode): ReadonlyArray<PlanNode> => [node, ...(node.Plans ?? []).flatMap(nodesOf)]

const typeOf = (parameter: unknown): string =>
  PgTypes.isParameter(parameter) ? `(select ${parameter.oid}::regtype::text)` : "'unknown'"

/** The plan that is kept for a statement whose parameters are not looked at. */
const planOf = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  { text, parameters }: RecordedStatement
) {
  const [{ types }] = yield* decodedAs(Schema.Tuple([Schema.Struct({ types: Schema.Array(Schema.String) })]))(
    sql.unsafe(`select array[${parameters.map(typeOf).join(", ")}]::text[] as types`)
  )
  const [
    {
      "QUERY PLAN": [{ Plan: plan }]
    }
  ] = yield* planRows(
    sql.withTransaction(
      Effect.gen(function* () {
        const execute = (statement: string) => sql.unsafe(statement).unprepared
        yield* execute("set local plan_cache_mode = force_generic_plan")
        yield* execute(`prepare golden (${types.join(", ")}) as ${text}`)
        const rows = yield* execute(
          `explain (format json) execute golden (${types.map(() => "null").join(", ")})`
        )
        yield* execute("deallocate golden")
        return rows
      })
    )
  )
  return nodesOf(plan)
})

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
