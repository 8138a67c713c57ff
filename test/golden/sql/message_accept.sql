-- Accepts one message, as accept_alone accepts a code.
-- The code makes this statement; `npm run golden` writes this file.

with
phone as materialized (
  select *
  from phone_counters
  where customer_id = $1 and kind = $2 and phone = $3
  for update),
platform as materialized (
  select *
  from platform_phone_counters
  where phone = $4
  for update),
wallet as materialized (
  select balance - held as available
  from wallets
  where customer_id = $5 and stripe = $6::smallint
  for update),
verdict as materialized (
  select reason, until
  from (
    select null::int as nth, null::text as reason, null::timestamptz as until
    union all (
      select $7::int as nth, r.*
      from (
        select 'set_up_changed' as reason, null::timestamptz as until
        from (
          select $8::int as customer_id, $9::int as set_up) r
        left join set_up_versions s on s.customer_id = r.customer_id
        where not (r.set_up is null or r.set_up = coalesce(s.version, 0) + coalesce((
          select version
          from set_up_versions
          where customer_id = 0), 0))) r)
    union all (
      select $10::int as nth, r.*
      from (
        select 'phone_hour' as reason, p.hour_ends_at as until
        from phone p
        where p.hour_ends_at > $11::timestamptz and $12::int > 0 and p.hour_used >= $13::int) r)
    union all (
      select $14::int as nth, r.*
      from (
        select 'phone_day', p.day_ends_at
        from phone p
        where p.day_ends_at > $15::timestamptz and $16::int > 0 and p.day_used >= $17::int) r)
    union all (
      select $18::int as nth, r.*
      from (
        select 'platform_day' as reason, p.day_ends_at as until
        from platform p
        where p.day_ends_at > $19::timestamptz and p.day_used >= $20::int) r)
    union all (
      select $21::int as nth, r.*
      from (
        select 'wallet' as reason, null::timestamptz as until
        where not exists (
          select
          from wallet w
          where w.available >= $22::bigint)) r)) refusals
  order by nth nulls last
  limit 1),
claimed as (
  insert into idempotency_keys as k (customer_id, operation, key, fingerprint, subject, expires_at)
  select $23::int, $24, $25, $26::bytea, $27::uuid, $28::timestamptz
  from verdict
  where reason is null
  on conflict (customer_id, operation, key) do update set fingerprint = excluded.fingerprint, subject = excluded.subject,
    expires_at = excluded.expires_at
  where k.expires_at <= $29
  returning true),
changed as (
  insert into messages (customer_id, id, phone, status, revision, strategy, route, text, template,
    metadata, attempts, scheduled_for, events_written, created_at, held)
  select $30::int, $31::uuid, $32, $33, $34::int, $35, $36::jsonb, $37, $38::json, $39, '[]'::jsonb,
    $40::timestamptz, 1, $41::timestamptz, $42::bigint
  from claimed
  returning *),
timer as (
  insert into timers (customer_id, kind, subject, lane, claimable_at, lease_token)
  select c.customer_id, $43, c.id, lane, $44::timestamptz, $45::uuid
  from changed c, unnest($46::int[]) as lane),
event as (
  insert into events (customer_id, id, type, subject, sequence, data, occurred_at)
  select c.customer_id, e.id, e.type, c.id, c.events_written - $47 + e.nth, jsonb_build_object('status',
    c.status, 'attempts', c.attempts, 'completed_at', c.completed_at), $48
  from changed c, unnest($49::uuid[], $50::text[]) with ordinality as e (id, type, nth)
  returning customer_id, id, type),
delivery as (
  insert into webhook_deliveries (customer_id, endpoint_id, event_id, status, created_at, next_try_at)
  select e.customer_id, w.id, e.id, 'pending', $51::timestamptz, $52::timestamptz
  from event e
  join webhook_endpoints w on w.customer_id = $53 and w.disabled_at is null and (w.events @> array[e.type]
    or w.events @> array['*'])
  returning endpoint_id, event_id),
webhook as (
  insert into timers as t (customer_id, kind, subject, lane, claimable_at)
  select w.customer_id, $54, d.event_id, w.lane, $55::timestamptz
  from delivery d
  join webhook_endpoints w on w.customer_id = $56 and w.id = d.endpoint_id
  on conflict (customer_id, kind, subject, lane) do update set claimable_at = excluded.claimable_at
  where t.lease_token is null
  returning true),
phone_counted as (
  insert into phone_counters as p (customer_id, kind, phone, hour_ends_at, hour_used, day_ends_at,
    day_used)
  select $57::int, $58, $59, $60::timestamptz, 1, $61::timestamptz, 1
  from claimed
  on conflict (customer_id, kind, phone) do update set hour_used = case when p.hour_ends_at > $62
    then p.hour_used + 1 else 1 end, hour_ends_at = case when p.hour_ends_at > $63 then p.hour_ends_at
    else excluded.hour_ends_at end, day_used = case when p.day_ends_at > $64 then p.day_used + 1 else 1
    end, day_ends_at = case when p.day_ends_at > $65 then p.day_ends_at else excluded.day_ends_at end
  where not (p.hour_ends_at > $66::timestamptz and $67::int > 0 and p.hour_used >= $68::int) and not (p.day_ends_at > $69::timestamptz
    and $70::int > 0 and p.day_used >= $71::int)
  returning true),
platform_counted as (
  insert into platform_phone_counters as p (phone, day_ends_at, day_used)
  select $72, $73::timestamptz, 1
  from claimed
  on conflict (phone) do update set day_used = case when p.day_ends_at > $74 then p.day_used + 1 else 1
    end, day_ends_at = case when p.day_ends_at > $75 then p.day_ends_at else excluded.day_ends_at end
  where not (p.day_ends_at > $76::timestamptz and p.day_used >= $77::int)
  returning true),
held as (
  update wallets w set held = w.held + $78::bigint
  from claimed
  where w.customer_id = $79 and w.stripe = $80::smallint and w.balance - w.held >= $81::bigint
  returning true)
select v.reason, v.until, exists (
  select
  from claimed) as accepted, case when exists (
  select
  from claimed) and (false or not exists (
  select
  from "phone_counted") or not exists (
  select
  from "platform_counted") or not exists (
  select
  from "held")) then try_again() end as raced, (
  select count(*)::int
  from webhook) as webhooks
from verdict v
