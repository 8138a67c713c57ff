import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // Attempts are in their message's row: both change together. Metadata and parameters stay the original text.
  `create table messages (
    customer_id int not null,
    id uuid not null,
    phone text not null,
    status text not null,
    revision int not null,
    strategy text not null check (strategy in ('failover', 'broadcast')),
    route jsonb not null,
    text text not null,
    template json,
    metadata text not null,
    attempts jsonb not null,
    patient_until timestamptz,
    scheduled_for timestamptz,
    events_written int not null default 0,
    created_at timestamptz not null,
    completed_at timestamptz,
    primary key (customer_id, id)
  ) with (fillfactor = 80)`,

  // A broadcast message has a timer for each of its routes.
  `alter table timers add column lane smallint not null default 0`,
  `alter table timers drop constraint timers_pkey, add primary key (customer_id, kind, subject, lane)`,

  // Customers before their accounts: the order in which other statements lock them.
  `alter table customers add column webotp_host text`,
  `drop trigger announce on customers`,
  `create trigger announce after update of plan, webotp_host on customers
    for each row execute function announce_customer_change('id')`,

  // The kinds of sends that an account's settings allow, so that accepting a request need not decrypt them.
  `alter table sending_accounts
    add column sends_codes boolean not null default true,
    add column sends_texts boolean not null default true`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
