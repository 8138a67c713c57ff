-- Looks up the set-ups of customers: plan, limits, sending accounts, saved order and its templates.
-- The code makes this statement; `npm run golden` writes this file.

select r.nth, c.plan, c.webotp_host as "webOtpHost", c.webotp_origins as "webOtpOrigins", c.app_hash as "appHash",
  c.brand, c.locale, c.limits, nullif(o.steps, '[]') as routing, coalesce(o.step_order, 'saved') as "stepOrder",
  coalesce((
  select jsonb_agg(jsonb_build_object('id', a.id, 'channel', a.channel, 'provider', a.provider,
    'label', a.label, 'isDefault', a.is_default, 'active', a.disabled_at is null, 'shared',
    a.customer_id is null, 'sendsCodes', a.sends_codes, 'sendsTexts', a.sends_texts,
    'deduplicatesCodes', a.deduplicates, 'deduplicatesTexts', a.deduplicates_texts, 'reportsDelivery',
    a.reports_delivery, 'needsContact', a.needs_contact, 'standby', a.standby) order by a.id)
  from sending_accounts a
  where a.customer_id = c.id or a.customer_id is null), '[]') as accounts, coalesce((
  select jsonb_agg(jsonb_build_object('id', t.id, 'name', t.name, 'body', t.body, 'active',
    t.disabled_at is null))
  from templates t
  where t.customer_id = c.id and t.id in (
    select (s ->> 'template_id')::int
    from jsonb_array_elements(o.steps) s)), '[]') as "routingTemplates", (
  select jsonb_build_object('mode', g.mode, 'unverifiedHour', g.unverified_hour, 'smsPrice',
    g.sms_price)
  from guard_settings g
  where g.customer_id = c.id) as guard, coalesce((
  select jsonb_agg(jsonb_build_object('list', e.list, 'type', e.type, 'value', e.value))
  from guard_entries e
  where e.customer_id = c.id), '[]') as "guardEntries", coalesce((
  select jsonb_agg(jsonb_build_object('kind', a.kind, 'key', a.key, 'reason', a.reason, 'action',
    a.action, 'startedAt', (extract(epoch from a.started_at) * 1000)::bigint, 'until', (extract(epoch from a.until) * 1000)::bigint))
  from guard_alarms a
  where a.customer_id = c.id and a.cleared_at is null and (a.reason in ('unverified', 'outage') or a.reason = 'budget'
    and a.kind <> 'customer' and exists (
    select
    from guard_alarms o
    where o.customer_id = c.id and o.cleared_at is null and o.reason = 'outage'))), '[]') as "guardAlarms",
  coalesce((
  select version
  from set_up_versions
  where customer_id = c.id), 0) + coalesce((
  select version
  from set_up_versions
  where customer_id = 0), 0) as "setUpVersion", coalesce((
  select version
  from set_up_versions
  where customer_id = 0), 0) as "platformVersion"
from (
  select unnest($1) as customer_id, unnest($2) as nth) r
join customers c on c.id = r.customer_id
left join routing_orders o on o.customer_id = c.id
