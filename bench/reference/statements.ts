/** The SQL of one send, verify and status, each one statement; a send also as two, for the crash-safe service. */
const counted = `
with k as (select id, account_id from api_keys where key_hash = $1 and kind = 'live' and revoked_at is null),
i as (
  insert into idempotency (account_id, idem_key, request_hash, verification_id)
  select account_id, $2, $3, $4 from k on conflict do nothing returning account_id
),
c as (
  insert into phone_counters as p (account_id, phone, hour_start, hour_n, day_start, day_n)
  select account_id, $5, date_trunc('hour', now()), 1, date_trunc('day', now()), 1 from i
  on conflict (account_id, phone) do update set
    hour_n = case when p.hour_start = excluded.hour_start then p.hour_n + 1 else 1 end, hour_start = excluded.hour_start,
    day_n = case when p.day_start = excluded.day_start then p.day_n + 1 else 1 end, day_start = excluded.day_start
  returning account_id, hour_n, day_n
)`
const verification = (status: string) => `
v as (
  insert into verifications (id, account_id, phone, code_hash, status, path, expires_at)
  select $4, account_id, $5, $6, '${status}', $7::text::jsonb, now() + interval '5 minutes' from c
  where hour_n <= 1000 and day_n <= 1000 returning id
)`
const outcome = (done: string) => `
select (select account_id from k) as account_id, (select count(*) from i)::int as fresh,
  (select hour_n from c) as hour_n, (select count(*) from ${done})::int as done`

/** Everything at once, after the provider was called. */
export const SEND = `${counted},${verification("queued")},
a as (
  insert into attempts (verification_id, sequence, channel, status) select id, 1, $8::text::jsonb, 'sent' from v returning 1
)${outcome("a")}`

/** A message, after the provider was called. */
export const MESSAGE = `${counted},
v as (
  insert into messages (id, account_id, phone, text, status, path, sent_at)
  select $4, account_id, $5, $6, 'sent', $7::text::jsonb, now() from c where hour_n <= 1000 and day_n <= 1000 returning id
)${outcome("v")}`

/** Before the provider is called. */
export const ACCEPT = `${counted},${verification("pending")}${outcome("v")}`

/** After it was called. */
export const RECORD = `
with a as (
  insert into attempts (verification_id, sequence, channel, status) values ($1, 1, $2::text::jsonb, 'sent') returning 1
)
update verifications set status = 'queued' where id = $1 and status = 'pending' returning status`

export const REPLAY = `
select i.request_hash, v.id, v.status, v.path from idempotency i
join api_keys k on k.account_id = i.account_id
join verifications v on v.id = i.verification_id
where k.key_hash = $1 and i.idem_key = $2`

export const VERIFY = `
update verifications v set
  wrong_attempts = v.wrong_attempts + (v.code_hash <> $3)::int,
  status = case when v.code_hash = $3 then 'verified' when v.wrong_attempts + 1 >= 5 then 'locked' else v.status end,
  verified_at = case when v.code_hash = $3 then now() end
from api_keys k
where k.key_hash = $1 and k.kind = 'live' and k.revoked_at is null
  and v.id = $2 and v.account_id = k.account_id and v.status = 'queued' and v.expires_at > now()
returning v.status`

export const STATUS = `
select v.id, v.phone, v.status, v.expires_at, v.verified_at, v.path,
  (select json_agg(json_build_object('sequence', a.sequence, 'channel', a.channel, 'status', a.status,
     'dispatched_at', a.dispatched_at, 'transition_reason', a.transition_reason) order by a.sequence)
   from attempts a where a.verification_id = v.id) as attempts
from verifications v join api_keys k on k.account_id = v.account_id
where k.key_hash = $1 and k.kind = 'live' and k.revoked_at is null and v.id = $2`
