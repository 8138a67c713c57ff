import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // People who are signed in to the console. A session ends when its row is deleted, or at the earlier of its two ends.
  `create table console_sessions (
    id uuid primary key,
    secret_hash bytea not null unique,
    user_id uuid not null references users,
    created_at timestamptz not null,
    -- pushed back while it is used
    idle_ends_at timestamptz not null,
    ends_at timestamptz not null
  )`,
  `create index console_sessions_by_user on console_sessions (user_id)`,
  // A link signs its user in once: using it deletes its row.
  `create table sign_in_links (
    secret_hash bytea primary key,
    user_id uuid not null references users,
    created_at timestamptz not null,
    expires_at timestamptz not null
  )`,
  `create index sign_in_links_by_user on sign_in_links (user_id)`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
