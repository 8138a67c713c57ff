import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `alter table messages add column mode text not null default 'live' check (mode in ('live', 'test'))`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
