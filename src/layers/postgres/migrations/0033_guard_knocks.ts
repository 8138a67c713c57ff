import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // Refused because the customer as a whole is suspicious; `refused` counts them too.
  "alter table guard_days add column refused_whole int not null default 0"
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
