-- Releases the timers of deliveries whose endpoints are too slow to wait for.
-- The code makes this statement; `npm run golden` writes this file.

with
r as materialized (
  select r.*, 'webhook' as timer_kind
  from (
    select unnest($1) as customer_id, unnest($2) as event_id, unnest($3) as lane, unnest($4) as lease_token,
      unnest($5) as at, unnest($6) as nth) r)
update timers t set claimable_at = r.at, lease_token = null, parked = false
from r
where t.customer_id = r.customer_id and t.kind = r.timer_kind and t.subject = r.event_id and t.lane = r.lane
  and t.lease_token = r.lease_token
