-- Locks what accept_alone locks before the wallet, in the same order, so that the whole wallet can be gathered
-- into the stripe of one request.
-- The code makes this statement; `npm run golden` writes this file.

with
phone as materialized (
  select *
  from phone_counters
  where customer_id = $1 and kind = $2 and phone = $3
  for update),
platform as materialized (
  select *
  from platform_phone_counters
  where phone = $4
  for update),
quota as materialized (
  select *
  from monthly_counters
  where customer_id = $5 and month = $6::date
  for update)
select exists (
  select
  from "phone"), exists (
  select
  from "platform"), exists (
  select
  from "quota")
