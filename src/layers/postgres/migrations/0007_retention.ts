import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // How far the rounds have come in which old rows leave.
  `create table retention (
    only_row boolean primary key default true check (only_row),
    progress jsonb not null
  )`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
