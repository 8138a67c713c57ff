import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // A password reset clears the failures of its e-mail address, which are counted separately for each network.
  `alter table sign_in_failures add column email_hash text`,
  `create index sign_in_failures_by_email on sign_in_failures (email_hash) where email_hash is not null`,
  // Like key_windows, for tokens and sessions.
  `create table credential_windows (
    credential text primary key,
    ends_at timestamptz not null,
    used int not null,
    granted int not null
  ) with (fillfactor = 50)`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
