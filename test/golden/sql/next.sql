-- Ends the wait for the next channel (POST /v1/otp/{id}/next): leases the verification's timer, unless another
-- process has it, and returns the sealed code.
-- The code makes this statement; `npm run golden` writes this file.

with
changed as materialized (
  select v.customer_id, v.id, v.sealed_code
  from verifications v
  where v.customer_id = $1 and v.id = $2::uuid and v.mode || '' = $3 and v.revision = $4
  for update),
leased as (
  update timers t set claimable_at = $5, lease_token = $6::uuid, parked = false
  from (
    select customer_id, id, $7::text as kind, 0::smallint as lane
    from changed offset 0) c
  where t.customer_id = c.customer_id and t.kind = c.kind and t.subject = c.id and t.lane = c.lane
    and t.lease_token is null
  returning t.customer_id, t.subject)
update verifications v set revision = $8, next_step_at = $9
from leased l, changed c
where v.customer_id = l.customer_id and v.id = l.subject
returning c.sealed_code as "sealedCode"
