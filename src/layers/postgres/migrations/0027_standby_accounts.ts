import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // The accounts that take over for this one with a code, in order.
  `alter table sending_accounts add column standby int[] not null default '{}'`,
  `create function forget_standby_account() returns trigger language plpgsql as $$
    begin
      update sending_accounts set standby = array_remove(standby, old.id)
      where customer_id is not distinct from old.customer_id and old.id = any(standby);
      return null;
    end $$`,
  `create trigger forget_standby_account after delete on sending_accounts
    for each row execute function forget_standby_account()`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
