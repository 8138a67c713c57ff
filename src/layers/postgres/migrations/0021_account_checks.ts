import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // What an account's provider answered when it was last asked whether the account works.
  `create table account_checks (
    account_id int primary key references sending_accounts on delete cascade,
    checked_at timestamptz not null,
    result text not null,
    detail text
  )`,
  // What the next send of a simulator's account comes to, in place of the account's own outcome.
  `create table simulator_outcomes (
    account_id int primary key references sending_accounts on delete cascade,
    outcome text not null
  )`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
