import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // Whether the steps are tried as saved, or as measured.
  `alter table routing_orders add column step_order text not null default 'saved'
    check (step_order in ('saved', 'measured'))`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
