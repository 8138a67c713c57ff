-- Reads the messages of many due timers that are still leased by this process.
-- Where cells are on other nodes, these take its place; `npm run golden` writes this file.

select r.customer_id as "customerId", coalesce((
  select version
  from set_up_versions
  where customer_id = r.customer_id), 0) + coalesce((
  select version
  from set_up_versions
  where customer_id = 0), 0) as "setUpVersion", coalesce((
  select version
  from set_up_versions
  where customer_id = 0), 0) as "platformVersion"
from unnest($1::int4[]) r (customer_id);

select r.nth, m.id, m.customer_id as "customerId", m.phone, m.status, m.revision, m.strategy, m.route,
  m.text, m.template, m.metadata, m.attempts, m.reservations, m.patient_until as "patientUntil",
  m.scheduled_for as "scheduledFor", m.created_at as "createdAt", m.completed_at as "completedAt",
  m.held, m.captured
from unnest($1::int4[], $2::uuid[], $3::int2[], $4::uuid[], $5::int4[]) r (customer_id, id, lane,
  lease_token, nth)
join timers t on t.customer_id = r.customer_id and t.kind = 'message' and t.subject = r.id and t.lane = r.lane
  and t.lease_token = r.lease_token
join messages m on m.customer_id = r.customer_id and m.id = r.id and m.mode || '' = 'live'
