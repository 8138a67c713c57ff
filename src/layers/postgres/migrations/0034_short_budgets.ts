import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // After an hour in which a budget was used up early, the next one is shorter.
  `alter table guard_budgets
    add column emptied_early boolean not null default false,
    add column is_short boolean not null default false`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
