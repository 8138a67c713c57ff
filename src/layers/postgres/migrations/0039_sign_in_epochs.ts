import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // Grows with each new password and sign-out everywhere: what was made in an earlier epoch has ended.
  `alter table users add column sign_in_epoch int not null default 0`,
  // When its user signed in; null: by a link that another person made.
  `alter table console_sessions add column signed_in_at timestamptz`,
  `alter table sign_in_links
    add column user_epoch int,
    -- null: made on the command line
    add column made_by uuid references users,
    add column maker_epoch int,
    -- the sign-in of its maker, which a link for themselves continues
    add column signed_in_at timestamptz`,
  // A newer link takes the place of the older one. Links live for ten minutes, so there are few.
  `delete from sign_in_links`,
  `drop index sign_in_links_by_user`,
  `create unique index sign_in_links_by_user on sign_in_links (user_id)`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
