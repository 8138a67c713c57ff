-- Accepts one code by itself: every counter is locked before it is looked at. For requests that a batch could not
-- decide, because money or quota did not suffice for all that asked for it.
-- The code makes this statement; `npm run golden` writes this file.

with
r as not materialized (
  select $1::int as customer_id, $2 as phone, $3::timestamptz as now, $4::smallint as stripe,
    $5::date as month, $6::timestamptz as month_ends_at, $7::bigint as held_together, 1 as counted_together,
    $8::int4 as hour,$9::int4 as day,$10::int4 as platform_day,$11::int4 as callers,$12::int8 as hold,
    $13::int4 as set_up,$14::int4 as quota),
phone as materialized (
  select p.*
  from r
  join phone_counters p on p.customer_id = r.customer_id and p.phone = r.phone and p.kind = 'code'
  for update of p),
platform as materialized (
  select o.*
  from r
  join platform_phone_counters o on o.phone = r.phone
  for update of o),
quota as materialized (
  select q.*
  from r
  join monthly_counters q on q.customer_id = r.customer_id and q.month = r.month
  for update of q),
wallet as materialized (
  select w.*
  from r
  join wallets w on w.customer_id = r.customer_id and w.stripe = r.stripe
  for update of w),
verdict as materialized (
  select reason, until
  from (
    select null::int as nth, null::text as reason, null::timestamptz as until
    union all
    select 0, 'set_up_changed', null::timestamptz
    from r
    left join set_up_versions s on s.customer_id = r.customer_id
    where not (r.set_up is null or r.set_up = coalesce(s.version, 0) + coalesce((
      select version
      from set_up_versions
      where customer_id = 0), 0))
    union all
    select 1, 'phone_hour', p.hour_ends_at
    from r
    left join phone p on true
    where p.hour_used >= r.hour and r.hour > 0 and p.hour_ends_at > r.now
    union all
    select 2, 'phone_day', p.day_ends_at
    from r
    left join phone p on true
    where p.day_used >= r.day and r.day > 0 and p.day_ends_at > r.now
    union all
    select 3, 'platform_day', o.day_ends_at
    from r
    left join platform o on true
    where o.day_used >= r.platform_day and r.platform_day > 0 and o.day_ends_at > r.now
    union all
    select 4, 'bombed', o.callers_until
    from r
    left join platform o on true
    where r.callers > 0 and o.callers_until > r.now and cardinality(o.callers) + (not o.callers @> array[r.customer_id])::int >= r.callers
    union all
    select 5, 'quota', r.month_ends_at
    from r
    left join quota q on true
    where r.quota > 0 and coalesce(q.used, 0) + r.counted_together > r.quota
    union all
    select 6, 'wallet', null::timestamptz
    from r
    left join wallet w on true
    where r.hold > 0 and coalesce(w.balance - w.held < r.held_together, true)) refusals
  order by nth nulls last
  limit 1),
claimed as (
  insert into idempotency_keys as k (customer_id, operation, key, fingerprint, subject, expires_at)
  select $15::int, $16, $17, $18::bytea, $19::uuid, $20::timestamptz
  from verdict
  where reason is null
  on conflict (customer_id, operation, key) do update set fingerprint = excluded.fingerprint, subject = excluded.subject,
    expires_at = excluded.expires_at
  where k.expires_at <= $21
  returning true),
verification as (
  insert into verifications (customer_id, id, mode, phone, status, revision, route, text_body,
    attempts, remaining, next_step_at, code_hash, sealed_code, created_at, expires_at, held, metadata,
    text_locale, client, guard)
  select $22::int, $23::uuid, $24, $25, $26, $27::int, $28::jsonb, $29::text, '[]'::jsonb, $30::int[],
    $31::timestamptz, $32::bytea, $33::bytea, $34::timestamptz, $35::timestamptz, $36::bigint,
    $37::text, $38::text, $39::jsonb, $40::text
  from claimed),
