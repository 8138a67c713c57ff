-- Records first attempts that providers accepted: the new state, the next timer, the request for a delivery report,
-- the captured money and its ledger entry, the events and their deliveries to webhooks.
-- The code makes this statement; `npm run golden` writes this file.

with
changed as (
  update verifications v set status = r.status, revision = r.revision, attempts = r.attempts,
    remaining = r.remaining, slot_reserved = r.slot_reserved, repeating = r.repeating, next_step_at = r.next_step_at,
    answered_status = r.answered_status, answered_step = r.answered_step, sealed_code = case when r.keeps_code
    then v.sealed_code end, code_hash = case when r.status in ('pending', 'queued') then v.code_hash
    end, held = r.held, captured = r.captured, events_written = v.events_written + r.event_count
  from (
    select unnest($1) as customer_id, unnest($2) as id, unnest($3) as revision_before, unnest($4) as revision,
      unnest($5) as status, unnest($6)::jsonb as attempts, unnest($7) as held, unnest($8) as captured,
      unnest($9) as now, unnest($10) as event_count, unnest($11)::int[] as remaining, unnest($12) as slot_reserved,
      unnest($13) as repeating, unnest($14) as next_step_at, unnest($15) as answered_status, unnest($16) as answered_step,
      unnest($17) as keeps_code, unnest($18) as due_at, unnest($19) as report_lane, unnest($20) as report_at,
      unnest($21) as stripe, unnest($22) as capture, unnest($23) as release, unnest($24) as ledger_id,
      unnest($25) as paid_channel, unnest($26) as event_type_0, unnest($27) as event_id_0, unnest($28) as event_type_1,
      unnest($29) as event_id_1, unnest($30) as nth) r
  where v.customer_id = r.customer_id and v.id = r.id and v.mode || '' = 'live' and v.revision = r.revision_before
  returning v.customer_id, v.id, v.status, v.attempts, v.events_written, v.next_step_at,
    v.verified_at, 'verification'::text as timer_kind, 0::smallint as timer_lane, r.now,
    r.event_count, r.nth, r.due_at, r.report_lane, r.report_at, r.stripe, r.capture, r.release,
    r.ledger_id, r.paid_channel, r.event_type_0, r.event_id_0, r.event_type_1, r.event_id_1),
timer as (
  update timers t set claimable_at = c.due_at, lease_token = null, parked = false
  from changed c
  where c.due_at is not null and t.customer_id = c.customer_id and t.kind = c.timer_kind and t.subject = c.id
    and t.lane = c.timer_lane),
report as (
  insert into timers (customer_id, kind, subject, lane, claimable_at)
  select customer_id, 'verification_report', id, report_lane, report_at
  from changed
  where report_at is not null
  on conflict do nothing),
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
    c.event_type_0 as type_0, c.event_id_0 as id_0, c.event_type_1 as type_1, c.event_id_1 as id_1,
    jsonb_build_object('status', c.status, 'attempts', c.attempts, 'next_step_at', c.next_step_at,
    'verified_at', c.verified_at) as data
  from changed c
  where c.event_count > 0),
event as (
  insert into events (customer_id, id, type, subject, sequence, data, occurred_at, mode)
  select t.customer_id, t.id_0, t.type_0, t.id, t.before + 1, t.data, t.now, 'live'
  from reported t
  where t.event_count > 0
  union all
  select t.customer_id, t.id_1, t.type_1, t.id, t.before + 2, t.data, t.now, 'live'
  from reported t
  where t.event_count > 1
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
