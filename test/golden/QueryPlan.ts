import { PgTypes } from "@effect/sql-pg"
import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { decodedAs } from "../../src/layers/postgres/SqlRows.ts"
import type { RecordedStatement } from "./RecordedSql.ts"

/** As much of a plan's node as is looked at. */
export interface PlanNode {
  readonly "Node Type": string
  readonly "Relation Name"?: string | undefined
  readonly "Index Cond"?: string | undefined
  readonly "Index Name"?: string | undefined
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
  "Index Name": Schema.optional(Schema.String),
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
export const planOf = Effect.fnUntraced(function* (
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
