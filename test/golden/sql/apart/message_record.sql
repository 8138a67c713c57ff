-- Records the outcomes of calls for messages: state, timer, delivery report, money, events.
-- Where cells are on other nodes, these take its place; `npm run golden` writes this file.

update messages m set status = r.status, revision = r.revision, attempts = r.attempts::jsonb,
  reservations = r.reservations::jsonb, patient_until = r.patient_until, completed_at = r.completed_at,
  held = r.held, captured = r.captured, events_written = m.events_written + r.event_count
from unnest($1::int4[], $2::uuid[], $3::int4[], $4::int4[], $5::text[], $6::text[], $7::int8[],
  $8::int8[], $9::int4[], $10::text[], $11::timestamptz[], $12::timestamptz[], $13::int4[]) r (customer_id,
  id, revision_before, revision, status, attempts, held, captured, event_count, reservations,
  patient_until, completed_at, nth)
where m.customer_id = r.customer_id and m.id = r.id and m.mode || '' = 'live' and m.revision = r.revision_before
returning r.nth;

delete from timers t using unnest($1::int4[], $2::uuid[], $3::int2[]) r (customer_id, id, lane)
where t.customer_id = r.customer_id and t.kind = 'message' and t.subject = r.id and t.lane = r.lane;

insert into timers (customer_id, kind, subject, lane, claimable_at)
select r.customer_id, 'message_report', r.id, r.report_lane, r.report_at
from here h, unnest($1::int4[], $2::uuid[], $3::int2[], $4::int2[], $5::timestamptz[]) r (customer_id,
  id, lane, report_lane, report_at)
on conflict do nothing;

update wallets w set balance = w.balance - m.capture, held = w.held - m.freed
from (
  select customer_id, stripe, sum(capture)::bigint as capture, sum(capture + release)::bigint as freed
  from unnest($1::int4[], $2::int8[], $3::int2[], $4::int8[], $5::int8[]) r (customer_id, held,
    stripe, capture, release)
  group by 1, 2
  order by 1, 2) m
where w.customer_id = m.customer_id and w.stripe = m.stripe;

insert into ledger (customer_id, id, kind, amount, subject, occurred_at, channel)
select r.customer_id, r.ledger_id, 'capture', -r.capture, r.id, r.now, r.paid_channel
from here h, unnest($1::int4[], $2::uuid[], $3::timestamptz[], $4::int8[], $5::uuid[], $6::text[]) r (customer_id,
  id, now, capture, ledger_id, paid_channel)
where r.ledger_id is not null;

insert into events (customer_id, id, type, subject, sequence, data, occurred_at, mode)
select r.customer_id, r.event_id, r.event_type, r.subject, s.events_written - r.before,
  r.event_data::jsonb, r.occurred, 'live'
from messages s, unnest($1::int4[], $2::uuid[], $3::text[], $4::uuid[], $5::int4[], $6::text[],
  $7::timestamptz[]) r (customer_id, event_id, event_type, subject, before, event_data, occurred)
where s.customer_id = r.customer_id and s.id = r.subject;

select customer_id as "customerId", id, lane, events
from webhook_endpoints
where customer_id = any($1::int[]) and disabled_at is null and mode = 'live'
