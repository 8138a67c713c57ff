-- Reads the deliveries of many due timers that are still leased by this process, with the current fields of what
-- their events are about.
-- The code makes this statement; `npm run golden` writes this file.

with
r as materialized (
  select r.*, 'webhook' as timer_kind
  from (
    select unnest($1) as customer_id, unnest($2) as event_id, unnest($3) as lane, unnest($4) as lease_token,
      unnest($5) as now, unnest($6) as nth) r),
leased as materialized (
  select r.*
  from r cross
  join lateral (
    select
    from timers t
    where t.customer_id = r.customer_id and t.kind = r.timer_kind and t.subject = r.event_id and t.lane = r.lane
      and t.lease_token = r.lease_token
    limit 1) t),
w as materialized (
  select r.nth, r.event_id, r.now, w.*
  from leased r
  join webhook_endpoints w on w.customer_id = r.customer_id and w.lane = r.lane)
select w.nth::int, w.id as "endpointId", w.url, (w.disabled_at is null and w.mode = e.mode and (e.type = 'webhook.test'
  or (w.events @> array[e.type] or w.events @> array[case
  when e.type like 'alert.%' then 'alert.*' else '*' end]) and not (e.type like 'alert.webhook\_%'
  and e.data #>> '{subject,id}' = w.id::text))) as accepts, w.failing_since as "failingSince",
  w.sealed_secret as "sealedSecret", case when w.previous_secret_until > w.now then w.sealed_previous_secret
  end as "sealedPreviousSecret", d.tries, d.started_at as "startedAt", d.next_try_at as "nextTryAt",
  e.type, e.mode, e.sequence, e.occurred_at as "occurredAt", case split_part(e.type, '.', 1)
  when 'verification' then (
  select json_build_object('kind', 'verification', 'snapshot', e.data, 'always', json_build_object('id',
    v.id, 'phone', v.phone, 'route', v.route, 'metadata', v.metadata, 'expiresAt', (extract(epoch from v.expires_at) * 1000)::bigint))
  from verifications v
  where v.customer_id = e.customer_id and v.id = e.subject)
  when 'message' then (
  select json_build_object('kind', 'message', 'snapshot', e.data, 'always', json_build_object('id',
    m.id, 'phone', m.phone, 'strategy', m.strategy, 'route', m.route, 'template', m.template,
    'metadata', m.metadata, 'scheduledFor', (extract(epoch from m.scheduled_for) * 1000)::bigint,
    'createdAt', (extract(epoch from m.created_at) * 1000)::bigint))
  from messages m
  where m.customer_id = e.customer_id and m.id = e.subject)
  when 'guard' then json_build_object('kind', 'guard', 'id', e.subject, 'snapshot', e.data)
  when 'alert' then json_build_object('kind', 'alert', 'id', e.subject, 'snapshot', e.data) else json_build_object('kind',
  'endpoint', 'id', w.id) end as subject
from w
join webhook_deliveries d on d.customer_id = w.customer_id and d.endpoint_id = w.id and d.event_id = w.event_id
join events e on e.customer_id = w.customer_id and e.id = w.event_id
