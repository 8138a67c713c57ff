import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // Counts the changes of each customer's set-up. Row 0 counts those of the platform's accounts. No row means 0.
  `create table set_up_versions (
    customer_id int primary key,
    version int not null
  ) with (fillfactor = 50)`,
  `create function count_set_up_change() returns trigger language plpgsql as $$
    begin
      insert into set_up_versions as s (customer_id, version)
      values (coalesce((to_jsonb(coalesce(new, old)) ->> tg_argv[0])::int, 0), 1)
      on conflict (customer_id) do update set version = s.version + 1;
      return null;
    end $$`,
  // Deferred: a transaction locks this row last, so two transactions never deadlock.
  ...[
    ["customers", "id", "update of plan, webotp_host, limits"],
    ["sending_accounts", "customer_id", "insert or update or delete"],
    ["routing_orders", "customer_id", "insert or update or delete"],
    [
      "api_keys",
      "customer_id",
      "update of expires_at, revoked_at, rate_limit_per_minute, allowed_ips or delete"
    ]
  ].map(
    ([table, column, change]) =>
      `create constraint trigger count_set_up_change after ${change} on ${table}
        deferrable initially deferred for each row execute function count_set_up_change('${column}')`
  )
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
