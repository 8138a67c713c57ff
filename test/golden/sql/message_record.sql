-- Records the outcome of a call for a message: state, timer, delivery report, money, events.
-- The code makes this statement; `npm run golden` writes this file.

with
changed as (
  update messages set status = $1, revision = $2, attempts = $3::jsonb, reservations = $4::jsonb,
    patient_until = $5::timestamptz, completed_at = $6::timestamptz, held = $7::bigint, captured = $8::bigint,
    events_written = events_written + $9
  where customer_id = $10 and id = $11::uuid and revision = $12 and true
  returning *),
timer as (
  delete from timers t using (
    select customer_id, id, $13::text as kind, $14::smallint as lane
    from changed offset 0) c
  where t.customer_id = c.customer_id and t.kind = c.kind and t.subject = c.id and t.lane = c.lane),
report as (
  insert into timers (customer_id, kind, subject, lane, claimable_at)
  select c.customer_id, $15, c.id, $16::smallint, $17::timestamptz
  from changed c
  on conflict do nothing),
event as (
  insert into events (customer_id, id, type, subject, sequence, data, occurred_at, mode)
  select c.customer_id, e.id, e.type, c.id, c.events_written - $18 + e.nth, jsonb_build_object('status',
    c.status, 'attempts', c.attempts, 'completed_at', c.completed_at), $19, $20
  from changed c, unnest($21::uuid[], $22::text[]) with ordinality as e (id, type, nth)
  returning customer_id, id, type, mode),
delivery as (
  insert into webhook_deliveries (customer_id, endpoint_id, event_id, status, created_at, next_try_at)
  select e.customer_id, w.id, e.id, 'pending', $23::timestamptz, $24::timestamptz
  from event e
  join webhook_endpoints w on w.customer_id = $25 and w.disabled_at is null and w.mode = e.mode and (w.events @> array[e.type]
    or w.events @> array['*'])
  returning endpoint_id, event_id),
webhook as (
  insert into timers as t (customer_id, kind, subject, lane, claimable_at)
  select w.customer_id, $26, d.event_id, w.lane, $27::timestamptz
  from delivery d
  join webhook_endpoints w on w.customer_id = $28 and w.id = d.endpoint_id
  on conflict (customer_id, kind, subject, lane) do update set claimable_at = excluded.claimable_at
  where t.lease_token is null
  returning true),
wallet as (
  update wallets w set balance = w.balance - $29::bigint, held = w.held - $30::bigint
  from changed c
  where w.customer_id = c.customer_id and w.stripe = $31::smallint),
entry as (
  insert into ledger (customer_id, id, kind, amount, subject, occurred_at)
  select c.customer_id, $32::uuid, 'capture', $33::bigint, c.id, $34::timestamptz
  from changed c)
select count(*)::int as count, (
  select count(*)::int
  from webhook) as webhooks
from changed
