-- Reads the messages of many requests, if their keys' set-up is current.
-- The code makes this statement; `npm run golden` writes this file.

select r.nth::int, (r.set_up is null or r.set_up = coalesce(s.version, 0) + coalesce((
  select version
  from set_up_versions
  where customer_id = 0), 0)) as "isCurrent", m.id, m.customer_id as "customerId", m.phone, m.status,
  m.revision, m.strategy, m.route, m.text, m.template, m.metadata, m.attempts, m.reservations,
  m.patient_until as "patientUntil", m.scheduled_for as "scheduledFor", m.created_at as "createdAt",
  m.completed_at as "completedAt", m.held, m.captured
from (
  select unnest($1) as customer_id, unnest($2) as id, unnest($3) as set_up, unnest($4) as nth) r
left join set_up_versions s on s.customer_id = r.customer_id
left join messages m on m.customer_id = r.customer_id and m.id = r.id and m.mode || '' = 'live'
where m.id is not null or not (r.set_up is null or r.set_up = coalesce(s.version, 0) + coalesce((
  select version
  from set_up_versions
  where customer_id = 0), 0))
