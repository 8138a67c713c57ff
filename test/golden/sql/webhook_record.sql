-- Records the outcomes of many tries: each delivery, its timer, and since when its endpoint fails.
-- The code makes this statement; `npm run golden` writes this file.

with
r as materialized (
  select r.*, 'webhook' as timer_kind
  from (
    select unnest($1) as customer_id, unnest($2) as event_id, unnest($3) as lane, unnest($4) as lease_token,
      unnest($5) as endpoint_id, unnest($6) as url, unnest($7) as was_due_at, unnest($8) as now,
      unnest($9) as status, unnest($10)::jsonb as tries, unnest($11)::jsonb as exchange, unnest($12) as started_at,
      unnest($13) as next_try_at, unnest($14) as tried_at, unnest($15) as failing_since, unnest($16) as disables,
      unnest($17) as nth) r),
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
  where d.customer_id = h.customer_id and d.endpoint_id = h.endpoint_id and d.event_id = h.event_id),
succeeded as (
  select customer_id, endpoint_id, url, max(now) as at
  from held
  where status = 'delivered'
  group by 1, 2, 3),
outcome as materialized (
  select h.customer_id, h.endpoint_id, h.url, s.at as succeeded_at, max(h.now) as now, max(h.disables) as disables,
    min(case when s.at is null then h.failing_since
    when h.now > s.at then h.tried_at end) filter (where h.status <> 'delivered') as failing_since
  from held h
  left join succeeded s on s.customer_id = h.customer_id and s.endpoint_id = h.endpoint_id and s.url = h.url
  group by 1, 2, 3, 4
  order by 1, 2),
endpoint as (
  update webhook_endpoints w set failing_since = case when o.succeeded_at is null then coalesce(w.failing_since,
    o.failing_since) else o.failing_since end
  from outcome o
  where w.customer_id = o.customer_id and w.id = o.endpoint_id and w.url = o.url and ((w.failing_since is null) <> (o.failing_since is null)
    or o.succeeded_at is not null and o.failing_since is not null))
select (
  select case when count(*) < cardinality($1) then coalesce(array_agg(nth::int), '{}') end
  from held) as written, (
  select coalesce(array_agg(nth::int), '{}')
  from held
  where was_restarted) as restarted
