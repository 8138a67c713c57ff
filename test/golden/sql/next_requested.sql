-- Like next, for a channel that is named: it goes first, and what it costs above the present hold is held. Nothing is
-- written where the wallet's part does not cover that, or another process has the timer.
-- The code makes this statement; `npm run golden` writes this file.

with
changed as materialized (
  select v.customer_id, v.id, v.sealed_code
  from verifications v
  where v.customer_id = $1 and v.id = $2::uuid and v.mode || '' = $3 and v.revision = $4
  for update),
free as materialized (
  select t.customer_id, t.kind, t.subject, t.lane
  from (
    select customer_id, id, $5::text as kind, 0::smallint as lane
    from changed offset 0) c
  join timers t on t.customer_id = c.customer_id and t.kind = c.kind and t.subject = c.id and t.lane = c.lane
  where t.lease_token is null
  for update of t),
payer as materialized (
  select w.customer_id, w.stripe
  from free f
  join wallets w on w.customer_id = f.customer_id and w.stripe = $6::smallint
  where w.balance - w.held >= $7::bigint
  for update of w),
held as (
  update wallets w set held = w.held + $8::bigint
  from payer p
  where w.customer_id = p.customer_id and w.stripe = p.stripe),
leased as (
  update timers t set claimable_at = $9, lease_token = $10::uuid, parked = false
  from free f, payer p
  where t.customer_id = f.customer_id and t.kind = f.kind and t.subject = f.subject and t.lane = f.lane),
asked as (
  update verifications v set revision = $11, next_step_at = $12, remaining = $13::int[], held = $14::bigint
  from changed c, payer p
  where v.customer_id = c.customer_id and v.id = c.id
  returning c.sealed_code)
select exists (
  select
  from free) as "isFree", (
  select sealed_code
  from asked) as "sealedCode"