timer as (
  insert into timers (customer_id, kind, subject, claimable_at, lease_token)
  select $41::int, $42, $43::uuid, $44::timestamptz, $45::uuid
  from claimed),
phone_counted as (
  insert into phone_counters as p (customer_id, phone, kind, hour_ends_at, hour_used, day_ends_at,
    day_used)
  select customer_id, phone, 'code', now + interval '1 hour', 1, now + interval '24 hours', 1
  from r
  where exists (
    select
    from claimed) and (hour > 0 or day > 0)
  on conflict (customer_id, phone, kind) do update set hour_used = case when excluded.hour_ends_at - p.hour_ends_at < interval '1 hour'
    then p.hour_used + 1 else 1 end, hour_ends_at = case when excluded.hour_ends_at - p.hour_ends_at < interval '1 hour'
    then p.hour_ends_at else excluded.hour_ends_at end, day_used = case when excluded.day_ends_at - p.day_ends_at < interval '24 hours'
    then p.day_used + 1 else 1 end, day_ends_at = case when excluded.day_ends_at - p.day_ends_at < interval '24 hours'
    then p.day_ends_at else excluded.day_ends_at end
  returning customer_id, phone, hour_used, day_used),
platform_counted as (
  insert into platform_phone_counters as o (phone, day_ends_at, day_used, callers, callers_until)
  select phone, now + interval '24 hours', 1, array[customer_id], now + interval '10 minutes'
  from r
  where exists (
    select
    from claimed) and (platform_day > 0 or callers > 0)
  on conflict (phone) do update set day_used = case when excluded.day_ends_at - o.day_ends_at < interval '24 hours'
    then o.day_used + 1 else 1 end, day_ends_at = case when excluded.day_ends_at - o.day_ends_at < interval '24 hours'
    then o.day_ends_at else excluded.day_ends_at end, callers = case when not excluded.callers_until - o.callers_until < interval '10 minutes'
    then excluded.callers
    when o.callers @> excluded.callers or cardinality(o.callers) >= 16 then o.callers else o.callers || excluded.callers
    end, callers_until = case when excluded.callers_until - o.callers_until < interval '10 minutes'
    then o.callers_until else excluded.callers_until end
  returning phone, day_used, cardinality(callers) as callers),
quota_counted as (
  insert into monthly_counters as q (customer_id, month, used)
  select customer_id, month, count(*)
  from r
  where exists (
    select
    from claimed) and quota > 0
  group by 1, 2
  order by 1, 2
  on conflict (customer_id, month) do update set used = q.used + excluded.used
  returning customer_id, month, used),
holds as materialized (
  select customer_id, stripe, sum(hold)::bigint as total
  from r
  where exists (
    select
    from claimed) and hold > 0
  group by 1, 2
  order by 1, 2),
held as (
  update wallets w set held = w.held + h.total
  from holds h
  where w.customer_id = h.customer_id and w.stripe = h.stripe and w.balance - w.held >= h.total
  returning true)
select v.reason, v.until, exists (
  select
  from claimed) as accepted, case when false or exists (
  select
  from phone_counted c
  join r a on a.customer_id = c.customer_id and a.phone = c.phone
  where (c.hour_used > 1 or c.day_used > 1) and (c.hour_used > nullif(a.hour, 0) or c.day_used > nullif(a.day,
    0))) or exists (
  select
  from platform_counted c
  join r a on a.phone = c.phone
  where (c.day_used > 1) and (c.day_used > nullif(a.platform_day, 0) or c.callers >= nullif(a.callers,
    0))) or exists (
  select
  from quota_counted c
  join r a on a.customer_id = c.customer_id and a.month = c.month
  where a.quota > 0 and c.used > a.quota) or (
  select count(*)
  from held) <> (
  select count(*)
  from holds) then raise_race() end as raced
from verdict v
