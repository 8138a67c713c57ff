import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // Six digits behind a key: they should not stay in backups for months after they were useful.
  `alter table verifications alter column code_hash drop not null`,
  `update verifications set code_hash = null, sealed_code = null
    where status not in ('pending', 'queued') and code_hash is not null`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
