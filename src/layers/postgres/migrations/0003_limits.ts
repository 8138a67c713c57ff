import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // Overrides of the platform's numbers: absent means the platform's, 0 means no limit.
  `alter table customers add column limits jsonb not null default '{}'`,
  `alter table api_keys add column rate_limit_per_minute int`,

  // How often one customer sent to one phone; a window begins with the first request that it counts.
  `create table phone_counters (
    customer_id int not null,
    kind text not null,
    phone text not null,
    hour_ends_at timestamptz not null,
    hour_used int not null,
    day_ends_at timestamptz not null,
    day_used int not null,
    primary key (customer_id, kind, phone)
  ) with (fillfactor = 80)`,
  `create table platform_phone_counters (
    phone text primary key,
    day_ends_at timestamptz not null,
    day_used int not null
  ) with (fillfactor = 80)`,
  `create table monthly_counters (
    customer_id int not null,
    month date not null,
    used int not null,
    primary key (customer_id, month)
  ) with (fillfactor = 50)`,
  // Processes take a key's requests of a minute from here in blocks.
  `create table key_windows (
    key_id int primary key,
    ends_at timestamptz not null,
    used int not null,
    granted int not null
  ) with (fillfactor = 50)`,

  // A wallet has stripes; its balance is the sum of theirs, and of the ledger.
  `create table wallets (
    customer_id int not null,
    stripe smallint not null,
    balance bigint not null,
    held bigint not null,
    primary key (customer_id, stripe),
    check (held >= 0 and balance >= held)
  ) with (fillfactor = 50)`,
  `create table ledger (
    customer_id int not null,
    id uuid not null,
    kind text not null check (kind in ('top_up', 'capture')),
    amount bigint not null,
    subject uuid,
    occurred_at timestamptz not null,
    primary key (customer_id, id)
  )`,
  `alter table verifications add column held bigint not null default 0, add column captured bigint not null default 0`,
  `alter table messages add column held bigint not null default 0, add column captured bigint not null default 0`,
  // Amounts that are still held, to check that nothing stays held.
  `create index verifications_holding on verifications (customer_id) where held > 0`,
  `create index messages_holding on messages (customer_id) where held > 0`,

  // For a race that only the next try can settle: nothing of this one is stored.
  `create function try_again() returns int language plpgsql as $$
    begin
      raise exception 'a counter was opened meanwhile' using errcode = 'serialization_failure';
    end $$`,

  // Each account's rate and state: its last reserved slots, oldest first, and its failures.
  `alter table sending_accounts add column gap_ms int, add column rate_per_minute int`,
  `create table account_pace (
    account_id int primary key references sending_accounts,
    slots timestamptz[] not null default '{}',
    slot_customers int[] not null default '{}',
    failures int not null default 0,
    cooldowns int not null default 0,
    cooling_until timestamptz
  ) with (fillfactor = 50)`,
  `insert into account_pace (account_id) select id from sending_accounts`,
  `create function pace_new_account() returns trigger language plpgsql as $$
    begin
      insert into account_pace (account_id) values (new.id);
      return null;
    end $$`,
  `create trigger pace after insert on sending_accounts for each row execute function pace_new_account()`,
  `create function announce_cooling() returns trigger language plpgsql as $$
    begin
      perform pg_notify('peyk_changed', 'customer:' || coalesce(
        (select customer_id::text from sending_accounts where id = new.account_id), ''));
      return null;
    end $$`,
  `create trigger announce after update of cooling_until on account_pace
    for each row when (old.cooling_until is distinct from new.cooling_until) execute function announce_cooling()`,

  // Steps can be skipped, or change places, if an account cannot send: the rest is a list.
  `alter table verifications add column remaining int[], add column slot_reserved boolean not null default false`,
  `update verifications set remaining = array(
    select step from generate_series(next_step, jsonb_array_length(route) - 1) as step)`,
  `alter table verifications alter column remaining set not null, drop column next_step`,
  `alter table messages add column reservations jsonb not null default '[]'`,

  `drop trigger announce on customers`,
  `create trigger announce after update of plan, webotp_host, limits on customers
    for each row execute function announce_customer_change('id')`,
  `drop trigger announce on api_keys`,
  `create trigger announce after update of expires_at, revoked_at, rate_limit_per_minute or delete on api_keys
    for each row execute function announce_key_change()`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
