-- Records the outcomes of many tries: each delivery, its timer, and since when its endpoint fails.
-- Where cells are on other nodes, these take its place; `npm run golden` writes this file.

with
r as materialized (
  select customer_id, event_id, lane, lease_token, endpoint_id, url, was_due_at, now, status,
    tries::jsonb as tries, exchange::jsonb as exchange, started_at, next_try_at, tried_at,
    failing_since, disables, nth, 'webhook'::text as timer_kind
  from unnest($1::int4[], $2::uuid[], $3::int2[], $4::uuid[], $5::int4[], $6::text[],
    $7::timestamptz[], $8::timestamptz[], $9::text[], $10::text[], $11::text[], $12::timestamptz[],
    $13::timestamptz[], $14::timestamptz[], $15::timestamptz[], $16::text[], $17::int4[]) r (customer_id,
    event_id, lane, lease_token, endpoint_id, url, was_due_at, now, status, tries, exchange,
    started_at, next_try_at, tried_at, failing_since, disables, nth)),
current as materialized (
  select r.*, d.next_try_at is distinct from r.was_due_at as was_restarted
  from r
  join webhook_deliveries d on d.customer_id = r.customer_id and d.endpoint_id = r.endpoint_id and d.event_id = r.event_id
  for update of d),
moved as (
  update timers t set lease_token = null, claimable_at = case when c.was_restarted then c.now else c.next_try_at
    end
  from current c
  where (c.was_restarted or c.next_try_at is not null) and t.customer_id = c.customer_id and t.kind = c.timer_kind
    and t.subject = c.event_id and t.lane = c.lane and t.lease_token = c.lease_token
  returning c.nth),
removed as (
  delete from timers t using current c
  where not c.was_restarted and c.next_try_at is null and t.customer_id = c.customer_id and t.kind = c.timer_kind
    and t.subject = c.event_id and t.lane = c.lane and t.lease_token = c.lease_token
  returning c.nth),
held as materialized (
  select c.*
  from current c
  where c.nth in (
    select nth
    from moved
    union all
    select nth
    from removed)),
delivery as (
  update webhook_deliveries d set tries = h.tries, exchanges = jsonb_path_query_array(d.exchanges,
    '$[last - 3 to last]') || h.exchange, status = case when h.was_restarted then d.status else h.status
    end, started_at = case when h.was_restarted then d.started_at else h.started_at end, next_try_at = case
    when h.was_restarted then d.next_try_at else h.next_try_at end, finished_at = case when h.was_restarted
    then d.finished_at
    when h.status <> 'pending' then h.now end
  from held h
  where d.customer_id = h.customer_id and d.endpoint_id = h.endpoint_id and d.event_id = h.event_id)
select nth, was_restarted as "wasRestarted"
from held
