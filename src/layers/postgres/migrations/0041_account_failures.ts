import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // The last send that failed for a reason other than its recipient.
  `create table account_errors (
    account_id int primary key references sending_accounts on delete cascade,
    code text not null,
    message text not null,
    happened_at timestamptz not null
  )`,
  // How many steps of codes skipped the account, by minute and reason; an hour is kept.
  `create table account_skips (
    account_id int not null references sending_accounts on delete cascade,
    starts_at timestamptz not null,
    reason text not null,
    steps int not null,
    primary key (account_id, starts_at, reason)
  )`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
