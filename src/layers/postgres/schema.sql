-- The schema of a new store, as migration 1 creates it. After the first release, a change of the schema is a
-- migration next to 0001_schema.ts, and this file stays as it is. The comment of a table says what a row is, and who
-- writes it.
--
-- * Ids of verifications, messages, events and entries of a log are uuids of version 7. They show when they were made,
--   so lists in the order of time need no further index.
-- * A column without a check gets constants of Peyk's code only. PostgreSQL parses the text of a table's checks for
--   each statement that writes to it: a tenth of a millisecond for two. So verifications and the ledger have none.
-- * fillfactor leaves room in each page for the next version of its rows. An update that finds room and changes no
--   column of an index, or of an index's condition, leaves the indexes alone.
-- * Sealed columns are encrypted with a key that the master secret gives. Amounts of money are rials.
-- * Tables that sends write to have no foreign keys: each would be a lookup, and a lock on a row that all sends share.


-- Changes that processes have to hear of ----------------------------------------------------------
-- Processes cache set-ups, keys and accounts. Triggers notify them, no matter what made the change.

-- The argument is the column with the customer's id. A row without a customer is the platform's, and concerns all.
create function announce_customer_change() returns trigger language plpgsql as $$
  begin
    perform pg_notify('peyk_changed', 'customer:' || coalesce(to_jsonb(coalesce(new, old)) ->> tg_argv[0], ''));
    return null;
  end $$;

create function announce_key_change() returns trigger language plpgsql as $$
  begin
    perform pg_notify('peyk_changed', 'key:' || encode(old.secret_hash, 'hex'));
    return null;
  end $$;

create function announce_session_end() returns trigger language plpgsql as $$
  begin
    perform pg_notify('peyk_changed', 'key:' || new.family);
    return null;
  end $$;

create function announce_account() returns trigger language plpgsql as $$
  begin
    perform pg_notify('peyk_changed', 'account:' || new.account_id);
    return null;
  end $$;

-- The number of changes of one customer's set-up, written by the triggers below: a send compares it with that of its
-- cached set-up, so a late notification does no harm. Row 0 counts changes of the platform's accounts. No row means 0.
create table set_up_versions (
  customer_id int primary key,
  version int not null
) with (fillfactor = 50);

-- Its triggers are deferred: a transaction locks this row last, so two transactions never deadlock.
create function count_set_up_change() returns trigger language plpgsql as $$
  begin
    insert into set_up_versions as s (customer_id, version)
    values (coalesce((to_jsonb(coalesce(new, old)) ->> tg_argv[0])::int, 0), 1)
    on conflict (customer_id) do update set version = s.version + 1;
    return null;
  end $$;

-- A row that several people can change has a version: a change that was made from an older one is refused.
create function bump_version() returns trigger language plpgsql as $$
  begin
    new.version := old.version + 1;
    return new;
  end $$;


-- Customers and their keys ------------------------------------------------------------------------

-- A schema of this database that has the tables of the sends of some customers (`CELL_TABLES` in CellSchema.ts). Written
-- when a store is spread over several machines; a store on one PostgreSQL has no such row.
create table cells (
  id int primary key,
  -- its tables are named as those of the store's own schema
  name text not null unique
);

-- One who sends with Peyk: nearly every other row belongs to a customer. Written by operators, and by the customer's
-- own people for their settings.
create table customers (
  id int generated always as identity primary key,
  name text not null,
  plan text not null check (plan in ('free', 'start', 'business')),
  -- overrides of the platform's numbers: absent means the platform's, 0 means no limit
  limits jsonb not null default '{}',
  -- the name in default texts of codes; null: none
  brand text,
  locale text not null default 'fa' check (locale in ('fa', 'en')),
  -- the site whose page fills in a code from an SMS by itself (WebOTP)
  webotp_host text,
  -- the same for several sites, as https origins; a code names one of them. Empty: webotp_host
  webotp_origins text[] not null default '{}',
  -- by which an Android app reads a code from an SMS (SMS Retriever)
  app_hash text,
  -- whether its users must have a second factor; written by its owners
  second_factor_required boolean not null default false,
  -- where its sends are; null: in the store's own schema
  cell int references cells,
  created_at timestamptz not null
);
create trigger announce after update of plan, webotp_host, webotp_origins, app_hash, limits, brand, locale, cell
  on customers
  for each row execute function announce_customer_change('id');
create constraint trigger count_set_up_change after update of plan, webotp_host, webotp_origins, app_hash, limits, brand,
  locale on customers
  deferrable initially deferred for each row execute function count_set_up_change('id');

-- A customer on its way to another cell, while it sends. Written by `peyk customer move`, and deleted at its end.
create table customer_moves (
  customer_id int primary key references customers,
  -- null: the store's own schema
  from_cell int references cells,
  to_cell int references cells,
  -- the customer is in the new cell, and its former rows are deleted since then
  switched_at timestamptz
);

-- A row of a moving customer that was written after the copy began: it is copied again. Written by the triggers that a
-- move makes on the tables of the former cell.
create table moved_rows (
  id bigint generated always as identity primary key,
  customer_id int not null,
  table_name text not null,
  -- its primary key, as texts
  key jsonb not null
);
create index moved_rows_by_customer on moved_rows (customer_id, table_name, id);

