import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // The provider's answer to the last check of the account.
  `create table account_checks (
    account_id int primary key references sending_accounts on delete cascade,
    checked_at timestamptz not null,
    result text not null,
    detail text
  )`,
  // The outcome of the next send of a simulator's account, in place of the account's own.
  `create table simulator_outcomes (
    account_id int primary key references sending_accounts on delete cascade,
    outcome text not null
  )`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
