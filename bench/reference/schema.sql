-- The least that a durable service for codes needs; what Peyk's own tables are measured against.
create table api_keys (
  id int primary key, account_id int not null, key_hash bytea not null unique, kind text not null, revoked_at timestamptz
);
create table idempotency (
  account_id int not null, idem_key text not null, request_hash bytea not null, verification_id uuid not null,
  created_at timestamptz not null default now(),
  primary key (account_id, idem_key)
);
-- a phone's hour and day in one row: one upsert per send
create table phone_counters (
  account_id int not null, phone text not null, hour_start timestamptz not null, hour_n int not null,
  day_start timestamptz not null, day_n int not null,
  primary key (account_id, phone)
) with (fillfactor = 80);
create table verifications (
  id uuid primary key, account_id int not null, phone text not null, code_hash bytea not null, status text not null,
  wrong_attempts int not null default 0, path jsonb not null, created_at timestamptz not null default now(),
  expires_at timestamptz not null, verified_at timestamptz
) with (fillfactor = 85);
create table messages (
  id uuid primary key, account_id int not null, phone text not null, text text not null, status text not null,
  path jsonb not null, created_at timestamptz not null default now(), sent_at timestamptz
) with (fillfactor = 85);
create table attempts (
  verification_id uuid not null, sequence int not null, channel jsonb not null, status text not null,
  dispatched_at timestamptz not null default now(), transition_reason text,
  primary key (verification_id, sequence)
);
-- the key that is used, and others, so that looking it up is looking something up
insert into api_keys select i, i, sha256(('svc_live_reference' || i)::bytea), 'live', null from generate_series(1, 10000) i;
analyze;