-- The arguments are the customer, its former cell (or nothing), and the columns of the table's primary key. While the
-- customer is switched, its writes wait here; then they fail, and are made again in the new cell.
create function note_moved_row() returns trigger language plpgsql as $$
  declare
    changed jsonb := to_jsonb(coalesce(new, old));
    cell_now int;
  begin
    if current_setting('peyk.moving', true) is distinct from tg_argv[0] then
      perform pg_advisory_xact_lock_shared(28, tg_argv[0]::int);
      select cell into cell_now from customers where id = tg_argv[0]::int;
      if cell_now is distinct from nullif(tg_argv[1], '')::int then
        if tg_table_name = 'timers' and tg_op = 'UPDATE' then
          -- A claim leaves it out.
          if new.lease_token is not null and new.lease_token is distinct from old.lease_token then return null; end if;
        end if;
        raise exception 'this customer was moved to another cell' using errcode = 'serialization_failure';
      end if;
      -- Timers are copied with the switch: before it, processes would find them in both cells.
      if tg_table_name <> 'timers' then
        insert into moved_rows (customer_id, table_name, key)
        select tg_argv[0]::int, tg_table_name, jsonb_agg(changed ->> k order by n)
        from unnest(tg_argv[2:]) with ordinality as keys (k, n);
      end if;
    end if;
    return coalesce(new, old);
  end $$;

-- A key that a customer's programs send with. Written by the customer's people; sends only note the last use.
create table api_keys (
  id int generated always as identity primary key,
  customer_id int not null references customers,
  name text not null,
  mode text not null check (mode in ('live', 'test')),
  prefix text not null,
  last_four text not null,
  secret_hash bytea not null unique,
  rate_limit_per_minute int,
  -- networks in CIDR notation; null: any
  allowed_ips text[],
  created_at timestamptz not null,
  expires_at timestamptz,
  revoked_at timestamptz,
  last_used_at timestamptz,
  version int not null default 1
);
create index api_keys_by_customer on api_keys (customer_id, id);
-- being used is no change
create trigger version before update on api_keys for each row
  when (old.last_used_at is not distinct from new.last_used_at)
  execute function bump_version();
create trigger announce after update of expires_at, revoked_at, rate_limit_per_minute, allowed_ips or delete on api_keys
  for each row execute function announce_key_change();
create constraint trigger count_set_up_change
  after update of expires_at, revoked_at, rate_limit_per_minute, allowed_ips or delete on api_keys
  deferrable initially deferred for each row execute function count_set_up_change('customer_id');

-- A token that a customer's programs manage its set-up with: it cannot send. Written as keys are.
create table personal_tokens (
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
);
create index personal_tokens_by_customer on personal_tokens (customer_id, id);
create trigger announce after update of expires_at, revoked_at or delete on personal_tokens
  for each row execute function announce_key_change();


-- People ------------------------------------------------------------------------------------------

-- A person who signs in to the console or the management API. Written by owners and operators, and by the person for
-- the password.
create table users (
  id uuid primary key,
  -- null: an operator, who is of no customer
  customer_id int references customers,
  email text not null unique,
  name text not null,
  role text not null check (role in ('owner', 'developer', 'viewer', 'operator')),
  password_hash text not null,
  -- grows with each new password and sign-out everywhere: what was made in an earlier epoch has ended
  sign_in_epoch int not null default 0,
  -- the owner or operator who made them; null: the command line, or a token
  invited_by uuid references users,
  -- when a sign-in, in the console or the API, was last complete
  last_sign_in_at timestamptz,
  created_at timestamptz not null,
  disabled_at timestamptz
);
create index users_by_customer on users (customer_id, id);
create trigger announce after update of role, name, disabled_at on users
  for each row execute function announce_customer_change('customer_id');

-- A session of the console. A sign-in writes it, and its requests push the first of its two ends back. It ends when
-- its row is deleted, or at the earlier end.
create table console_sessions (
  id uuid primary key,
  secret_hash bytea not null unique,
  user_id uuid not null references users,
  -- the customer whose console an operator looks at
  customer_id int references customers,
  created_at timestamptz not null,
  -- when its user signed in; null: by a link that another person made
  signed_in_at timestamptz,
  -- whence they signed in: an address without its last part
  network text,
  -- pushed back while it is used
  idle_ends_at timestamptz not null,
  ends_at timestamptz not null
);
create index console_sessions_by_user on console_sessions (user_id);

-- Filters of a page that a user keeps under a name, in the console of one customer. At most 20 each.
create table saved_views (
  id int generated always as identity primary key,
  customer_id int not null references customers,
  user_id uuid not null references users,
  page text not null,
  name text not null,
  -- of the page's address; no phones, and nothing that is searched for
  query text not null,
  created_at timestamptz not null,
  unique (customer_id, user_id, page, name)
);

