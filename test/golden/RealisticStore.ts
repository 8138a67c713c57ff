import { Effect } from "effect"
import { SqlClient } from "effect/sql"

const CUSTOMERS = 2000
const SUBJECTS = 40_000

/** Customer 1 sends half of everything, as a big one does; the others share the rest. */
const OWNER = `case when n % 2 = 0 then 1 else 1 + n % ${CUSTOMERS} end`
const PHONE = `'+98912' || lpad(n::text, 7, '0')`
const AT = `to_timestamp(1800000000 + n)`
const ROUTE = `'[{"channel":"bale","account_id":1,"wait":60,"descriptor":{"type":"messenger","provider":"bale"}}]'::jsonb`

const eachOf = (count: number) => `from generate_series(1, ${count}) n`

/** The tables of a service with customers and weeks of sends. */
const FILL = [
  `insert into customers (name, plan, created_at) select 'c' || n, 'start', ${AT} ${eachOf(CUSTOMERS)}`,
  `insert into api_keys (customer_id, name, mode, prefix, last_four, secret_hash, created_at)
    select n, 'k', 'live', 'svc_live', '0000', sha256(n::text::bytea), ${AT} ${eachOf(CUSTOMERS)}`,
  `insert into sending_accounts (customer_id, channel, provider, label, sealed_settings, is_default, created_at)
    select n, c, 'bridge', c, '\\x00', true, ${AT} ${eachOf(CUSTOMERS)}, unnest(array['bale', 'eitaa', 'sms']) c`,
  `insert into routing_orders (customer_id, steps, updated_at) select n, '[]', ${AT} ${eachOf(CUSTOMERS)}`,
  `insert into templates (customer_id, name, body, created_at) select n, 't', 'b', ${AT} ${eachOf(CUSTOMERS)}`,
  `insert into wallets (customer_id, stripe, balance, held)
    select n, s, 1000000, 0 ${eachOf(CUSTOMERS)}, generate_series(0, 15) s`,
  `insert into monthly_counters (customer_id, month, used)
    select n, '2027-01-01', 5 ${eachOf(CUSTOMERS)}`,
  `insert into webhook_endpoints (customer_id, lane, url, description, events, sealed_secret, created_at)
    select n, 0, 'https://example.com', '', array['*'], '\\x00', ${AT} ${eachOf(CUSTOMERS)}`,
  `insert into verifications (customer_id, id, mode, phone, status, revision, route, attempts, remaining, code_hash,
      created_at, expires_at)
    select ${OWNER}, uuidv7(n * interval '1 second'), 'live', ${PHONE}, 'verified', 2, ${ROUTE}, '[]', '{}', null,
      ${AT}, ${AT} + interval '5 minutes' ${eachOf(SUBJECTS)}`,
  `insert into messages (customer_id, id, phone, status, revision, strategy, route, text, metadata, attempts, created_at)
    select ${OWNER}, uuidv7(n * interval '1 second'), ${PHONE}, 'sent', 2, 'failover', ${ROUTE}, 'text', '{}', '[]', ${AT}
    ${eachOf(SUBJECTS)}`,
  `insert into timers (customer_id, kind, subject, claimable_at)
    select ${OWNER}, k, uuidv7(n * interval '1 second'), ${AT}
    ${eachOf(SUBJECTS / 2)}, unnest(array['verification', 'message', 'webhook']) k`,
  `insert into idempotency_keys (customer_id, operation, key, fingerprint, subject, expires_at)
    select ${OWNER}, 'otp.send', n::text, '\\x00', uuidv7(n * interval '1 second'), ${AT} ${eachOf(SUBJECTS)}`,
  `insert into phone_counters (customer_id, kind, phone, hour_ends_at, hour_used, day_ends_at, day_used)
    select ${OWNER}, 'code', ${PHONE}, ${AT}, 1, ${AT}, 1 ${eachOf(SUBJECTS)}`,
  `insert into platform_phone_counters (phone, day_ends_at, day_used, callers, callers_until)
    select ${PHONE}, ${AT}, 1, '{}', ${AT} ${eachOf(SUBJECTS)}`,
  `insert into ledger (customer_id, id, kind, amount, subject, occurred_at)
    select ${OWNER}, uuidv7(n * interval '1 second'), 'capture', -1000, uuidv7(n * interval '1 second'), ${AT}
    ${eachOf(SUBJECTS)}`,
  `insert into events (customer_id, id, type, subject, sequence, data, occurred_at)
    select ${OWNER}, uuidv7(n * interval '1 second'), 'verification.queued', uuidv7(n * interval '1 second'), 1, '{}', ${AT}
    ${eachOf(SUBJECTS)}`,
  `insert into webhook_deliveries (customer_id, endpoint_id, event_id, status, created_at)
    select customer_id, 1, id, 'delivered', occurred_at from events`,
  // what only people read
  `insert into audit_log (customer_id, id, actor_kind, actor_id, actor_name, action, subject_type, subject_id, details,
      occurred_at)
    select ${OWNER}, uuidv7(n * interval '1 second'), 'user', (n % 7)::text, 'a', 'routing.save', 'routing', (n % 9)::text, '{}', ${AT}
    ${eachOf(SUBJECTS)}`,
  `insert into alerts (customer_id, id, kind, subject_type, subject_id, counts, held_back, raised_at)
    select ${OWNER}, uuidv7(n * interval '1 second'), 'budget', 'budget', '1', '{}', 0, ${AT} ${eachOf(SUBJECTS)}`,
  `insert into alert_deliveries (customer_id, alert_id, lane, recipient_id, means, status, first_due_at, due_at)
    select customer_id, id, 0, 1, 'email', 'sent', raised_at, raised_at from alerts`,
  `insert into request_blocks (customer_id, id, begins_at, ends_at, requests)
    select ${OWNER}, uuidv7(n * interval '1 second'), ${AT}, ${AT}, '[]' ${eachOf(SUBJECTS)}`
]

/** Fills an empty store, and has PostgreSQL look at it. */
export const fillStore = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  for (const statement of FILL) yield* sql.unsafe(statement)
  yield* sql.unsafe("analyze")
})
