-- Records transitions of all kinds in one batch: the statement with all of its optional parts. A released step is
-- recorded only while its lease lasts.
-- Where cells are on other nodes, these take its place; `npm run golden` writes this file.

update verifications v set status = r.status, revision = r.revision, attempts = r.attempts::jsonb,
  remaining = string_to_array(btrim(r.remaining, '{}'), ',')::int[], slot_reserved = r.slot_reserved,
  repeating = r.repeating, next_step_at = r.next_step_at, answered_status = r.answered_status,
  answered_step = r.answered_step, sealed_code = case when r.keeps_code then v.sealed_code end,
  code_hash = case when r.status in ('pending', 'queued') then v.code_hash end, held = r.held,
  captured = r.captured, events_written = v.events_written + r.event_count
from (
  select r.*
  from unnest($1::int4[], $2::uuid[], $3::int4[], $4::int4[], $5::text[], $6::text[], $7::int8[],
    $8::int8[], $9::int4[], $10::text[], $11::bool[], $12::bool[], $13::timestamptz[], $14::text[],
    $15::int2[], $16::bool[], $17::uuid[], $18::int4[]) r (customer_id, id, revision_before, revision,
    status, attempts, held, captured, event_count, remaining, slot_reserved, repeating, next_step_at,
    answered_status, answered_step, keeps_code, held_token, nth)
  left join timers t on t.customer_id = r.customer_id and t.kind = 'verification' and t.subject = r.id
    and t.lane = 0::smallint and t.lease_token = r.held_token
  where r.held_token is null or t.lease_token is not null) r
where v.customer_id = r.customer_id and v.id = r.id and v.mode || '' = 'live' and v.revision = r.revision_before
returning r.nth;

update timers t set claimable_at = r.due_at, lease_token = null, parked = false
from unnest($1::int4[], $2::uuid[], $3::timestamptz[]) r (customer_id, id, due_at)
where t.customer_id = r.customer_id and t.kind = 'verification' and t.subject = r.id and t.lane = 0::smallint;

update timers t set claimable_at = r.released_at, lease_token = null, parked = false
from unnest($1::int4[], $2::uuid[], $3::timestamptz[], $4::uuid[]) r (customer_id, id, released_at,
  released_token)
where t.lease_token = r.released_token and t.customer_id = r.customer_id and t.kind = 'verification'
  and t.subject = r.id and t.lane = 0::smallint;

delete from timers t using unnest($1::int4[], $2::uuid[]) r (customer_id, id)
where t.customer_id = r.customer_id and t.kind = 'verification' and t.subject = r.id and t.lane = 0::smallint;

insert into timers (customer_id, kind, subject, lane, claimable_at)
select r.customer_id, 'verification_report', r.id, r.report_lane, r.report_at
from here h, unnest($1::int4[], $2::uuid[], $3::int2[], $4::timestamptz[]) r (customer_id, id,
  report_lane, report_at)
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
from verifications s, unnest($1::int4[], $2::uuid[], $3::text[], $4::uuid[], $5::int4[], $6::text[],
  $7::timestamptz[]) r (customer_id, event_id, event_type, subject, before, event_data, occurred)
where s.customer_id = r.customer_id and s.id = r.subject;

select customer_id as "customerId", id, lane, events
from webhook_endpoints
where customer_id = any($1::int[]) and disabled_at is null and mode = 'live'
