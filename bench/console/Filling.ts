/** What the console shows beside codes, in proportion to them: messages, requests, changes, deliveries, alarms. */
import { OWN_DATABASE, type Store } from "../Store.ts"
import { type Amount, DAYS, numbers, ROUTE } from "../Stored.ts"

/** One message for so many codes. */
const CODES_PER_MESSAGE = 4
/** A code is requested, and most are entered; the log has the last days of both. */
const REQUESTS_PER_CODE = 1.8
const REQUEST_DAYS = 3
const REQUESTS_PER_BLOCK = 35
const CHANGES = 20_000
const ALARMS = 200

const TEXT_ATTEMPTS = `[{"step":0,"status":"sent","tries":1,"error_code":null,"provider_error":null,
  "provider_message_id":null,"due_at":1790000000000,"attempted_at":1790000000000,"finished_at":1790000000000}]`

const messages = (amount: Amount) => `
with ${numbers(1, amount.stored, amount)},
message as (
  insert into messages (customer_id, id, mode, phone, status, revision, strategy, route, text, metadata, attempts,
    events_written, created_at, completed_at, held, captured)
  select customer_id, id, 'live', phone, case when i % 20 = 0 then 'failed' else 'sent' end, 2, 'failover',
    '${ROUTE}'::jsonb, 'Your order is on its way.', '{"order":"' || i || '"}', '${TEXT_ATTEMPTS}'::jsonb, 3, at,
    at + interval '1 second', 0, 1000
  from n)
insert into ledger (customer_id, id, kind, amount, subject, occurred_at)
select customer_id, uuidv7(at - now()), 'capture', -1000, id, at from n`

const requests = ({ stored }: Amount) => {
  const blocks = Math.ceil((stored * REQUESTS_PER_CODE * REQUEST_DAYS) / DAYS / REQUESTS_PER_BLOCK)
  return `
insert into request_blocks (id, customer_id, begins_at, ends_at, requests)
select uuidv7(b.at - now()), 1, b.at - interval '10 seconds', b.at, '[' || string_agg(format(
  '[%s,"%s","/v1/otp/send","POST",%s,1843,1,"live","+98935***%s","%s"]',
  (extract(epoch from b.at) * 1000)::bigint - 200 * (${REQUESTS_PER_BLOCK} - nth), gen_random_uuid(),
  case when nth = 1 then '409,"conflict"' else '200,null' end, lpad((nth * b.i % 10000)::text, 4, '0'),
  gen_random_uuid()), ',' order by nth) || ']'
from (select i, now() - i * interval '${REQUEST_DAYS} days' / ${blocks} as at from generate_series(1, ${blocks}) i) b,
  generate_series(1, ${REQUESTS_PER_BLOCK}) nth
group by b.i, b.at`
}

const changes = `
insert into audit_log (customer_id, id, actor_kind, actor_id, actor_name, action, subject_type, subject_id, details, ip,
  occurred_at)
select 1, uuidv7(age), case when i % 3 = 0 then 'token' else 'user' end, '1', 'Sara',
  (array['api_key.create', 'account.connect', 'routing.save', 'template.update'])[1 + i % 4], 'api_key', i::text,
  '{"name":"shop"}', '192.0.2.7', now() + age
from (select i, -i * interval '${DAYS} days' / ${CHANGES} as age from generate_series(1, ${CHANGES}) i) a`

/** Switched off, so that nothing is posted while sends are measured. */
const deliveries = `
with endpoint as (
  insert into webhook_endpoints (customer_id, lane, url, description, events, sealed_secret, created_at, disabled_at,
    disabled_reason)
  values (1, 1, 'https://example.com/hook', 'shop', '{*}', '', now() - interval '${DAYS} days', now(), 'manual')
  returning id)
insert into webhook_deliveries (customer_id, endpoint_id, event_id, status, tries, created_at, started_at, finished_at)
select e.customer_id, endpoint.id, e.id, 'delivered', '[]', e.occurred_at, e.occurred_at, e.occurred_at
from events e, endpoint`

const guard = [
  `insert into guard_days (customer_id, day, codes, verified)
   select 1, (now() at time zone 'Asia/Tehran')::date - i, 50000, 40000 from generate_series(0, 29) i
   on conflict do nothing`,
  `insert into guard_alarms (customer_id, id, kind, key, reason, level, action, enforced, started_at, until, cleared_at,
    codes, verified)
   select 1, uuidv7(age), 'prefix', '+98935' || i, 'unverified', 1, null, false, now() + age, now() + age,
     now() + age, 100, 3
   from (select i, -i * interval '2 hours' as age from generate_series(1, ${ALARMS}) i) a`
]

/** Minutes, for millions; once for a store, also for one without codes. Days of the guard are filled last. */
export const fillForConsole = async (store: Store, codes: number) => {
  const [[row] = []] = await store.run(OWN_DATABASE, ["select exists (select from guard_days) as filled"])
  if (row?.["filled"] === true) return
  const amount = { stored: Math.ceil(codes / CODES_PER_MESSAGE), customers: 1 }
  process.stderr.write("filling what the console shows\n")
  await store.run(OWN_DATABASE, [
    `update customers set created_at = now() - interval '${DAYS + 1} days' where id = 1`,
    messages(amount),
    requests({ stored: codes, customers: 1 }),
    changes,
    deliveries,
    ...guard,
    "vacuum (analyze)",
    "checkpoint"
  ])
}
