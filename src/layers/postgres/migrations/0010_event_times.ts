import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // Ids of events show their time, and are indexed anyway; each send writes two.
  `drop index events_by_time`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
