import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // How far the rounds of retention have worked.
  `create table retention (
    only_row boolean primary key default true check (only_row),
    progress jsonb not null
  )`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
