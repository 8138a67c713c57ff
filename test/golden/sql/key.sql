-- Looks up API keys by the hashes of their secrets, with the versions of their customers' set-ups.
-- The code makes this statement; `npm run golden` writes this file.

select r.nth, k.id as "keyId", k.customer_id as "customerId", k.mode, coalesce(k.rate_limit_per_minute,
  (c.limits ->> 'key_minute')::int) as "requestsPerMinute", k.allowed_ips as "allowedIps",
  k.expires_at as "expiresAt", k.revoked_at as "revokedAt", coalesce((
  select version
  from set_up_versions
  where customer_id = k.customer_id), 0) + coalesce((
  select version
  from set_up_versions
  where customer_id = 0), 0) as "setUpVersion", coalesce((
  select version
  from set_up_versions
  where customer_id = 0), 0) as "platformVersion"
from (
  select unnest($1) as secret_hash, unnest($2) as nth) r
join api_keys k on k.secret_hash = r.secret_hash
join customers c on c.id = k.customer_id
