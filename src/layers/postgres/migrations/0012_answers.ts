import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // The response of send, for replays: written with the first outcome, null before.
  `alter table verifications add column answered_status text, add column answered_step smallint`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
