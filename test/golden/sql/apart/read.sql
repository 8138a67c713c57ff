-- Reads the verifications of many requests (GET /v1/otp/{id}, replays of sends), if their keys' set-up is current.
-- Where cells are on other nodes, these take its place; `npm run golden` writes this file.

select r.nth
from unnest($1::int4[], $2::int4[], $3::int4[]) r (customer_id, set_up, nth)
left join set_up_versions s on s.customer_id = r.customer_id
where not (r.set_up is null or r.set_up = coalesce(s.version, 0) + coalesce((
  select version
  from set_up_versions
  where customer_id = 0), 0));

select r.nth, v.id, v.customer_id as "customerId", v.phone, v.status, v.revision, v.route,
  v.text_body as "textBody", v.text_locale as "textLocale", v.metadata, v.attempts, v.remaining,
  v.next_step_at as "nextStepAt", v.slot_reserved as "slotReserved", v.repeating, v.answered_status as "answeredStatus",
  v.answered_step as "answeredStep", v.created_at as "createdAt", v.expires_at as "expiresAt",
  v.verified_at as "verifiedAt", v.held, v.captured
from unnest($1::int4[], $2::uuid[], $3::int4[]) r (customer_id, id, nth)
join verifications v on v.customer_id = r.customer_id and v.id = r.id and v.mode || '' = 'live'
