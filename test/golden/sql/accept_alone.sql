-- Accepts one code by itself: every counter is locked before it is looked at. For requests that a batch could not
-- decide, because money or quota did not suffice for all that asked for it.
-- The code makes this statement; `npm run golden` writes this file.

with
phone as materialized (
  select *
  from phone_counters
  where customer_id = $1 and kind = $2 and phone = $3
  for update),
platform as materialized (
  select *
  from platform_phone_counters
  where phone = $4
  for update),
quota as materialized (
  select *
  from monthly_counters
  where customer_id = $5 and month = $6::date
  for update),
wallet as materialized (
  select balance - held as available
  from wallets
  where customer_id = $7 and stripe = $8::smallint
  for update),
verdict as materialized (
  select reason, until
  from (
    select null::int as nth, null::text as reason, null::timestamptz as until
    union all (
      select $9::int as nth, r.*
      from (
        select 'set_up_changed' as reason, null::timestamptz as until
        from (
          select $10::int as customer_id, $11::int as set_up) r
        left join set_up_versions s on s.customer_id = r.customer_id
        where not (r.set_up is null or r.set_up = coalesce(s.version, 0) + coalesce((
          select version
          from set_up_versions
          where customer_id = 0), 0))) r)
    union all (
      select $12::int as nth, r.*
      from (
        select 'phone_hour' as reason, p.hour_ends_at as until
        from phone p
        where p.hour_ends_at > $13::timestamptz and $14::int > 0 and p.hour_used >= $15::int) r)
    union all (
      select $16::int as nth, r.*
      from (
        select 'phone_day', p.day_ends_at
        from phone p
        where p.day_ends_at > $17::timestamptz and $18::int > 0 and p.day_used >= $19::int) r)
    union all (
      select $20::int as nth, r.*
      from (
        select 'platform_day' as reason, p.day_ends_at as until
        from platform p
        where p.day_ends_at > $21::timestamptz and p.day_used >= $22::int) r)
    union all (
      select $23::int as nth, r.*
      from (
        select 'quota' as reason, $24::timestamptz as until
        from quota q
        where q.used >= $25::int) r)
    union all (
      select $26::int as nth, r.*
      from (
        select 'wallet' as reason, null::timestamptz as until
        where not exists (
          select
          from wallet w
          where w.available >= $27::bigint)) r)) refusals
  order by nth nulls last
  limit 1),
claimed as (
  insert into idempotency_keys as k (customer_id, operation, key, fingerprint, subject, expires_at)
  select $28::int, $29, $30, $31::bytea, $32::uuid, $33::timestamptz
  from verdict
  where reason is null
  on conflict (customer_id, operation, key) do update set fingerprint = excluded.fingerprint, subject = excluded.subject,
    expires_at = excluded.expires_at
  where k.expires_at <= $34
  returning true),
verification as (
  insert into verifications (customer_id, id, mode, phone, status, revision, route, text_body,
    attempts, remaining, next_step_at, code_hash, sealed_code, created_at, expires_at, held)
  select $35::int, $36::uuid, $37, $38, $39, $40::int, $41::jsonb, $42::text, '[]'::jsonb, $43::int[],
    $44::timestamptz, $45::bytea, $46::bytea, $47::timestamptz, $48::timestamptz, $49::bigint
  from claimed),
timer as (
  insert into timers (customer_id, kind, subject, claimable_at, lease_token)
  select $50::int, $51, $52::uuid, $53::timestamptz, $54::uuid
  from claimed),
phone_counted as (
  insert into phone_counters as p (customer_id, kind, phone, hour_ends_at, hour_used, day_ends_at,
    day_used)
  select $55::int, $56, $57, $58::timestamptz, 1, $59::timestamptz, 1
  from claimed
  on conflict (customer_id, kind, phone) do update set hour_used = case when p.hour_ends_at > $60
    then p.hour_used + 1 else 1 end, hour_ends_at = case when p.hour_ends_at > $61 then p.hour_ends_at
    else excluded.hour_ends_at end, day_used = case when p.day_ends_at > $62 then p.day_used + 1 else 1
    end, day_ends_at = case when p.day_ends_at > $63 then p.day_ends_at else excluded.day_ends_at end
  where not (p.hour_ends_at > $64::timestamptz and $65::int > 0 and p.hour_used >= $66::int) and not (p.day_ends_at > $67::timestamptz
    and $68::int > 0 and p.day_used >= $69::int)
  returning true),
platform_counted as (
  insert into platform_phone_counters as p (phone, day_ends_at, day_used)
  select $70, $71::timestamptz, 1
  from claimed
  on conflict (phone) do update set day_used = case when p.day_ends_at > $72 then p.day_used + 1 else 1
    end, day_ends_at = case when p.day_ends_at > $73 then p.day_ends_at else excluded.day_ends_at end
  where not (p.day_ends_at > $74::timestamptz and p.day_used >= $75::int)
  returning true),
quota_counted as (
  insert into monthly_counters as q (customer_id, month, used)
  select $76::int, $77::date, 1
  from claimed
  on conflict (customer_id, month) do update set used = q.used + 1
  where q.used < $78::int
  returning true),
held as (
  update wallets w set held = w.held + $79::bigint
  from claimed
  where w.customer_id = $80 and w.stripe = $81::smallint and w.balance - w.held >= $82::bigint
  returning true)
select v.reason, v.until, exists (
  select
  from claimed) as accepted, case when exists (
  select
  from claimed) and (false or not exists (
  select
  from "phone_counted") or not exists (
  select
  from "platform_counted") or not exists (
  select
  from "quota_counted") or not exists (
  select
  from "held")) then try_again() end as raced
from verdict v
