import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import type { SqlClient } from "effect/sql"
import { idAt } from "../../src/domain/TimePosition.ts"
import { guardCodes } from "../../src/layers/guard/GuardCodesSql.ts"
import { MessageBatchSql } from "../../src/layers/postgres/Pools.ts"
import { TestDatabase } from "../support/TestDatabase.ts"
import { planOf } from "./QueryPlan.ts"
import { fillStore } from "./RealisticStore.ts"
import { recordingSql } from "./RecordedSql.ts"

type CodeReads = ReturnType<typeof guardCodes>

const from = idAt(1_800_000_000_000)
const until = 1_800_000_600_000

const reads: Readonly<Record<string, (codes: CodeReads) => Effect.Effect<unknown>>> = {
  "the codes that have matured": (codes) =>
    codes.matured({ customerId: 1, from, until, maturityMillis: 60_000, sample: 1000 }),
  "when the next code was sent": (codes) => codes.nextSentAt(1, from),
  "how long users take to verify": (codes) => codes.timeToVerify(1, until)
}

const recorded = Effect.fnUntraced(function* (read: (codes: CodeReads) => Effect.Effect<unknown>) {
  const recording = recordingSql([])
  const client: SqlClient.SqlClient = yield* recording.client
  yield* Effect.exit(read(guardCodes(client)))
  const [statement] = recording.statements
  return statement ?? (yield* Effect.die("no statement was made"))
})

layer(Layer.provideMerge(Layer.effectDiscard(fillStore), TestDatabase), { excludeTestServices: true })(
  "a round of the guard",
  (it) => {
    for (const [what, read] of Object.entries(reads)) {
      it.effect(`reads ${what} along the primary key, and sorts none of its rows`, () =>
        Effect.gen(function* () {
          const nodes = yield* planOf(yield* MessageBatchSql, yield* recorded(read))
          const limit = nodes.findIndex((node) => node["Node Type"] === "Limit")
          assert.strictEqual(nodes[limit + 1]?.["Index Name"], "verifications_pkey")
        })
      )
    }
  }
)
