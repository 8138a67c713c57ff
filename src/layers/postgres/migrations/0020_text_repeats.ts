import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // Some providers know a text by its id, but not a code. `deduplicates` is for codes from here on.
  `alter table sending_accounts add column deduplicates_texts boolean not null default false`,
  `update sending_accounts set deduplicates_texts = true where deduplicates`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
