-- Reads the verifications of many requests (GET /v1/otp/{id}, replays of sends), if their keys' set-up is current.
-- The code makes this statement; `npm run golden` writes this file.

select r.nth::int, (r.set_up is null or r.set_up = coalesce(s.version, 0) + coalesce((
  select version
  from set_up_versions
  where customer_id = 0), 0)) as "isCurrent", v.id, v.customer_id as "customerId", v.phone, v.status,
  v.revision, v.route, v.text_body as "textBody", v.text_locale as "textLocale", v.metadata,
  v.attempts, v.remaining, v.next_step_at as "nextStepAt", v.slot_reserved as "slotReserved",
  v.repeating, v.answered_status as "answeredStatus", v.answered_step as "answeredStep", v.created_at as "createdAt",
  v.expires_at as "expiresAt", v.verified_at as "verifiedAt", v.held, v.captured
from (
  select unnest($1) as customer_id, unnest($2) as id, unnest($3) as set_up, unnest($4) as nth) r
left join set_up_versions s on s.customer_id = r.customer_id
left join verifications v on v.customer_id = r.customer_id and v.id = r.id and v.mode || '' = 'live'
where v.id is not null or not (r.set_up is null or r.set_up = coalesce(s.version, 0) + coalesce((
  select version
  from set_up_versions
  where customer_id = 0), 0))
