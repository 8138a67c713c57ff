-- Accepts the messages of many requests, while nobody is refused, as accept accepts codes. Each has a timer for
-- each of its lanes, and its first event.
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
      unnest($17) as strategy, unnest($18) as route, unnest($19) as body, unnest($20) as template,
      unnest($21) as metadata, unnest($22) as scheduled_for, unnest($23) as lanes, unnest($24) as claimable_at,
      unnest($25) as lease_token, unnest($26) as event_id, unnest($27) as nth) r
  left join set_up_versions s on s.customer_id = r.customer_id),
claimed as (
  insert into idempotency_keys as k (customer_id, operation, key, fingerprint, subject, expires_at)
  select customer_id, 'messages.send', key, fingerprint, id, key_until
  from judged
  where verdict is null and key is not null
  returning true),
phone_counted as (
  insert into phone_counters as o (customer_id, phone, kind, hour_ends_at, hour_used, day_ends_at,
    day_used)
  select customer_id, phone, 'message', now + interval '1 hour', 1, now + interval '24 hours', 1
  from judged
  where verdict is null and (hour > 0 or day > 0)
  on conflict (customer_id, phone, kind) do update set hour_used = case when excluded.hour_ends_at - o.hour_ends_at < interval '1 hour'
    then o.hour_used else 0 end + excluded.hour_used, hour_ends_at = case when excluded.hour_ends_at - o.hour_ends_at < interval '1 hour'
    then o.hour_ends_at else excluded.hour_ends_at end, day_used = case when excluded.day_ends_at - o.day_ends_at < interval '24 hours'
    then o.day_used else 0 end + excluded.day_used, day_ends_at = case when excluded.day_ends_at - o.day_ends_at < interval '24 hours'
    then o.day_ends_at else excluded.day_ends_at end
  returning customer_id, phone, hour_used, day_used),
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
stored as (
  insert into messages (customer_id, id, phone, status, revision, strategy, route, text, template,
    metadata, attempts, scheduled_for, events_written, created_at, held, mode)
  select r.customer_id, r.id, r.phone, r.status, r.revision, r.strategy, r.route::jsonb, r.body,
    r.template::json, r.metadata, '[]', r.scheduled_for, 1, r.now, r.hold, 'live'
  from (
    select *
    from judged
    where verdict is null) r),
timer as (
  insert into timers (customer_id, kind, subject, lane, claimable_at, lease_token)
  select r.customer_id, 'message', r.id, lane, r.claimable_at, r.lease_token
  from (
    select *
    from judged
    where verdict is null) r, unnest(r.lanes::int[]) as lane),
changed as materialized (
  select r.customer_id, r.id, r.status, r.now, r.event_id, '[]'::jsonb as attempts, null::timestamptz as completed_at,
    1 as events_written, 1 as event_count
  from (
    select *
    from judged
    where verdict is null) r),
reported as materialized (
  select c.customer_id, c.id, c.now, c.event_count, c.events_written - c.event_count as before,
    'message.queued' as type_0, c.event_id as id_0, jsonb_build_object('status', c.status, 'attempts',
    c.attempts, 'completed_at', c.completed_at) as data
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
    0))) or (
  select count(*)
  from held) <> (
  select count(*)
  from holds) then raise_race() end as raced, (
  select count(*)::int
  from webhook) as webhooks
