-- Reads the deliveries of many due timers that are still leased by this process, with the current fields of what
-- their events are about.
-- Where cells are on other nodes, these take its place; `npm run golden` writes this file.

select r.nth, w.id as "endpointId", w.url, w.disabled_at is not null as "isDisabled", w.mode as "endpointMode",
  w.events as wants, w.failing_since as "failingSince", w.sealed_secret as "sealedSecret", case when w.previous_secret_until > r.now
  then w.sealed_previous_secret end as "sealedPreviousSecret"
from unnest($1::int4[], $2::int2[], $3::timestamptz[], $4::int4[]) r (customer_id, lane, now, nth)
join webhook_endpoints w on w.customer_id = r.customer_id and w.lane = r.lane
