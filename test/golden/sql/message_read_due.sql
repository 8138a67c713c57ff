-- Reads the message of a due timer that is still leased by this process.
-- The code makes this statement; `npm run golden` writes this file.

select m.id, m.customer_id as "customerId", m.phone, m.status, m.revision, m.strategy, m.route,
  m.text, m.template, m.metadata, m.attempts, m.reservations, m.patient_until as "patientUntil",
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
from messages m
where m.customer_id = $1 and m.id = $2::uuid and exists (
  select
  from timers t
  where t.customer_id = $3 and t.kind = $4 and t.subject = $5::uuid and t.lane = $6 and t.lease_token = $7::uuid)
