import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // Sums count what was delivered, too: they are made again when somebody looks.
  `delete from activity_slots`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
