import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // The credit that the provider reported last, in the provider's own unit.
  `alter table account_checks add column credit double precision`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
