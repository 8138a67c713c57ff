import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // An answer may hold a secret: it is repeated only for whoever made the request. Answers from before have no maker,
  // and are repeated for nobody.
  `alter table management_answers add column actor_kind text, add column actor_id text, add column session_id uuid`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
