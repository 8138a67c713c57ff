-- Reads the verifications of many due timers that are still leased by this process, with their sealed codes.
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

select r.nth, v.id, v.customer_id as "customerId", v.phone, v.status, v.revision, v.route,
  v.text_body as "textBody", v.text_locale as "textLocale", v.metadata, v.attempts, v.remaining,
  v.next_step_at as "nextStepAt", v.slot_reserved as "slotReserved", v.repeating, v.answered_status as "answeredStatus",
  v.answered_step as "answeredStep", v.created_at as "createdAt", v.expires_at as "expiresAt",
  v.verified_at as "verifiedAt", v.held, v.captured, v.sealed_code as "sealedCode"
from unnest($1::int4[], $2::uuid[], $3::int2[], $4::uuid[], $5::int4[]) r (customer_id, id, lane,
  lease_token, nth)
join timers t on t.customer_id = r.customer_id and t.kind = 'verification' and t.subject = r.id and t.lane = r.lane
  and t.lease_token = r.lease_token
join verifications v on v.customer_id = r.customer_id and v.id = r.id and v.mode || '' = 'live'
