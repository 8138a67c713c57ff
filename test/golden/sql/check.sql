-- Compares entered codes: the right one verifies, a wrong one is counted, one wrong code too many locks. Whatever
-- ends gives back its held money, loses its timer and is announced. modelOfCompare, of the tests, does the same in memory.
-- The code makes this statement; `npm run golden` writes this file.

with
r as materialized (
  select r.*, 'verification' as timer_kind, 0::smallint as lane, (r.set_up is null or r.set_up = coalesce(s.version,
    0) + coalesce((
    select version
    from set_up_versions
    where customer_id = 0), 0)) as is_current
  from (
    select unnest($1) as customer_id, unnest($2) as id, unnest($3) as code_hash, unnest($4) as max_wrong,
      unnest($5) as now, unnest($6) as stripe, unnest($7) as event_id, unnest($8) as set_up, unnest($9) as nth) r
  left join set_up_versions s on s.customer_id = r.customer_id),
target as materialized (
  select v.customer_id, v.id, v.revision, v.wrong_codes, v.held as was_held, v.code_hash = r.code_hash as matched,
    v.code_hash <> r.code_hash and coalesce(v.wrong_codes + 1 >= r.max_wrong, false) as locks, r.now,
    r.nth, r.stripe, r.event_id, r.timer_kind, r.lane
  from r
  join verifications v on v.customer_id = r.customer_id and v.id = r.id and v.mode || '' = 'live' and v.status in ('pending',
    'queued') and v.expires_at > r.now and r.is_current
  for update of v),
compared as (
  update verifications v set status = case when t.matched then 'verified'
    when t.locks then 'locked' else v.status end, verified_at = case when t.matched then t.now end,
    wrong_codes = v.wrong_codes + (not t.matched)::int, revision = v.revision + (t.matched or t.locks)::int,
    next_step_at = case when t.matched or t.locks then null else v.next_step_at end, slot_reserved = v.slot_reserved
    and not (t.matched or t.locks), code_hash = case when t.matched or t.locks then null else v.code_hash
    end, sealed_code = case when t.matched or t.locks then null else v.sealed_code end, held = case
    when t.matched or t.locks then 0 else v.held end, events_written = v.events_written + (t.matched
    or t.locks)::int
  from target t
  where v.customer_id = t.customer_id and v.id = t.id
  returning v.customer_id, v.id, v.status, v.attempts, v.next_step_at, v.verified_at,
    v.events_written, case when not (t.matched or t.locks) then v.wrong_codes end as wrong_codes,
    t.matched, t.matched or t.locks as ends, t.was_held, t.now, t.nth, t.stripe, t.event_id,
    t.timer_kind, t.lane),
changed as materialized (
  select *, 1 as event_count
  from compared
  where ends),
wallet as (
  update wallets w set held = w.held - h.total
  from (
    select customer_id, stripe, sum(was_held)::bigint as total
    from changed
    where was_held > 0
    group by 1, 2
    order by 1, 2) h
  where w.customer_id = h.customer_id and w.stripe = h.stripe),
timer as (
  delete from timers t using changed c
  where t.customer_id = c.customer_id and t.kind = c.timer_kind and t.subject = c.id and t.lane = c.lane),
reported as materialized (
  select c.customer_id, c.id, c.now, c.event_count, c.events_written - c.event_count as before,
    'verification.' || c.status as type_0, c.event_id as id_0, jsonb_build_object('status', c.status,
    'attempts', c.attempts, 'next_step_at', c.next_step_at, 'verified_at', c.verified_at) as data
  from changed c
  where c.event_count > 0),
event as (
  insert into events (customer_id, id, type, subject, sequence, data, occurred_at, mode)
  select t.customer_id, t.id_0, t.type_0, t.id, t.before + 1, t.data, t.now, 'live'
  from reported t
  where t.event_count > 0
  returning customer_id, id, type, occurred_at),
wanted as materialized (
  select e.customer_id, e.id, e.occurred_at, w.id as endpoint_id, w.lane
  from event e
  join webhook_endpoints w on w.customer_id = e.customer_id and w.disabled_at is null and w.mode = 'live'
    and (w.events @> array[e.type] or w.events @> array['*'])),
delivery as (
  insert into webhook_deliveries (customer_id, endpoint_id, event_id, status, created_at, next_try_at)
  select customer_id, endpoint_id, id, 'pending', occurred_at, occurred_at
  from wanted),
webhook as (
  insert into timers as t (customer_id, kind, subject, lane, claimable_at)
  select customer_id, 'webhook', id, lane, occurred_at
  from wanted
  on conflict (customer_id, kind, subject, lane) do update set claimable_at = excluded.claimable_at
  where t.lease_token is null
  returning true)
select array_agg(nth::int) as places, matched, status, wrong_codes as "wrongCodes", (
  select count(*)::int
  from webhook) as webhooks
from compared
group by matched, status, wrong_codes
union all
select array_agg(nth::int), false, null, null, 0
from r
where not is_current
having count(*) > 0
