-- Reads the verifications of many due timers that are still leased by this process, with their sealed codes.
-- The code makes this statement; `npm run golden` writes this file.

with
r as materialized (
  select r.*, 'verification' as timer_kind
  from (
    select unnest($1) as customer_id, unnest($2) as id, unnest($3) as lane, unnest($4) as lease_token,
      unnest($5) as nth) r)
select r.nth::int, v.id, v.customer_id as "customerId", v.phone, v.status, v.revision, v.route,
  v.text_body as "textBody", v.text_locale as "textLocale", v.metadata, v.attempts, v.remaining,
  v.next_step_at as "nextStepAt", v.slot_reserved as "slotReserved", v.repeating, v.answered_status as "answeredStatus",
  v.answered_step as "answeredStep", v.created_at as "createdAt", v.expires_at as "expiresAt",
  v.verified_at as "verifiedAt", v.held, v.captured, v.sealed_code as "sealedCode", coalesce((
  select version
  from set_up_versions
  where customer_id = v.customer_id), 0) + coalesce((
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
join verifications v on v.customer_id = r.customer_id and v.id = r.id and v.mode || '' = 'live'
