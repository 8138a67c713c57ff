-- Records that messages were canceled: the timers of all their lanes are removed, and held money is released.
-- The code makes this statement; `npm run golden` writes this file.

with
changed as (
  update messages m set status = r.status, revision = r.revision, attempts = r.attempts, reservations = r.reservations,
    patient_until = r.patient_until, completed_at = r.completed_at, held = r.held, captured = r.captured,
    events_written = m.events_written + r.event_count
  from (
    select unnest($1) as customer_id, unnest($2) as id, unnest($3) as revision_before, unnest($4) as revision,
      unnest($5) as status, unnest($6)::jsonb as attempts, unnest($7) as held, unnest($8) as captured,
      unnest($9) as now, unnest($10) as event_count, unnest($11) as lane, unnest($12)::jsonb as reservations,
      unnest($13) as patient_until, unnest($14) as completed_at, unnest($15) as is_done, unnest($16) as stripe,
      unnest($17) as capture, unnest($18) as release, unnest($19) as ledger_id, unnest($20) as paid_channel,
      unnest($21) as event_type_0, unnest($22) as event_id_0, unnest($23) as nth) r
  where m.customer_id = r.customer_id and m.id = r.id and m.mode || '' = 'live' and m.revision = r.revision_before
  returning m.customer_id, m.id, m.status, m.attempts, m.events_written, m.completed_at, 'message'::text as timer_kind,
    r.lane as timer_lane, r.now, r.event_count, r.nth, r.is_done, r.stripe, r.capture, r.release,
    r.ledger_id, r.paid_channel, r.event_type_0, r.event_id_0),
done_timer as (
  delete from timers t using changed c
  where c.is_done and t.customer_id = c.customer_id and t.kind = c.timer_kind and t.subject = c.id
    and t.lane = c.timer_lane),
wallet as (
  update wallets w set balance = w.balance - m.capture, held = w.held - m.freed
  from (
    select customer_id, stripe, sum(capture)::bigint as capture, sum(capture + release)::bigint as freed
    from changed
    where capture <> 0 or release <> 0
    group by 1, 2
    order by 1, 2) m
  where w.customer_id = m.customer_id and w.stripe = m.stripe),
entry as (
  insert into ledger (customer_id, id, kind, amount, subject, occurred_at, channel)
  select customer_id, ledger_id, 'capture', -capture, id, now, paid_channel
  from changed
  where ledger_id is not null),
reported as materialized (
  select c.customer_id, c.id, c.now, c.event_count, c.events_written - c.event_count as before,
    c.event_type_0 as type_0, c.event_id_0 as id_0, jsonb_build_object('status', c.status, 'attempts',
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
select (
  select case when count(*) < cardinality($1) then coalesce(array_agg(nth::int), '{}') end
  from changed) as written, (
  select count(*)::int
  from webhook) as webhooks
