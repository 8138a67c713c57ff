import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  `create table installation (
    only_row boolean primary key default true check (only_row),
    secret_check bytea not null
  )`,

  `create table customers (
    id int generated always as identity primary key,
    name text not null,
    plan text not null check (plan in ('free', 'start', 'business')),
    created_at timestamptz not null
  )`,

  `create table api_keys (
    id int generated always as identity primary key,
    customer_id int not null references customers,
    name text not null,
    mode text not null check (mode in ('live', 'test')),
    prefix text not null,
    last_four text not null,
    secret_hash bytea not null unique,
    created_at timestamptz not null,
    expires_at timestamptz,
    revoked_at timestamptz,
    last_used_at timestamptz
  )`,
  `create index api_keys_by_customer on api_keys (customer_id, id)`,

  // customer_id is null for the platform's own, shared accounts
  `create table sending_accounts (
    id int generated always as identity primary key,
    customer_id int references customers,
    channel text not null,
    provider text not null,
    label text not null,
    sealed_settings bytea not null,
    is_default boolean not null default false,
    created_at timestamptz not null,
    disabled_at timestamptz
  )`,
  `create index sending_accounts_by_customer on sending_accounts (customer_id, id)`,
  `create unique index one_default_account_per_channel on sending_accounts (customer_id, channel) where is_default`,

  `create table routing_orders (
    customer_id int primary key references customers,
    steps jsonb not null,
    updated_at timestamptz not null
  )`,

  `create table templates (
    id int generated always as identity primary key,
    customer_id int not null references customers,
    name text not null,
    body text not null,
    created_at timestamptz not null,
    disabled_at timestamptz
  )`,
  `create index templates_by_customer on templates (customer_id, id)`,

  // Attempts are in their verification's row: both change together, in one write.
  `create table verifications (
    customer_id int not null,
    id uuid not null,
    mode text not null check (mode in ('live', 'test')),
    phone text not null,
    status text not null,
    revision int not null,
    route jsonb not null,
    text_body text,
    attempts jsonb not null,
    next_step int not null,
    next_step_at timestamptz,
    code_hash bytea not null,
    sealed_code bytea,
    wrong_codes int not null default 0,
    events_written int not null default 0,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    verified_at timestamptz,
    primary key (customer_id, id)
  ) with (fillfactor = 80)`,

  `create table idempotency_keys (
    customer_id int not null,
    operation text not null,
    key text not null,
    fingerprint bytea not null,
    subject uuid not null,
    expires_at timestamptz not null,
    primary key (customer_id, operation, key)
  )`,

  // claimable_at: when it is due, or while a process works on it (lease_token) the end of the lease
  `create table timers (
    customer_id int not null,
    kind text not null,
    subject uuid not null,
    claimable_at timestamptz not null,
    lease_token uuid,
    primary key (customer_id, kind, subject)
  ) with (fillfactor = 80)`,
  `create index timers_by_claimable_at on timers (claimable_at)`,

  // The outbox: written with its state change, delivered later.
  `create table events (
    customer_id int not null,
    id uuid not null,
    type text not null,
    subject uuid not null,
    sequence int not null,
    data jsonb not null,
    occurred_at timestamptz not null,
    primary key (customer_id, id)
  )`,
  `create index events_by_subject on events (customer_id, subject, sequence)`,

  `create table simulator_messages (
    id bigint generated always as identity primary key,
    phone text not null,
    channel text not null,
    text text not null,
    code text,
    sent_at timestamptz not null
  )`,
  `create index simulator_messages_by_phone on simulator_messages (phone, id)`,

  // Notifies processes that cache a customer's set-up or a key, no matter what changed it.
  `create function announce_customer_change() returns trigger language plpgsql as $$
    begin
      perform pg_notify('peyk_changed', 'customer:' || coalesce(to_jsonb(coalesce(new, old)) ->> tg_argv[0], ''));
      return null;
    end $$`,
  `create function announce_key_change() returns trigger language plpgsql as $$
    begin
      perform pg_notify('peyk_changed', 'key:' || encode(old.secret_hash, 'hex'));
      return null;
    end $$`,
  `create trigger announce after update of plan on customers
    for each row execute function announce_customer_change('id')`,
  `create trigger announce after insert or update or delete on sending_accounts
    for each row execute function announce_customer_change('customer_id')`,
  `create trigger announce after insert or update or delete on routing_orders
    for each row execute function announce_customer_change('customer_id')`,
  `create trigger announce after update of expires_at, revoked_at or delete on api_keys
    for each row execute function announce_key_change()`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
