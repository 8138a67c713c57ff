-- Looks up the sealed settings of sending accounts.
-- The code makes this statement; `npm run golden` writes this file.

select r.nth, a.customer_id as "customerId", a.channel, a.provider, a.sealed_settings as "sealedSettings",
  a.allows_private_addresses as "allowsPrivateAddresses", a.disabled_at is null as active, coalesce((
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
