/** The data of programs that have run for weeks: old verifications, and what belongs to them, created by SQL. */
import type { Store } from "./Store.ts"
import type { SubjectName } from "./Options.ts"

const CHUNK = 250_000
/** From now back. */
export const DAYS = 20
/** The newest tenth still has its events. */
const WITHOUT_EVENTS = 0.9
/** The newest day, except an hour, still has its idempotency keys: older ones have lapsed. */
const KEYED = 1 - 23 / 24 / DAYS
/** In that day. */
const PHONES = 1_000_000

/** How many verifications, alternating between how many customers. */
export interface Amount {
  readonly stored: number
  readonly customers: number
}

/** Numbered from first to last; rows with one number share the id, the time and the phone. */
export const numbers = (first: number, last: number, { customers, stored }: Amount) => `n as materialized (
  select i, 1 + i % ${customers} as customer_id, uuidv7(age) as id, now() + age as at,
    '+98935' || lpad((i % ${PHONES})::text, 7, '0') as phone
  from (select i, (i - ${stored}) * interval '${DAYS} days' / ${stored} - interval '1 hour' as age
    from generate_series(${first}, ${last}) i) a)`

const DESCRIPTOR = '{"type":"messenger","provider":"bale","credential_id":1,"label":"bale"}'
export const ROUTE = `[{"channel":"bale","account_id":1,"descriptor":${DESCRIPTOR},"price":1000,"wait":60}]`
const ATTEMPTS = `[{"step":0,"status":"sent","error_code":null,"provider_error":null,"provider_message_id":null,
  "attempted_at":1790000000000}]`

const peykChunk = (first: number, last: number, amount: Amount) => `
with ${numbers(first, last, amount)},
sample as (select '${ROUTE}'::jsonb as route, '${ATTEMPTS}'::jsonb as attempts),
verification as (
  insert into verifications (customer_id, id, mode, phone, status, revision, route, attempts, remaining, code_hash,
    events_written, created_at, expires_at, verified_at, held, captured, metadata)
  select n.customer_id, n.id, 'live', n.phone, case when n.i % 5 = 0 then 'expired' else 'verified' end, 2, s.route,
    s.attempts, '{}', sha256(n.id::text::bytea), 3, n.at, n.at + interval '5 minutes',
    case when n.i % 5 <> 0 then n.at + interval '20 seconds' end, 0, 1000, '{"order":"' || n.i || '"}'
  from n, sample s),
entry as (
  insert into ledger (customer_id, id, kind, amount, subject, occurred_at)
  select customer_id, uuidv7(at - now()), 'capture', -1000, id, at from n),
key as (
  insert into idempotency_keys (customer_id, operation, key, fingerprint, subject, expires_at)
  select customer_id, 'otp.send', gen_random_uuid()::text, sha256(phone::bytea), id, at + interval '1 day' from n
  where i > ${amount.stored} * ${KEYED}),
event as (
  insert into events (customer_id, id, type, subject, sequence, data, occurred_at)
  select n.customer_id, uuidv7(n.at - now()), t.type, n.id, t.nth, jsonb_build_object('status', t.status,
    'attempts', s.attempts, 'next_step_at', null, 'verified_at', null), n.at
  from n, sample s, (values (1, 'verification.attempt_sent', 'queued'), (2, 'verification.queued', 'queued'),
    (3, 'verification.verified', 'verified')) t (nth, type, status)
  where n.i > ${amount.stored} * ${WITHOUT_EVENTS})
select count(*) from n`

const peykPhones = ({ customers, stored }: Amount) => `
with phone as (
  insert into phone_counters (customer_id, kind, phone, hour_ends_at, hour_used, day_ends_at, day_used)
  select 1 + i % ${customers}, 'code', '+98935' || lpad(i::text, 7, '0'), now() - interval '2 hours', 1,
    now() + interval '21 hours', 1
  from generate_series(0, ${Math.min(stored, PHONES) - 1}) i returning phone)
insert into platform_phone_counters (phone, day_ends_at, day_used, callers, callers_until)
  select phone, now() + interval '21 hours', 1, '{}', now() from phone`

const referenceChunk = (first: number, last: number, amount: Amount) => `
with ${numbers(first, last, amount)},
channel as (select '${DESCRIPTOR}'::jsonb as channel),
verification as (
  insert into verifications (id, account_id, phone, code_hash, status, path, created_at, expires_at, verified_at)
  select n.id, n.customer_id, n.phone, sha256(n.id::text::bytea), case when n.i % 5 = 0 then 'queued' else 'verified' end,
    jsonb_build_array(c.channel), n.at, n.at + interval '5 minutes',
    case when n.i % 5 <> 0 then n.at + interval '20 seconds' end
  from n, channel c),
attempt as (
  insert into attempts (verification_id, sequence, channel, status, dispatched_at)
  select n.id, 1, c.channel, 'sent', n.at from n, channel c),
key as (
  insert into idempotency (account_id, idem_key, request_hash, verification_id, created_at)
  select customer_id, gen_random_uuid()::text, sha256(phone::bytea), id, at from n
  where i > ${amount.stored} * ${KEYED})
select count(*) from n`

const referencePhones = ({ customers, stored }: Amount) => `
insert into phone_counters (account_id, phone, hour_start, hour_n, day_start, day_n)
select 1 + i % ${customers}, '+98935' || lpad(i::text, 7, '0'), now() - interval '3 hours', 1, now() - interval '3 hours', 1
from generate_series(0, ${Math.min(stored, PHONES) - 1}) i`

const reference = { chunk: referenceChunk, phones: referencePhones }

/** The programs that keep verifications: better-auth deletes used ones. */
export const fillings: Partial<Record<SubjectName, typeof reference>> = {
  peyk: { chunk: peykChunk, phones: peykPhones },
  fastify: reference,
  "fastify-crash-safe": reference,
  pgbench: reference
}

/** Minutes, for millions. */
export const fill = async (store: Store, name: SubjectName, database: string, amount: Amount) => {
  const filling = fillings[name]
  if (filling === undefined || amount.stored === 0) return
  for (let first = 1; first <= amount.stored; first += CHUNK) {
    const last = Math.min(first + CHUNK - 1, amount.stored)
    await store.run(database, [filling.chunk(first, last, amount)])
    process.stderr.write(`\rfilling ${name}: ${last} of ${amount.stored}`)
  }
  await store.run(database, [filling.phones(amount), "vacuum (analyze)", "checkpoint"])
  process.stderr.write("\n")
}
