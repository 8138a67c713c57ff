-- Like accept, for a batch in which the guard marked some codes: in an attack, most batches.
-- The code makes this statement; `npm run golden` writes this file.

with
judged as materialized (
  select r.*, case when not (r.set_up is null or r.set_up = coalesce(s.version, 0) + coalesce((
    select version
    from set_up_versions
    where customer_id = 0), 0)) then 'set_up_changed' end as verdict
  from (
    select unnest($1) as customer_id, unnest($2) as id, unnest($3) as phone, unnest($4) as now,
      unnest($5) as key, unnest($6) as fingerprint, unnest($7) as key_until, unnest($8) as stripe,
      unnest($9) as hour, unnest($10) as day, unnest($11) as platform_day, unnest($12) as callers,
      unnest($13) as hold, unnest($14) as set_up, unnest($15) as status, unnest($16) as revision,
      unnest($17) as route, unnest($18) as text_body, unnest($19) as remaining, unnest($20) as expires_at,
      unnest($21) as code_hash, unnest($22) as sealed_code, unnest($23) as lease_until, unnest($24) as lease_token,
      unnest($25) as guard, unnest($26) as nth) r
  left join set_up_versions s on s.customer_id = r.customer_id),
claimed as (
  insert into idempotency_keys as k (customer_id, operation, key, fingerprint, subject, expires_at)
  select customer_id, 'otp.send', key, fingerprint, id, key_until
  from judged
  where verdict is null and key is not null
  returning true),
phone_counted as (
  insert into phone_counters as o (customer_id, phone, kind, hour_ends_at, hour_used, day_ends_at,
    day_used)
  select customer_id, phone, 'code', now + interval '1 hour', 1, now + interval '24 hours', 1
  from judged
  where verdict is null and (hour > 0 or day > 0)
  on conflict (customer_id, phone, kind) do update set hour_used = case when excluded.hour_ends_at - o.hour_ends_at < interval '1 hour'
    then o.hour_used else 0 end + excluded.hour_used, hour_ends_at = case when excluded.hour_ends_at - o.hour_ends_at < interval '1 hour'
    then o.hour_ends_at else excluded.hour_ends_at end, day_used = case when excluded.day_ends_at - o.day_ends_at < interval '24 hours'
    then o.day_used else 0 end + excluded.day_used, day_ends_at = case when excluded.day_ends_at - o.day_ends_at < interval '24 hours'
    then o.day_ends_at else excluded.day_ends_at end
  returning customer_id, phone, hour_used, day_used),
platform_counted as (
  insert into platform_phone_counters as o (phone, day_ends_at, day_used, callers, callers_until)
  select phone, now + interval '24 hours', 1, array[customer_id], now + interval '10 minutes'
  from judged
  where verdict is null and (platform_day > 0 or callers > 0)
  on conflict (phone) do update set day_used = case when excluded.day_ends_at - o.day_ends_at < interval '24 hours'
    then o.day_used else 0 end + excluded.day_used, day_ends_at = case when excluded.day_ends_at - o.day_ends_at < interval '24 hours'
    then o.day_ends_at else excluded.day_ends_at end, callers = case when not excluded.callers_until - o.callers_until < interval '10 minutes'
    then excluded.callers
    when o.callers @> excluded.callers or cardinality(o.callers) >= 16 then o.callers else o.callers || excluded.callers
    end, callers_until = case when excluded.callers_until - o.callers_until < interval '10 minutes'
    then o.callers_until else excluded.callers_until end
  returning phone, day_used, cardinality(callers) as callers),
holds as materialized (
  select customer_id, stripe, sum(hold)::bigint as total
  from judged
  where verdict is null and hold > 0
  group by 1, 2
  order by 1, 2),
held as (
  update wallets w set held = w.held + h.total
  from holds h
  where w.customer_id = h.customer_id and w.stripe = h.stripe and w.balance - w.held >= h.total
  returning true),
verification as (
  insert into verifications (customer_id, id, mode, phone, status, revision, route, text_body,
    attempts, remaining, next_step_at, code_hash, sealed_code, created_at, expires_at, held, guard)
  select customer_id, id, 'live', phone, status, revision, route::jsonb, text_body, '[]',
    remaining::int[], now, code_hash, sealed_code, now, expires_at, hold, guard
  from judged
  where verdict is null),
timer as (
  insert into timers (customer_id, kind, subject, claimable_at, lease_token)
  select customer_id, 'verification', id, lease_until, lease_token
  from judged
  where verdict is null)
select case when exists (
  select
  from judged
  where verdict is not null) or (
  select count(*)
  from claimed) <> (
  select count(*)
  from judged
  where verdict is null and key is not null) or exists (
  select
  from phone_counted c
  join judged a on a.customer_id = c.customer_id and a.phone = c.phone
  where (c.hour_used > 1 or c.day_used > 1) and (c.hour_used > nullif(a.hour, 0) or c.day_used > nullif(a.day,
    0))) or exists (
  select
  from platform_counted c
  join judged a on a.phone = c.phone
  where (c.day_used > 1) and (c.day_used > nullif(a.platform_day, 0) or c.callers >= nullif(a.callers,
    0))) or (
  select count(*)
  from held) <> (
  select count(*)
  from holds) then raise_race() end as raced
