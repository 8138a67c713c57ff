-- Compares entered codes: the right one verifies, a wrong one is counted, one wrong code too many locks. Whatever
-- ends gives back its held money, loses its timer and is announced. modelOfCompare, of the tests, does the same in memory.
-- Where cells are on other nodes, these take its place; `npm run golden` writes this file.

select r.nth
from unnest($1::int4[], $2::int4[], $3::int4[]) r (customer_id, set_up, nth)
left join set_up_versions s on s.customer_id = r.customer_id
where not (r.set_up is null or r.set_up = coalesce(s.version, 0) + coalesce((
  select version
  from set_up_versions
  where customer_id = 0), 0));

with
r as materialized (
  select r.*, 'verification'::text as timer_kind, 0::smallint as lane
  from unnest($1::int4[], $2::uuid[], $3::bytea[], $4::int4[], $5::timestamptz[], $6::int2[],
    $7::uuid[], $8::int4[]) r (customer_id, id, code_hash, max_wrong, now, stripe, event_id, nth)),
target as materialized (
  select v.customer_id, v.id, v.revision, v.wrong_codes, v.held as was_held, v.code_hash = r.code_hash as matched,
    v.code_hash <> r.code_hash and coalesce(v.wrong_codes + 1 >= r.max_wrong, false) as locks, r.now,
    r.nth, r.stripe, r.event_id, r.timer_kind, r.lane
  from r
  join verifications v on v.customer_id = r.customer_id and v.id = r.id and v.mode || '' = 'live' and v.status in ('pending',
    'queued') and v.expires_at > r.now and true
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
  where t.customer_id = c.customer_id and t.kind = c.timer_kind and t.subject = c.id and t.lane = c.lane)
select nth, matched, status, wrong_codes as "wrongCodes", ends, case when ends then (
  select jsonb_build_object('status', c.status, 'attempts', c.attempts, 'next_step_at',
    c.next_step_at, 'verified_at', c.verified_at)
  from changed c
  where c.nth = compared.nth)::text end as snapshot
from compared;

insert into events (customer_id, id, type, subject, sequence, data, occurred_at, mode)
select r.customer_id, r.event_id, r.event_type, r.subject, s.events_written - r.before,
  r.event_data::jsonb, r.occurred, 'live'
from verifications s, unnest($1::int4[], $2::uuid[], $3::text[], $4::uuid[], $5::int4[], $6::text[],
  $7::timestamptz[]) r (customer_id, event_id, event_type, subject, before, event_data, occurred)
where s.customer_id = r.customer_id and s.id = r.subject;

select customer_id as "customerId", id, lane, events
from webhook_endpoints
where customer_id = any($1::int[]) and disabled_at is null and mode = 'live'
