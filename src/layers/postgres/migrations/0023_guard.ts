import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const affectsSetUp = (table: string, change: string) => [
  `create trigger announce after ${change} on ${table}
    for each row execute function announce_customer_change('customer_id')`,
  `create constraint trigger count_set_up_change after ${change} on ${table}
    deferrable initially deferred for each row execute function count_set_up_change('customer_id')`
]

const statements = [
  // No row: the defaults.
  `create table guard_settings (
    customer_id int primary key references customers,
    mode text not null check (mode in ('off', 'record', 'enforcing')),
    -- null: by the usual traffic; 0: none
    unverified_hour int,
    sms_price int,
    updated_at timestamptz not null,
    version int not null default 1
  )`,
  `create trigger version before update on guard_settings for each row execute function bump_version()`,
  ...affectsSetUp("guard_settings", "insert or update or delete"),
  `create table guard_entries (
    customer_id int not null references customers,
    list text not null check (list in ('allow', 'deny')),
    type text not null check (type in ('phone', 'prefix', 'ip')),
    value text not null,
    created_at timestamptz not null,
    primary key (customer_id, list, type, value)
  )`,
  ...affectsSetUp("guard_entries", "insert or update or delete"),
  // The rounds' memory of a customer, and the time up to which its codes were judged.
  `create table guard_rounds (
    customer_id int primary key,
    -- the id of the last judged code, or an id between two codes
    judged_until uuid not null,
    state jsonb not null,
    -- of the last 14 days, for what is expected of others
    codes int not null,
    verified int not null
  ) with (fillfactor = 50)`,
  `create table guard_segments (
    customer_id int not null,
    kind text not null,
    key text not null,
    state jsonb not null,
    codes int not null,
    verified int not null,
    score double precision not null,
    updated_at timestamptz not null,
    primary key (customer_id, kind, key)
  ) with (fillfactor = 70)`,
  // Codes that processes were granted and that are not known to be verified.
  `create table guard_budgets (
    customer_id int not null,
    segment text not null,
    used double precision not null,
    granted int not null,
    -- null: the least
    budget int,
    ends_at timestamptz not null,
    primary key (customer_id, segment)
  ) with (fillfactor = 70)`,
  `create table guard_alarms (
    customer_id int not null,
    id uuid not null,
    kind text not null,
    key text not null,
    reason text not null,
    level int not null,
    action text,
    enforced boolean not null,
    started_at timestamptz not null,
    until timestamptz not null,
    cleared_at timestamptz,
    codes int not null,
    verified int not null,
    events_written int not null default 0,
    primary key (customer_id, id)
  )`,
  `create unique index guard_alarms_open on guard_alarms (customer_id, kind, key, reason) where cleared_at is null`,
  ...affectsSetUp("guard_alarms", "insert or update of until, cleared_at"),
  `create table guard_days (
    customer_id int not null,
    day date not null,
    codes int not null default 0,
    verified int not null default 0,
    -- codes that were sent and that enforcing would refuse, or send without SMS
    flagged int not null default 0,
    flagged_verified int not null default 0,
    flagged_sms int not null default 0,
    -- refused by the guard, and by the deny list
    refused int not null default 0,
    denied int not null default 0,
    primary key (customer_id, day)
  ) with (fillfactor = 70)`,
  // The verdict that the guard had on a code, or the reason why the code passed anyway. Most have neither.
  `alter table verifications add column guard text`,
  // The customers that sent to a phone within ten minutes: five are too many.
  `alter table platform_phone_counters
    add column callers int[] not null default '{}',
    add column callers_until timestamptz not null default '-infinity',
    add column bombed_until timestamptz not null default '-infinity'`
]

export default Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.forEach(statements, (statement) => sql.unsafe(statement), { discard: true })
})
