-- Like accept, for a batch in which some requests have metadata, a language or a client.
-- Where cells are on other nodes, these take its place; `npm run golden` writes this file.

insert into platform_phone_counters as o (phone, day_ends_at, day_used, callers, callers_until,
  adds_caller)
select r.phone, r.day_end, 1, array[r.customer_id], r.callers_end, true
from here h, unnest($1::int4[], $2::text[], $3::timestamptz[], $4::timestamptz[]) r (customer_id,
  phone, day_end, callers_end)
on conflict (phone) do update set day_used = case when excluded.day_ends_at - o.day_ends_at < interval '24 hours'
  then o.day_used else 0 end + 1, day_ends_at = case when excluded.day_ends_at - o.day_ends_at < interval '24 hours'
  then o.day_ends_at else excluded.day_ends_at end, callers = case when not excluded.callers_until - o.callers_until < interval '10 minutes'
  then excluded.callers
  when o.callers @> excluded.callers or cardinality(o.callers) >= 16 then o.callers else o.callers || excluded.callers
  end, callers_until = case when excluded.callers_until - o.callers_until < interval '10 minutes'
  then o.callers_until else excluded.callers_until end, adds_caller = not (excluded.callers_until - o.callers_until < interval '10 minutes')
  or not (o.callers @> excluded.callers or cardinality(o.callers) >= 16)
returning phone, day_used as "dayUsed", day_ends_at as "dayEndsAt", callers, callers_until as "callersUntil",
  adds_caller as "addsCaller";

select count(*)::int as changed
from unnest($1::int4[], $2::int4[]) r (customer_id, set_up)
left join set_up_versions s on s.customer_id = r.customer_id
where not (r.set_up is null or r.set_up = coalesce(s.version, 0) + coalesce((
  select version
  from set_up_versions
  where customer_id = 0), 0));

insert into phone_counters as o (customer_id, phone, kind, hour_ends_at, hour_used, day_ends_at,
  day_used)
select r.customer_id, r.phone, 'code', r.hour_end, r.sends, r.day_end, r.sends
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
select r.customer_id, 'otp.send', r.idem_key, r.print, r.id, r.key_until
from here h, unnest($1::int4[], $2::uuid[], $3::text[], $4::bytea[], $5::timestamptz[]) r (customer_id,
  id, idem_key, print, key_until)
returning 1 as claimed;

insert into verifications (customer_id, id, mode, phone, status, revision, route, text_body, attempts,
  remaining, next_step_at, code_hash, sealed_code, created_at, expires_at, held, metadata,
  text_locale, client)
select r.customer_id, r.id, 'live', r.phone, r.status, r.revision, r.route::jsonb, r.text_body, '[]',
  string_to_array(btrim(r.remaining, '{}'), ',')::int[], r.now, r.code_hash, r.sealed_code, r.now,
  r.expires_at, r.hold, r.metadata, r.text_locale, r.client
from here h, unnest($1::int4[], $2::uuid[], $3::text[], $4::timestamptz[], $5::int8[], $6::text[],
  $7::int4[], $8::text[], $9::text[], $10::text[], $11::timestamptz[], $12::bytea[], $13::bytea[],
  $14::text[], $15::text[], $16::jsonb[]) r (customer_id, id, phone, now, hold, status, revision,
  route, text_body, remaining, expires_at, code_hash, sealed_code, metadata, text_locale, client);

insert into timers (customer_id, kind, subject, claimable_at, lease_token)
select r.customer_id, 'verification', r.id, r.lease_until, r.lease_token
from here h, unnest($1::int4[], $2::uuid[], $3::timestamptz[], $4::uuid[]) r (customer_id, id,
  lease_until, lease_token);

update platform_phone_counters o set day_used = case when o.day_ends_at = r.day_end and o.day_used > 0
  then o.day_used - 1 else o.day_used end, callers = case when r.added and o.callers_until = r.callers_end
  then array_remove(o.callers, r.customer_id) else o.callers end
from unnest($1::int4[], $2::text[], $3::timestamptz[], $4::timestamptz[], $5::bool[]) r (customer_id,
  phone, day_end, callers_end, added)
where o.phone = r.phone
