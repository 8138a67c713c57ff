-- Locks what accept_alone locks before the wallet, in the same order, so that the whole wallet can be gathered
-- into the stripe of one request.
-- The code makes this statement; `npm run golden` writes this file.

with
r as not materialized (
  select $1::int as customer_id, $2 as phone, $3::timestamptz as now, $4::smallint as stripe,
    $5::date as month, $6::timestamptz as month_ends_at, $7::bigint as held_together, 1 as counted_together,
    $8::int4 as hour,$9::int4 as day,$10::int4 as platform_day,$11::int4 as callers,$12::int8 as hold,
    $13::int4 as set_up,$14::int4 as quota),
phone as materialized (
  select p.*
  from r
  join phone_counters p on p.customer_id = r.customer_id and p.phone = r.phone and p.kind = 'code'
  for update of p),
platform as materialized (
  select o.*
  from r
  join platform_phone_counters o on o.phone = r.phone
  for update of o),
quota as materialized (
  select q.*
  from r
  join monthly_counters q on q.customer_id = r.customer_id and q.month = r.month
  for update of q)
select exists (
  select
  from phone), exists (
  select
  from platform), exists (
  select
  from quota)
