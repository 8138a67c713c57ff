import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // PostgreSQL parses the text of a table's checks for each statement that writes to it: a tenth of a millisecond for
  // these two, whose columns only ever get constants of ours.
  `alter table verifications drop constraint verifications_mode_check`,
  `alter table ledger drop constraint ledger_kind_check`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
