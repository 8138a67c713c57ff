import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // The state of an account is not part of any set-up. It is announced whenever it begins or stops to fail, not only
  // for cooldowns, because processes cache it while notifications arrive.
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
