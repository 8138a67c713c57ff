-- After a refusal: what was counted before the requests, without locks. The domain's admitInOrder decides by it who
-- is admitted, and accept_after_look stores those.
-- The code makes this statement; `npm run golden` writes this file.

with
r as materialized (
  select *
  from (
    select unnest($1) as customer_id, unnest($2) as phone, unnest($3) as now, unnest($4) as key,
      unnest($5) as quota, unnest($6) as month, unnest($7) as hour, unnest($8) as day, unnest($9) as platform_day,
      unnest($10) as callers, unnest($11) as hold, unnest($12) as set_up, unnest($13) as nth) r),
phones as materialized (
  select p.*
  from (
    select distinct customer_id, phone
    from r
    where hour > 0 or day > 0) a
  join phone_counters p on p.customer_id = a.customer_id and p.kind = 'code' and p.phone = a.phone),
platform as materialized (
  select o.*
  from (
    select distinct phone
    from r
    where platform_day > 0 or callers > 0) a
  join platform_phone_counters o on o.phone = a.phone),
months as materialized (
  select q.*
  from (
    select distinct customer_id, month
    from r
    where quota > 0) a
  join monthly_counters q on q.customer_id = a.customer_id and q.month = a.month)
select r.nth, (r.set_up is null or r.set_up = coalesce(s.version, 0) + coalesce((
  select version
  from set_up_versions
  where customer_id = 0), 0)) as "isCurrent", exists (
  select
  from idempotency_keys k
  where k.customer_id = r.customer_id and k.operation = 'otp.send' and k.key = r.key and k.expires_at > r.now) as "isKeyTaken",
  p.hour_used as "hourUsed", p.hour_ends_at as "hourEndsAt", p.day_used as "dayUsed", p.day_ends_at as "dayEndsAt",
  o.day_used as "platformDayUsed", o.day_ends_at as "platformDayEndsAt", o.callers, o.callers_until as "callersUntil",
  coalesce(q.used, 0) as "usedThisMonth"
from r
left join set_up_versions s on s.customer_id = r.customer_id
left join phones p on p.customer_id = r.customer_id and p.phone = r.phone
left join platform o on o.phone = r.phone
left join months q on q.customer_id = r.customer_id and q.month = r.month
order by r.nth
