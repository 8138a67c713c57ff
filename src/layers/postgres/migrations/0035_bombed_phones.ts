import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // Rounds of the guard look for each code's phone: they need not read the rows of all other phones.
  `create index platform_phone_counters_bombed on platform_phone_counters (phone) where cardinality(callers) >= 5`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
