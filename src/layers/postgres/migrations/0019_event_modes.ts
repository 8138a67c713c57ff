import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // The sandbox has events too. A webhook takes those of one mode.
  `alter table webhook_endpoints add column mode text not null default 'live' check (mode in ('live', 'test'))`,
  `alter table events add column mode text not null default 'live'`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
