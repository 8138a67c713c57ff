-- Reads the messages of many due timers that are still leased by this process.
-- The code makes this statement; `npm run golden` writes this file.

with
r as materialized (
  select r.*, 'message' as timer_kind
  from (
    select unnest($1) as customer_id, unnest($2) as id, unnest($3) as lane, unnest($4) as lease_token,
      unnest($5) as nth) r)
select r.nth::int, m.id, m.customer_id as "customerId", m.phone, m.status, m.revision, m.strategy,
  m.route, m.text, m.template, m.metadata, m.attempts, m.reservations, m.patient_until as "patientUntil",
  m.scheduled_for as "scheduledFor", m.created_at as "createdAt", m.completed_at as "completedAt",
  m.held, m.captured, coalesce((
  select version
  from set_up_versions
  where customer_id = m.customer_id), 0) + coalesce((
  select version
  from set_up_versions
  where customer_id = 0), 0) as "setUpVersion", coalesce((
  select version
  from set_up_versions
  where customer_id = 0), 0) as "platformVersion"
from r cross
join lateral (
  select
  from timers t
  where t.customer_id = r.customer_id and t.kind = r.timer_kind and t.subject = r.id and t.lane = r.lane
    and t.lease_token = r.lease_token
  limit 1) t
join messages m on m.customer_id = r.customer_id and m.id = r.id and m.mode || '' = 'live'
