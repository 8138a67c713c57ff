-- Reads the messages of many requests, if their keys' set-up is current.
-- Where cells are on other nodes, these take its place; `npm run golden` writes this file.

select r.nth
from unnest($1::int4[], $2::int4[], $3::int4[]) r (customer_id, set_up, nth)
left join set_up_versions s on s.customer_id = r.customer_id
where not (r.set_up is null or r.set_up = coalesce(s.version, 0) + coalesce((
  select version
  from set_up_versions
  where customer_id = 0), 0));

select r.nth, m.id, m.customer_id as "customerId", m.phone, m.status, m.revision, m.strategy, m.route,
  m.text, m.template, m.metadata, m.attempts, m.reservations, m.patient_until as "patientUntil",
  m.scheduled_for as "scheduledFor", m.created_at as "createdAt", m.completed_at as "completedAt",
  m.held, m.captured
from unnest($1::int4[], $2::uuid[], $3::int4[]) r (customer_id, id, nth)
join messages m on m.customer_id = r.customer_id and m.id = r.id and m.mode || '' = 'live'
