-- Accepts the messages of many requests, while nobody is refused, as accept accepts codes. Each has a timer for
-- each of its lanes, and its first event.
-- Where cells are on other nodes, these take its place; `npm run golden` writes this file.

select count(*)::int as changed
from unnest($1::int4[], $2::int4[]) r (customer_id, set_up)
left join set_up_versions s on s.customer_id = r.customer_id
where not (r.set_up is null or r.set_up = coalesce(s.version, 0) + coalesce((
  select version
  from set_up_versions
  where customer_id = 0), 0));

insert into phone_counters as o (customer_id, phone, kind, hour_ends_at, hour_used, day_ends_at,
  day_used)
select r.customer_id, r.phone, 'message', r.hour_end, r.sends, r.day_end, r.sends
from here h, unnest($1::int4[], $2::text[], $3::timestamptz[], $4::timestamptz[], $5::int4[]) r (customer_id,
  phone, hour_end, day_end, sends)
on conflict (customer_id, kind, phone) do update set hour_used = case when excluded.hour_ends_at - o.hour_ends_at < interval '1 hour'
  then o.hour_used else 0 end + excluded.hour_used, hour_ends_at = case when excluded.hour_ends_at - o.hour_ends_at < interval '1 hour'
  then o.hour_ends_at else excluded.hour_ends_at end, day_used = case when excluded.day_ends_at - o.day_ends_at < interval '24 hours'
  then o.day_used else 0 end + excluded.day_used, day_ends_at = case when excluded.day_ends_at - o.day_ends_at < interval '24 hours'
  then o.day_ends_at else excluded.day_ends_at end
returning customer_id as "customerId", phone, hour_used as "hourUsed", day_used as "dayUsed";

update wallets w set held = w.held + r.total
from unnest($1::int4[], $2::int2[], $3::int8[]) r (customer_id, stripe, total)
where w.customer_id = r.customer_id and w.stripe = r.stripe and w.balance - w.held >= r.total
returning 1 as held;

insert into idempotency_keys as k (customer_id, operation, key, fingerprint, subject, expires_at)
select r.customer_id, 'messages.send', r.idem_key, r.print, r.id, r.key_until
from here h, unnest($1::int4[], $2::uuid[], $3::text[], $4::bytea[], $5::timestamptz[]) r (customer_id,
  id, idem_key, print, key_until)
returning 1 as claimed;

insert into messages (customer_id, id, phone, status, revision, strategy, route, text, template,
  metadata, attempts, scheduled_for, events_written, created_at, held, mode)
select r.customer_id, r.id, r.phone, r.status, r.revision, r.strategy, r.route::jsonb, r.body,
  r.template::json, r.metadata, '[]', r.scheduled_for, 1, r.now, r.hold, 'live'
from here h, unnest($1::int4[], $2::uuid[], $3::text[], $4::timestamptz[], $5::int8[], $6::text[],
  $7::int4[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::timestamptz[]) r (customer_id,
  id, phone, now, hold, status, revision, strategy, route, body, template, metadata, scheduled_for);

insert into timers (customer_id, kind, subject, lane, claimable_at, lease_token)
select r.customer_id, 'message', r.id, lane, r.claimable_at, r.lease_token
from here h, unnest($1::int4[], $2::uuid[], $3::text[], $4::timestamptz[], $5::uuid[]) r (customer_id,
  id, lanes, claimable_at, lease_token), unnest(string_to_array(btrim(r.lanes, '{}'), ',')::int[]) as lane;

insert into events (customer_id, id, type, subject, sequence, data, occurred_at, mode)
select r.customer_id, r.event_id, r.event_type, r.subject, s.events_written - r.before,
  r.event_data::jsonb, r.occurred, 'live'
from messages s, unnest($1::int4[], $2::uuid[], $3::text[], $4::uuid[], $5::int4[], $6::text[],
  $7::timestamptz[]) r (customer_id, event_id, event_type, subject, before, event_data, occurred)
where s.customer_id = r.customer_id and s.id = r.subject;

select customer_id as "customerId", id, lane, events
from webhook_endpoints
where customer_id = any($1::int[]) and disabled_at is null and mode = 'live'