-- A link that signs its user in once. Written by owners, by operators and on the command line; its use deletes it.
create table sign_in_links (
  secret_hash bytea primary key,
  user_id uuid not null references users,
  user_epoch int,
  -- null: made on the command line
  made_by uuid references users,
  maker_epoch int,
  -- the sign-in of its maker, which a link for themselves continues
  signed_in_at timestamptz,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
-- a newer link takes the place of the older one
create unique index sign_in_links_by_user on sign_in_links (user_id);

-- A sign-in whose password or link was right, and whose second factor is still to come. The sign-in writes it, each try
-- counts in it, and a right one deletes it. It ends with the epoch of its user.
create table pending_sign_ins (
  secret_hash bytea primary key,
  user_id uuid not null references users,
  user_epoch int not null,
  -- who made the link that began it; null: nobody, or the command line
  made_by uuid references users,
  -- the sign-in that a link for its maker continues
  signed_in_at timestamptz,
  -- what a passkey signs; another one after each try
  challenge text not null,
  tries int not null default 0,
  created_at timestamptz not null,
  expires_at timestamptz not null
);
create index pending_sign_ins_by_user on pending_sign_ins (user_id);

-- The authenticator app of a user. Written by its user, and by each sign-in with one of its codes.
create table authenticator_apps (
  user_id uuid primary key references users,
  sealed_key bytea not null,
  -- the step of the last accepted code: each is accepted once
  last_step int not null,
  created_at timestamptz not null
);

-- A passkey of a user. Written by its user, and by each sign-in with it.
create table passkeys (
  id text primary key,
  user_id uuid not null references users,
  name text not null,
  public_key bytea not null,
  -- what its authenticator has counted; 0: it does not count
  counter bigint not null,
  transports text[] not null,
  created_at timestamptz not null,
  last_used_at timestamptz
);
create index passkeys_by_user on passkeys (user_id);

-- A recovery code that was not used yet: it signs its user in once, in place of a second factor.
create table recovery_codes (
  user_id uuid not null references users,
  code_hash bytea not null,
  created_at timestamptz not null,
  primary key (user_id, code_hash)
);

-- A refresh token of the management API. A sign-in writes the first of a family, and each refresh the next one: the
-- family is the session. A token that is used twice ends its family, because somebody else has it too.
create table refresh_tokens (
  secret_hash bytea primary key,
  family uuid not null,
  user_id uuid not null references users,
  -- whence its user signed in: an address without its last part
  network text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  used_at timestamptz,
  revoked_at timestamptz
);
create index refresh_tokens_by_family on refresh_tokens (family);
create index refresh_tokens_by_user on refresh_tokens (user_id);
-- a family with a revoked token has ended
create index refresh_tokens_revoked on refresh_tokens (family) where revoked_at is not null;
create trigger announce after update of revoked_at on refresh_tokens
  for each row execute function announce_session_end();

-- The failed sign-ins of one e-mail address from one network, or of one network address. Written by each failure: too
-- many make the next ones wait.
create table sign_in_failures (
  origin text primary key,
  ends_at timestamptz not null,
  used int not null,
  -- a password reset clears the failures of its address, whatever the network
  email_hash text
);
create index sign_in_failures_by_email on sign_in_failures (email_hash) where email_hash is not null;

-- A key pair that access tokens are signed with. Written by the first process that needs it.
create table signing_keys (
  id text primary key,
  algorithm text not null,
  public_jwk jsonb not null,
  sealed_private_jwk bytea not null,
  created_at timestamptz not null,
  -- no longer signed with, but still trusted until then
  retires_at timestamptz
);

-- A change that a person, a token or the command line made: who, what and from where. Written in the transaction of the
-- change.
create table audit_log (
  customer_id int not null,
  id uuid not null,
  actor_kind text not null,
  actor_id text not null,
  actor_name text not null,
  action text not null,
  subject_type text not null,
  subject_id text not null,
  -- what people called the thing then
  subject_name text,
  -- the changed fields with their values, and their values before
  details jsonb not null,
  previous jsonb not null default '{}',
  ip text,
  user_agent text,
  request_id text,
  occurred_at timestamptz not null,
  primary key (customer_id, id)
);
create index audit_log_by_time on audit_log (customer_id, occurred_at desc, id desc);
create index audit_log_by_subject on audit_log (customer_id, subject_type, subject_id, occurred_at desc, id desc);
create index audit_log_by_actor on audit_log
  (customer_id, actor_kind desc, actor_id desc, occurred_at desc, id desc);
-- for operators, who see the changes of all customers
create index audit_log_of_all on audit_log (occurred_at desc, id desc);

-- The response to a creation, for a repeated request with the same key. Written by the creation. It can contain a
-- secret: so it is sealed, and repeated only for the token or user that made the request.
create table management_answers (
  customer_id int not null,
  operation text not null,
  key text not null,
  fingerprint bytea not null,
  -- null: still in progress
  status int,
  sealed_body bytea,
  expires_at timestamptz not null,
  actor_kind text,
  actor_id text,
  session_id uuid,
  primary key (customer_id, operation, key)
);


-- Accounts at providers ---------------------------------------------------------------------------

-- An account at a provider, which sends go through. Written by a customer's people; the platform's own by operators.
create table sending_accounts (
  id int generated always as identity primary key,
  -- null: the platform's own, shared by all customers
  customer_id int references customers,
  channel text not null,
  provider text not null,
  label text not null,
  sealed_settings bytea not null,
  is_default boolean not null default false,
  -- What its provider and its settings allow: accepting and routing a request need not decrypt them.
  sends_codes boolean not null default true,
  sends_texts boolean not null default true,
  -- the provider knows a repeated code, or text, by its id
  deduplicates boolean not null default false,
  deduplicates_texts boolean not null default false,
  reports_delivery boolean not null default false,
  needs_contact boolean not null default false,
  allows_private_addresses boolean not null default true,
  -- codes and texts go by different means, so their failures are counted separately
  rests_by_kind boolean not null default false,
  gap_ms int,
  rate_per_minute int,
  -- the accounts that take over for this one with a code, in order
  standby int[] not null default '{}',
  created_at timestamptz not null,
  disabled_at timestamptz,
  version int not null default 1
);
create index sending_accounts_by_customer on sending_accounts (customer_id, id);
create unique index one_default_account_per_channel on sending_accounts (customer_id, channel) where is_default;
create trigger version before update on sending_accounts for each row execute function bump_version();
create trigger announce after insert or update or delete on sending_accounts
  for each row execute function announce_customer_change('customer_id');
create constraint trigger count_set_up_change after insert or update or delete on sending_accounts
  deferrable initially deferred for each row execute function count_set_up_change('customer_id');

create function forget_standby_account() returns trigger language plpgsql as $$
  begin
    update sending_accounts set standby = array_remove(standby, old.id)
    where customer_id is not distinct from old.customer_id and old.id = any(standby);
    return null;
  end $$;
create trigger forget_standby_account after delete on sending_accounts
  for each row execute function forget_standby_account();

-- The rate and the state of one account. Sends write it, so it is not part of any set-up.
create table account_pace (
  account_id int primary key references sending_accounts,
  -- its last reserved slots, oldest first, and whose they are
  slots timestamptz[] not null default '{}',
  slot_customers int[] not null default '{}',
  -- no call starts before this: slots are planned starts, and some calls start late
  next_start_at timestamptz,
  failures int not null default 0,
  cooldowns int not null default 0,
  cooling_until timestamptz,
  -- of texts, for accounts that count their failures separately
  text_failures int not null default 0,
  text_cooldowns int not null default 0,
  texts_cooling_until timestamptz
) with (fillfactor = 50);
-- Announced whenever an account begins or stops to fail, not only for cooldowns: processes cache that too.
create trigger announce
  after update of failures, cooldowns, cooling_until, text_failures, text_cooldowns, texts_cooling_until on account_pace
  for each row when (old.cooling_until is distinct from new.cooling_until
    or old.texts_cooling_until is distinct from new.texts_cooling_until
    or (old.failures > 0 or old.cooldowns > 0) <> (new.failures > 0 or new.cooldowns > 0)
    or (old.text_failures > 0 or old.text_cooldowns > 0) <> (new.text_failures > 0 or new.text_cooldowns > 0))
  execute function announce_account();

create function pace_new_account() returns trigger language plpgsql as $$
  begin
    insert into account_pace (account_id) values (new.id);
    return null;
  end $$;
create trigger pace after insert on sending_accounts for each row execute function pace_new_account();

-- The provider's response to the last check of one account. Written by checks that people ask for, and by those that
-- read the credit.
create table account_checks (
  account_id int primary key references sending_accounts on delete cascade,
  checked_at timestamptz not null,
  result text not null,
  detail text,
  -- that the provider reported last, in the provider's own unit
  credit double precision
);

-- What one account had left to spend at its provider, the last time in a half hour that the provider said so, in its own
-- unit. Written with checks; 90 days are kept.
create table account_balances (
  account_id int not null references sending_accounts on delete cascade,
  -- when the half hour begins
  noted_at timestamptz not null,
  credit double precision not null,
  primary key (account_id, noted_at)
);

-- The last send of one account that failed for a reason other than its recipient. Written by that send.
create table account_errors (
  account_id int primary key references sending_accounts on delete cascade,
  code text not null,
  message text not null,
  happened_at timestamptz not null
);

-- How many steps of codes skipped one account in one minute for one reason. Written by those sends; an hour is kept.
create table account_skips (
  account_id int not null references sending_accounts on delete cascade,
  starts_at timestamptz not null,
  reason text not null,
  steps int not null,
  primary key (account_id, starts_at, reason)
);

-- How a bot reaches one phone: the chat that began when that person contacted it. Written by the bot's updates, and by
-- imports of contacts.
create table contact_links (
  account_id int not null references sending_accounts,
  phone text not null,
  chat_id text not null,
  linked_at timestamptz not null,
  primary key (account_id, phone)
);
create index contact_links_by_chat on contact_links (account_id, chat_id);

-- An account that people can write to. Written with the account; its timer (of kind bot_updates) fetches updates, or
-- has them posted.
create table account_inboxes (
  account_id int primary key references sending_accounts,
  -- of its timer
  subject uuid not null unique,
  -- up to where updates were fetched
  cursor text,
  -- part of the address that updates are posted to: a new one makes the old address nobody's
  generation int not null default 0
);


-- Routing and templates ---------------------------------------------------------------------------

-- The channels that one customer's sends try, in order, if a request names none. Written by the customer's people.
create table routing_orders (
  customer_id int primary key references customers,
  steps jsonb not null,
  -- whether the steps are tried as saved, or as measured
  step_order text not null default 'saved' check (step_order in ('saved', 'measured')),
  updated_at timestamptz not null,
  version int not null default 1
);
create trigger version before update on routing_orders for each row execute function bump_version();
create trigger announce after insert or update or delete on routing_orders
  for each row execute function announce_customer_change('customer_id');
create constraint trigger count_set_up_change after insert or update or delete on routing_orders
  deferrable initially deferred for each row execute function count_set_up_change('customer_id');

-- The orders of channels that were saved, the last ones of each customer: to compare with, and to restore. Written with
-- the order.
create table routing_versions (
  customer_id int not null references customers,
  version int not null,
  steps jsonb not null,
  step_order text not null,
  saved_at timestamptz not null,
  -- the name; null: not known, as the order was saved with the customer
  saved_by text,
  -- as in the audit log
  saved_by_kind text,
  saved_by_id text,
  primary key (customer_id, version)
);

-- A text with placeholders, for messages and codes. Written by the customer's people.
create table templates (
  id int generated always as identity primary key,
  customer_id int not null references customers,
  name text not null,
  body text not null,
  created_at timestamptz not null,
  disabled_at timestamptz,
  version int not null default 1
);
create index templates_by_customer on templates (customer_id, id);
create trigger version before update on templates for each row execute function bump_version();
-- A saved routing order can name templates: their changes remove it from caches. It cannot name a new one yet.
create trigger announce after update or delete on templates
  for each row execute function announce_customer_change('customer_id');
create constraint trigger count_set_up_change after update or delete on templates
  deferrable initially deferred for each row execute function count_set_up_change('customer_id');


-- Verifications -----------------------------------------------------------------------------------

-- A code with its route and its attempts: both change together, so they are in one row, and one write. Written by send,
-- verify, next and cancel, and by the timer that tries the next channel.
create table verifications (
  customer_id int not null,
  id uuid not null,
  mode text not null,
  phone text not null,
  status text not null,
  -- grows with each change, which names the one that it was made from
  revision int not null,
  route jsonb not null,
  attempts jsonb not null,
  -- the steps of the route that are left: some are skipped, or change places, if an account cannot send
  remaining int[] not null,
  next_step_at timestamptz,
  -- a slot of the next step's account is reserved
  slot_reserved boolean not null default false,
  -- the first remaining step was called once, with an unknown outcome, and is called once more
  repeating boolean not null default false,
  -- The hash and the encrypted copy of the code; null once it has ended. Six digits behind a key should not stay in
  -- backups for months after they were useful.
  code_hash bytea,
  sealed_code bytea,
  wrong_codes int not null default 0,
  -- the text with its placeholders; null: a default text, in the language of text_locale
  text_body text,
  text_locale text,
  -- the response of send, for replays: written with the first outcome, null before
  answered_status text,
  answered_step smallint,
  events_written int not null default 0,
  held bigint not null default 0,
  captured bigint not null default 0,
  -- the customer's data as its original text
  metadata text,
  -- hashes of the client
  client jsonb,
  -- The verdict that the guard had on the code, the reason why the code passed anyway, or the budget that it took from.
  -- Most have none.
  guard text,
  -- why it looked risky to its customer, for replays of the response; most have none
  risk text,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  verified_at timestamptz,
  primary key (customer_id, id)
) with (fillfactor = 50);
-- What still holds money has a timer too, by which it is found: an index of it would be written by every send.
create index verifications_by_phone on verifications (customer_id, phone, id) where mode = 'live';

-- What a request with an Idempotency-Key made, so that its repetition makes nothing. Written with what it made.
create table idempotency_keys (
  customer_id int not null,
  operation text not null,
  key text not null,
  fingerprint bytea not null,
  subject uuid not null,
  expires_at timestamptz not null,
  -- The response to a batch of messages: one key stands for many of them. Others have none. Not jsonb, which would
  -- change the order of fields.
  answer json,
  primary key (customer_id, operation, key)
);


-- Messages ----------------------------------------------------------------------------------------

-- A message with its route and its attempts, as a verification. Written by send and cancel, and by its timers.
create table messages (
  customer_id int not null,
  id uuid not null,
  mode text not null default 'live' check (mode in ('live', 'test')),
  phone text not null,
  status text not null,
  revision int not null,
  strategy text not null check (strategy in ('failover', 'broadcast')),
  route jsonb not null,
  attempts jsonb not null,
  -- slots of accounts that are reserved
  reservations jsonb not null default '[]',
  -- until when it waits for an account that can send
  patient_until timestamptz,
  text text not null,
  -- with its parameters, as their original text
  template json,
  metadata text not null,
  events_written int not null default 0,
  held bigint not null default 0,
  captured bigint not null default 0,
  created_at timestamptz not null,
  scheduled_for timestamptz,
  completed_at timestamptz,
  primary key (customer_id, id)
) with (fillfactor = 50);
create index messages_by_phone on messages (customer_id, phone, id);


-- Timers ------------------------------------------------------------------------------------------

-- Work that is due at some time. Written together with the row that needs it. Any process does it, and another one does
-- it again if that one dies.
create table timers (
  customer_id int not null,
  kind text not null,
  subject uuid not null,
  -- a broadcast message has a timer for each of its routes, an event one for each of its endpoints
  lane smallint not null default 0,
  -- when it is due, or while a process works on it (lease_token) the end of the lease
  claimable_at timestamptz not null,
  lease_token uuid,
  -- a customer's due timers beyond its share are parked: outside the index that is read in order of time
  parked boolean not null default false,
  primary key (customer_id, kind, subject, lane)
) with (fillfactor = 80);
-- By kind: a claim must not read through the backlog of another one. With its own collation: it finds due timers, but
-- never one timer. A planner that does not know the table yet would read all timers of its kind for that.
create index timers_by_kind on timers (kind collate "C", claimable_at) where not parked;
-- As a bigint: so that the primary key is never used for this, which leads through all timers of a customer.
create index timers_parked on timers (kind collate "C", (customer_id::bigint), claimable_at) where parked;


-- Events and webhooks -----------------------------------------------------------------------------

-- A change of a code or a message, for webhooks: written with the change, delivered later. Lists find events by their
-- ids, which show the time: each send writes two, so there is no further index.
create table events (
  customer_id int not null,
  id uuid not null,
  mode text not null default 'live',
  type text not null,
  subject uuid not null,
  -- among the events of its subject
  sequence int not null,
  data jsonb not null,
  occurred_at timestamptz not null,
  primary key (customer_id, id)
);

-- An address that gets a customer's events. Written by the customer's people; deliveries that fail for days disable it.
create table webhook_endpoints (
  id int generated always as identity primary key,
  customer_id int not null references customers,
  -- tells the timers of one event's endpoints apart
  lane smallint not null,
  -- of the events that it takes
  mode text not null default 'live' check (mode in ('live', 'test')),
  url text not null,
  description text not null,
  events text[] not null,
  sealed_secret bytea not null,
  -- signed with too, until then
  sealed_previous_secret bytea,
  previous_secret_until timestamptz,
  failing_since timestamptz,
  disabled_at timestamptz,
  disabled_reason text,
  version int not null default 1,
  created_at timestamptz not null,
  unique (customer_id, lane)
);
create index webhook_endpoints_by_customer on webhook_endpoints (customer_id, id);
create trigger version before update of url, description, events, disabled_at on webhook_endpoints
  for each row execute function bump_version();

-- An event on its way to one endpoint, with every try. Written by the event's timer and by replays.
create table webhook_deliveries (
  customer_id int not null,
  endpoint_id int not null,
  event_id uuid not null,
  status text not null check (status in ('pending', 'delivered', 'failed')),
  tries jsonb not null default '[]',
  -- what went over the wire in the last five tries: apart from the tries, which lists read
  exchanges jsonb not null default '[]',
  created_at timestamptz not null,
  -- the first try, since it was created or replayed
  started_at timestamptz,
  next_try_at timestamptz,
  finished_at timestamptz,
  -- its place in the list since it was replayed: like the event's id before, it shows the time
  replay_id uuid,
  primary key (customer_id, endpoint_id, event_id)
) with (fillfactor = 80);
-- Few are replayed: the others are listed by their events.
create index webhook_deliveries_replayed on webhook_deliveries (customer_id, endpoint_id, replay_id)
  where replay_id is not null;
create index webhook_deliveries_pending on webhook_deliveries (customer_id, endpoint_id) where status = 'pending';

-- A program of a developer that receives a customer's events as a stream, in one of the customer's few places. Written by
-- each heartbeat; a place is free when its lease has ended.
create table webhook_listeners (
  customer_id int not null references customers,
  slot smallint not null,
  id uuid not null,
  -- of the connection: one that comes back takes the place over
  token uuid not null,
  mode text not null,
  credential text not null,
  expires_at timestamptz not null,
  primary key (customer_id, slot)
) with (fillfactor = 50);


-- Money -------------------------------------------------------------------------------------------

-- A stripe of one customer's wallet: with several, its sends need not wait for one row. The balance is the sum of the
-- stripes, and of the ledger. Written by sends, and by operators' top-ups.
create table wallets (
  customer_id int not null,
  stripe smallint not null,
  balance bigint not null,
  held bigint not null,
  primary key (customer_id, stripe),
  check (held >= 0 and balance >= held)
) with (fillfactor = 50);

-- A change of a balance. Written together with it.
create table ledger (
  customer_id int not null,
  id uuid not null,
  kind text not null,
  amount bigint not null,
  -- the verification or message that was paid for
  subject uuid,
  occurred_at timestamptz not null,
  -- the channel that was paid for; null for money that was paid in
  channel text,
  primary key (customer_id, id)
);
create index ledger_top_ups on ledger (customer_id, id) where kind = 'top_up';

-- What a customer means to spend in a month. Nothing is refused because of it.
create table budgets (
  customer_id int primary key references customers,
  amount bigint not null check (amount > 0),
  -- gregorian or jalali: whose months
  calendar text not null
);

-- The sums of one customer's ledger in a day of UTC that is over. Written when somebody looks, from the ledger: no send
-- writes here. A balance of long ago is the sum of days, and of less than two days of the ledger.
create table ledger_days (
  customer_id int not null,
  day date not null,
  kind text not null,
  -- empty for money that was paid in
  channel text not null,
  amount bigint not null,
  primary key (customer_id, day, kind, channel)
);


-- Limits and counters -----------------------------------------------------------------------------

-- How often one customer sent to one phone. Written by accepted sends; a window begins with the first that it counts.
create table phone_counters (
  customer_id int not null,
  -- codes and messages are counted apart
  kind text not null,
  phone text not null,
  hour_ends_at timestamptz not null,
  hour_used int not null,
  day_ends_at timestamptz not null,
  day_used int not null,
  primary key (customer_id, kind, phone)
) with (fillfactor = 80);

-- How often all customers together sent to one phone, and called it. Written by accepted sends, by refused ones of
-- bombed phones, and by calls.
create table platform_phone_counters (
  phone text primary key,
  day_ends_at timestamptz not null,
  day_used int not null,
  -- the customers that sent to it within ten minutes: five are too many
  callers int[] not null,
  callers_until timestamptz not null,
  -- calls within an hour; until when a night has had its call; the codes of the last calls that were counted, and of
  -- those that began, so that a repeated call is not counted again, and none that began is given back
  calls int not null default 0,
  calls_end_at timestamptz,
  night_ends_at timestamptz,
  counted_calls uuid[] not null default '{}',
  begun_calls uuid[] not null default '{}'
) with (fillfactor = 80);
-- Rounds of the guard look for each code's phone: they need not read the rows of all other phones.
create index platform_phone_counters_bombed on platform_phone_counters (phone) where cardinality(callers) >= 5;

-- How much of one month's quota a customer used. Written by accepted sends.
create table monthly_counters (
  customer_id int not null,
  month date not null,
  used int not null,
  primary key (customer_id, month)
) with (fillfactor = 50);

-- The requests of one key in one minute. Written by processes, which take them in blocks.
create table key_windows (
  key_id int primary key,
  ends_at timestamptz not null,
  used int not null,
  granted int not null
) with (fillfactor = 50);

-- The requests of one token or session in one minute, as those of keys.
create table credential_windows (
  credential text primary key,
  ends_at timestamptz not null,
  used int not null,
  granted int not null
) with (fillfactor = 50);

-- For a race that only the next try can settle: nothing of this one is stored.
create function raise_race() returns int language plpgsql as $$
  begin
    raise exception 'a counter was opened meanwhile' using errcode = 'serialization_failure';
  end $$;


-- Guard -------------------------------------------------------------------------------------------

-- What one customer chose of the guard. Written by the customer's people. No row: the defaults.
create table guard_settings (
  customer_id int primary key references customers,
  mode text not null check (mode in ('off', 'record', 'enforcing')),
  -- null: by the usual traffic; 0: none
  unverified_hour int,
  sms_price int,
  updated_at timestamptz not null,
  version int not null default 1
);
create trigger version before update on guard_settings for each row execute function bump_version();
create trigger announce after insert or update or delete on guard_settings
  for each row execute function announce_customer_change('customer_id');
create constraint trigger count_set_up_change after insert or update or delete on guard_settings
  deferrable initially deferred for each row execute function count_set_up_change('customer_id');

-- A phone or network that a customer always lets through, or never. Written by the customer's people.
create table guard_entries (
  customer_id int not null references customers,
  list text not null check (list in ('allow', 'deny')),
  type text not null check (type in ('phone', 'prefix', 'ip')),
  value text not null,
  created_at timestamptz not null,
  primary key (customer_id, list, type, value)
);
create trigger announce after insert or update or delete on guard_entries
  for each row execute function announce_customer_change('customer_id');
create constraint trigger count_set_up_change after insert or update or delete on guard_entries
  deferrable initially deferred for each row execute function count_set_up_change('customer_id');

-- What rounds of the guard know of one customer, and up to where they judged its codes. Written by each round.
create table guard_rounds (
  customer_id int primary key,
  -- the id of the last judged code, or an id between two codes
  judged_until uuid not null,
  state jsonb not null,
  -- of the last 14 days, for what is expected of others
  codes int not null,
  verified int not null
) with (fillfactor = 50);

-- What rounds know of one part of a customer's traffic: a channel, a prefix, a network. Written by each round.
create table guard_segments (
  customer_id int not null,
  kind text not null,
  key text not null,
  state jsonb not null,
  codes int not null,
  verified int not null,
  score double precision not null,
  updated_at timestamptz not null,
  primary key (customer_id, kind, key)
) with (fillfactor = 70);
-- A network is judged by the codes of all customers.
create index guard_segments_networks on guard_segments (key) where kind = 'network';

-- How many unverified codes one part of the traffic may still have. Written by rounds, and by processes, which take
-- grants from it.
create table guard_budgets (
  customer_id int not null,
  segment text not null,
  used double precision not null,
  granted int not null,
  -- null: the least
  budget int,
  ends_at timestamptz not null,
  primary key (customer_id, segment)
) with (fillfactor = 70);

-- Something that a round found suspicious, until it is over. Written by rounds; people clear it.
create table guard_alarms (
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
);
create unique index guard_alarms_open on guard_alarms (customer_id, kind, key, reason) where cleared_at is null;
-- Alarms by which sends are decided. Others leave the cached set-up as it is: an attack can raise many.
create trigger announce after insert or update of until, cleared_at on guard_alarms
  for each row when (new.reason in ('unverified', 'outage'))
  execute function announce_customer_change('customer_id');
create constraint trigger count_set_up_change after insert or update of until, cleared_at on guard_alarms
  deferrable initially deferred for each row when (new.reason in ('unverified', 'outage'))
  execute function count_set_up_change('customer_id');

-- A phone for which this customer's codes were refused because many customers sent to it, for a day. Written by those
-- refusals. Others of the same few digits share an alarm, and this tells them apart.
create table guard_bombed_phones (
  customer_id int not null,
  -- the same keyed hash as in request_blocks: it belongs to one customer
  phone_hash uuid not null,
  -- the last time
  refused_at timestamptz not null,
  primary key (customer_id, phone_hash)
) with (fillfactor = 70);

-- What the guard did, or would have done, for one customer on one day of Tehran: for the decision to enforce. Written by
-- rounds and by refusals.
create table guard_days (
  customer_id int not null,
  day date not null,
  codes int not null default 0,
  verified int not null default 0,
  -- codes that were sent and that enforcing would refuse, or send without SMS
  flagged int not null default 0,
  flagged_verified int not null default 0,
  flagged_sms int not null default 0,
  -- what messengers charged for them
  flagged_charges bigint not null default 0,
  -- refused by the guard; of them those that were refused because the customer as a whole is suspicious
  refused int not null default 0,
  refused_whole int not null default 0,
  -- refused by the deny list
  denied int not null default 0,
  primary key (customer_id, day)
) with (fillfactor = 70);


-- Alerts ------------------------------------------------------------------------------------------
-- Those of the installation itself have customer 0. No send writes here.

-- Which alerts one customer's people get, and when. Written by the customer's people. No row: the defaults.
create table alert_settings (
  customer_id int primary key,
  -- the kinds that people get
  kinds text[] not null,
  -- minutes of the day in Tehran; null: at any time
  quiet_from smallint,
  quiet_until smallint,
  urgent_passes boolean not null,
  version int not null default 1,
  updated_at timestamptz not null,
  check ((quiet_from is null) = (quiet_until is null))
);

-- Somebody who gets a customer's alerts: a user, or an address or a phone that was confirmed by a code. Written by the
-- customer's people.
create table alert_recipients (
  id int generated always as identity primary key,
  customer_id int not null,
  type text not null check (type in ('user', 'email', 'phone')),
  user_id uuid references users on delete cascade,
  -- an e-mail address or a phone; null: that of the user
  address text,
  -- Of the code that confirms an address. A phone has a verification instead.
  code_hash bytea,
  code_expires_at timestamptz,
  wrong_codes int not null default 0,
  verification uuid,
  confirmed_at timestamptz,
  created_at timestamptz not null,
  check ((type = 'user') = (user_id is not null) and (type = 'user') = (address is null))
);
create index alert_recipients_by_customer on alert_recipients (customer_id, id);
create unique index alert_recipients_once on alert_recipients (customer_id, type, coalesce(user_id::text, address));

-- What is known of one thing that alerts are about: when people heard of it last. Written by rounds.
create table alert_subjects (
  customer_id int not null,
  kind text not null,
  subject_type text not null,
  subject_id text not null,
  is_open boolean not null,
  sent_at timestamptz,
  held_back int not null,
  updated_at timestamptz not null,
  primary key (customer_id, kind, subject_type, subject_id)
);

-- An alert that was raised. Written by rounds, and by tests that people ask for.
create table alerts (
  customer_id int not null,
  id uuid not null,
  kind text not null,
  subject_type text not null,
  subject_id text not null,
  -- what people called it then
  subject_name text,
  counts jsonb not null,
  -- how often it happened since the alert before, without one
  held_back int not null,
  raised_at timestamptz not null,
  primary key (customer_id, id)
);

-- An alert on its way to one recipient. Written with the alert, and by its timer, whose lane it has.
create table alert_deliveries (
  customer_id int not null,
  alert_id uuid not null,
  lane smallint not null,
  recipient_id int not null,
  means text not null,
  status text not null,
  first_due_at timestamptz not null,
  due_at timestamptz not null,
  tries int not null default 0,
  error text,
  -- the message that carries it
  message_id uuid,
  finished_at timestamptz,
  primary key (customer_id, alert_id, lane)
);

-- How often one customer asked for something in an hour: test alerts, and codes that confirm addresses.
create table alert_windows (
  customer_id int not null,
  kind text not null,
  ends_at timestamptz not null,
  used int not null,
  primary key (customer_id, kind)
);


-- Activity ----------------------------------------------------------------------------------------

-- The sums of one customer's sends in half an hour. Written when somebody looks, from the sends: no send writes here.
create table activity_slots (
  customer_id int not null,
  starts_at timestamptz not null,
  summed_at timestamptz not null,
  -- some of its sends were not over then, or waited for a delivery report
  is_open boolean not null,
  figures jsonb not null,
  primary key (customer_id, starts_at)
);

-- The sums of one customer's codes by what they have in common, in half an hour, and in longer spans, which are sums of
-- shorter ones. Written together with activity_slots: what a report reads hardly depends on its days, and not on codes.
create table code_sums (
  customer_id int not null,
  -- half_hour, two_hours, eight_hours, day (of Tehran), four_days or sixteen_days
  span text not null,
  -- all, channel, account, operator or template; of days together also hour
  kind text not null,
  starts_at timestamptz not null,
  mode text not null,
  -- the channel, the account and so on; empty for all; of hour, which half hour of the day of Tehran: 0 to 47
  key text not null,
  codes int not null,
  verified int not null,
  -- verified after another channel than the first was tried
  fallbacks int not null,
  cost bigint not null,
  -- how many were verified in each class of times
  seconds int[] not null,
  primary key (customer_id, span, kind, starts_at, mode, key)
);

-- Up to 40 requests of one customer. Written by the process that served them: a row for each request would cost each
-- send a twentieth of its time, and a block costs a hundredth. A block fits one page, and is stored there as it is.
create table request_blocks (
  -- A table that is distributed by customer needs the customer in its key.
  customer_id int not null,
  id uuid not null,
  begins_at timestamptz not null,
  ends_at timestamptz not null,
  requests text not null,
  -- A keyed hash of the phone of each refused request, at the request's place, and after those the hashes of refused
  -- messages of batches; null: nothing was refused. A phone that is erased leaves null in its places.
  refused_phones uuid[],
  primary key (customer_id, id)
) with (toast_tuple_target = 8160);
alter table request_blocks alter column requests set storage external;
-- A hash belongs to one customer. Blocks without a refusal are not in it.
create index request_blocks_by_refused_phone on request_blocks using gin (refused_phones)
  where refused_phones is not null;
-- Operators read the log of all customers from the newest block to the oldest. By the key, which begins with the
-- customer, each page read all of it: 0.6 s with 400 000 blocks, 2 ms with this.
create index request_blocks_by_id on request_blocks (id);


-- Simulator ---------------------------------------------------------------------------------------

-- What arrived on a simulated phone. Written by sends over the simulator.
create table simulator_messages (
  id bigint generated always as identity primary key,
  phone text not null,
  channel text not null,
  text text not null,
  code text,
  sent_at timestamptz not null
);
create index simulator_messages_by_phone on simulator_messages (phone, id);

-- The outcome of the next send of one simulator's account, in place of the account's own. Written by tests and people.
create table simulator_outcomes (
  account_id int primary key references sending_accounts on delete cascade,
  outcome text not null
);


-- System ------------------------------------------------------------------------------------------

-- One row, written by the first start: it recognizes the master secret. With another secret, nothing sealed could be
-- opened.
create table installation (
  only_row boolean primary key default true check (only_row),
  secret_check bytea not null
);

-- A process that serves, for those who run the installation. Written by the process itself, which renews its lease; a
-- process that stops deletes its row, and those of processes that died long ago.
create table processes (
  id uuid primary key,
  host text not null,
  pid int not null,
  version text not null,
  started_at timestamptz not null,
  alive_until timestamptz not null
);

-- One row: how far the rounds of retention have worked. Written by each of their steps.
create table retention (
  only_row boolean primary key default true check (only_row),
  progress jsonb not null
);
