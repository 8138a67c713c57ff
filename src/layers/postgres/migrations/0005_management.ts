import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const statements = [
  // The author, content and origin of each change: written in the transaction of the change.
  `create table audit_log (
    customer_id int not null,
    id uuid not null,
    actor_kind text not null,
    actor_id text not null,
    actor_name text not null,
    action text not null,
    subject_type text not null,
    subject_id text not null,
    details jsonb not null,
    ip text,
    user_agent text,
    request_id text,
    occurred_at timestamptz not null,
    primary key (customer_id, id)
  )`,

  // Responses to creations, sealed (they can contain a secret), for a repeated request with the same key.
  `create table management_answers (
    customer_id int not null,
    operation text not null,
    key text not null,
    fingerprint bytea not null,
    status int,
    sealed_body bytea,
    expires_at timestamptz not null,
    primary key (customer_id, operation, key)
  )`,

  `create table personal_tokens (
    id int generated always as identity primary key,
    customer_id int not null references customers,
    name text not null,
    scope text not null check (scope in ('full', 'read_only')),
    prefix text not null,
    last_four text not null,
    secret_hash bytea not null unique,
    created_at timestamptz not null,
    expires_at timestamptz,
    revoked_at timestamptz,
    last_used_at timestamptz
  )`,
  `create index personal_tokens_by_customer on personal_tokens (customer_id, id)`,
  `create trigger announce after update of expires_at, revoked_at or delete on personal_tokens
    for each row execute function announce_key_change()`,

  `create table users (
    id uuid primary key,
    customer_id int not null references customers,
    email text not null unique,
    name text not null,
    role text not null check (role in ('owner', 'developer', 'viewer')),
    password_hash text not null,
    created_at timestamptz not null,
    disabled_at timestamptz
  )`,
  `create index users_by_customer on users (customer_id, id)`,
  // Failed sign-ins of one e-mail address, or from one network address.
  `create table sign_in_failures (
    origin text primary key,
    ends_at timestamptz not null,
    used int not null
  )`,
  // Each refresh creates the next of its family; one that is used twice ends the family.
  `create table refresh_tokens (
    secret_hash bytea primary key,
    family uuid not null,
    user_id uuid not null references users,
    created_at timestamptz not null,
    expires_at timestamptz not null,
    used_at timestamptz,
    revoked_at timestamptz
  )`,
  `create index refresh_tokens_by_family on refresh_tokens (family)`,
  `create index refresh_tokens_by_user on refresh_tokens (user_id)`,
  // A family with a revoked token has ended.
  `create index refresh_tokens_revoked on refresh_tokens (family) where revoked_at is not null`,
  // Notifies processes that cache a session or a user when it ended or changed.
  `create function announce_session_end() returns trigger language plpgsql as $$
    begin
      perform pg_notify('peyk_changed', 'key:' || new.family);
      return null;
    end $$`,
  `create trigger announce after update of revoked_at on refresh_tokens
    for each row execute function announce_session_end()`,
  `create trigger announce after update of role, name, disabled_at on users
    for each row execute function announce_customer_change('customer_id')`,
  `create table signing_keys (
    id text primary key,
    algorithm text not null,
    public_jwk jsonb not null,
    sealed_private_jwk bytea not null,
    created_at timestamptz not null,
    -- no longer signed with, but still trusted until then
    retires_at timestamptz
  )`,

  // A row that several actors can update has a version.
  `create function bump_version() returns trigger language plpgsql as $$
    begin
      new.version := old.version + 1;
      return new;
    end $$`,
  ...["api_keys", "sending_accounts", "routing_orders", "templates"].flatMap((table) => [
    `alter table ${table} add column version int not null default 1`,
    `create trigger version before update on ${table} for each row
      ${table === "api_keys" ? "when (old.last_used_at is not distinct from new.last_used_at)" : ""}
      execute function bump_version()`
  ]),

  // Networks in CIDR notation; null: any.
  `alter table api_keys add column allowed_ips text[]`,
  `drop trigger announce on api_keys`,
  `create trigger announce after update of expires_at, revoked_at, rate_limit_per_minute, allowed_ips or delete on api_keys
    for each row execute function announce_key_change()`,

  `create table webhook_endpoints (
    id int generated always as identity primary key,
    customer_id int not null references customers,
    -- tells the timers of one event's endpoints apart
    lane smallint not null,
    url text not null,
    description text not null,
    events text[] not null,
    sealed_secret bytea not null,
    sealed_previous_secret bytea,
    previous_secret_until timestamptz,
    failing_since timestamptz,
    disabled_at timestamptz,
    disabled_reason text,
    version int not null default 1,
    created_at timestamptz not null,
    unique (customer_id, lane)
  )`,
  `create index webhook_endpoints_by_customer on webhook_endpoints (customer_id, id)`,
  `create trigger version before update of url, description, events, disabled_at on webhook_endpoints
    for each row execute function bump_version()`,
  // One event on its way to one endpoint, with every try.
  `create table webhook_deliveries (
    customer_id int not null,
    endpoint_id int not null,
    event_id uuid not null,
    status text not null check (status in ('pending', 'delivered', 'failed')),
    tries jsonb not null default '[]',
    created_at timestamptz not null,
    -- the first try, since it was created or replayed
    started_at timestamptz,
    next_try_at timestamptz,
    finished_at timestamptz,
    primary key (customer_id, endpoint_id, event_id)
  ) with (fillfactor = 80)`,
  // Searches by phone, status and time.
  `create index verifications_by_time on verifications (customer_id, created_at desc, id desc) where mode = 'live'`,
  `create index verifications_by_phone on verifications (customer_id, phone, created_at desc) where mode = 'live'`,
  `create index messages_by_time on messages (customer_id, created_at desc, id desc)`,
  `create index messages_by_phone on messages (customer_id, phone, created_at desc)`,
  `create index events_by_time on events (customer_id, occurred_at)`,
  `create index audit_log_by_time on audit_log (customer_id, occurred_at desc, id desc)`,
  `create index ledger_top_ups on ledger (customer_id, occurred_at desc, id desc) where kind = 'top_up'`,
  `create index webhook_deliveries_pending on webhook_deliveries (customer_id, endpoint_id) where status = 'pending'`,
  `create index ledger_by_time on ledger (customer_id, occurred_at desc, id desc)`,
  // The same rows as before, in the order of the list.
  `drop index verifications_holding`,
  `drop index messages_holding`,
  `create index verifications_holding on verifications (customer_id, created_at desc, id desc) where held > 0`,
  `create index messages_holding on messages (customer_id, created_at desc, id desc) where held > 0`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
