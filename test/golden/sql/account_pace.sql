-- Looks up how sending accounts are paced and whether they are cooling down.
-- The code makes this statement; `npm run golden` writes this file.

select r.nth, a.customer_id as "customerId", a.channel, a.gap_ms as "gapMillis", a.rate_per_minute as "perMinute",
  a.rests_by_kind as "cooldownByKind", p.failures > 0 or p.cooldowns > 0 as "isUnwell",
  p.cooling_until as "coolingUntil", p.text_failures > 0 or p.text_cooldowns > 0 as "areTextsUnwell",
  p.texts_cooling_until as "textsCoolingUntil", coalesce((
  select version
  from set_up_versions
  where customer_id = a.customer_id), 0) + coalesce((
  select version
  from set_up_versions
  where customer_id = 0), 0) as "setUpVersion", coalesce((
  select version
  from set_up_versions
  where customer_id = 0), 0) as "platformVersion"
from (
  select unnest($1) as account_id, unnest($2) as nth) r
join sending_accounts a on a.id = r.account_id
join account_pace p on p.account_id = a.id
