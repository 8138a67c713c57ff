import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // How an account fares concerns nobody's set-up; and is told whenever it begins or ceases to fail, not only of rests, as
  // processes remember it for as long as they are told.
  `drop trigger announce on account_pace`,
  `drop function announce_cooling`,
  `create function announce_account() returns trigger language plpgsql as $$
    begin
      perform pg_notify('peyk_changed', 'account:' || new.account_id);
      return null;
    end $$`,
  `create trigger announce after update of failures, cooldowns, cooling_until on account_pace
    for each row when (old.cooling_until is distinct from new.cooling_until
      or (old.failures > 0 or old.cooldowns > 0) <> (new.failures > 0 or new.cooldowns > 0))
    execute function announce_account()`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
