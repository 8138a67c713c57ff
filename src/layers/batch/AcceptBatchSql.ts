import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { stripeOf } from "../../domain/Charging.ts"
import type { KeyMode } from "../../domain/Customer.ts"
import type { Instant } from "../../domain/Instant.ts"
import type { TimerKind } from "../../services/Timers.ts"
import type { Acceptance } from "../../services/VerificationStore.ts"
import { monthOf, retryRaces } from "../AdmissionSql.ts"
import { decodedAs } from "../SqlRows.ts"
import { type BatchColumn, batchSource, intArrayText, withConstants } from "./BatchColumns.ts"
import { type BatchClients, makeStatementBatch } from "./StatementBatch.ts"

export const SEND_OPERATION = "otp.send"

const Exception = Schema.Struct({
  nth: Schema.Int,
  reason: Schema.Literals(["phone_hour", "phone_day", "platform_day", "key_taken", "ask_alone"]),
  until: Schema.NullOr(Schema.Int)
})

/** What became of one acceptance: "ask_alone" where only a statement of its own can tell. */
export type AcceptVerdict =
  | { readonly reason: null }
  | { readonly reason: (typeof Exception.Type)["reason"]; readonly until: Instant | null }

const ACCEPTED: AcceptVerdict = { reason: null }

const OutcomeRow = Schema.Struct({ exceptions: Schema.NullOr(Schema.Array(Exception)) })

const columns: ReadonlyArray<BatchColumn<Acceptance>> = [
  { name: "customer_id", type: "int4", of: ({ verification }) => verification.customerId },
  { name: "id", type: "uuid", of: ({ verification }) => verification.id },
  { name: "phone", type: "text", of: ({ verification }) => verification.phone },
  { name: "status", type: "text", of: ({ verification }) => verification.status },
  { name: "revision", type: "int4", of: ({ verification }) => verification.revision },
  { name: "route", type: "text", of: ({ verification }) => JSON.stringify(verification.route) },
  { name: "text_body", type: "text", of: ({ verification }) => verification.textBody },
  { name: "remaining", type: "text", of: ({ verification }) => intArrayText(verification.remaining) },
  { name: "now", type: "timestamptz", of: ({ verification }) => verification.createdAt },
  { name: "expires_at", type: "timestamptz", of: ({ verification }) => verification.expiresAt },
  { name: "code_hash", type: "bytea", of: ({ codeHash }) => codeHash },
  { name: "sealed_code", type: "bytea", of: ({ sealedCode }) => sealedCode },
  { name: "lease_until", type: "timestamptz", of: ({ lease }) => lease.until },
  { name: "lease_token", type: "uuid", of: ({ lease }) => lease.token },
  { name: "key", type: "text", of: ({ idempotency }) => idempotency?.key ?? null },
  { name: "fingerprint", type: "bytea", of: ({ idempotency }) => idempotency?.fingerprint ?? null },
  { name: "key_until", type: "timestamptz", of: ({ idempotency }) => idempotency?.expiresAt ?? null },
  { name: "hour", type: "int4", of: ({ admission }) => admission.phone.hour },
  { name: "day", type: "int4", of: ({ admission }) => admission.phone.day },
  { name: "platform_day", type: "int4", of: ({ admission }) => admission.phone.platformDay },
  { name: "quota", type: "int4", of: ({ admission }) => admission.monthlyQuota },
  // Of those with a quota: nobody else's is counted.
  {
    name: "month",
    type: "date",
    of: ({ verification, admission }) =>
      admission.monthlyQuota === 0 ? null : monthOf(verification.createdAt).start
  },
  { name: "hold", type: "int8", of: ({ admission }) => BigInt(admission.hold) },
  { name: "stripe", type: "int2", of: ({ verification }) => stripeOf(verification.id) }
]

/**
 * Looks under locks, in the order of the batch, at everything that may say no. A phone is in a batch only once, so what
 * is full is full; money and quotas are shared by many of a batch, and where they do not suffice for all, who is left
 * over asks alone.
 */
const VERDICTS = `
  phone as materialized (
    select r.nth, r.now, r.hour, r.day, p.hour_ends_at, p.hour_used, p.day_ends_at, p.day_used
    from r join phone_counters p on p.customer_id = r.customer_id and p.kind = r.counter and p.phone = r.phone
    where r.hour > 0 or r.day > 0 for update of p),
  platform as materialized (
    select r.nth, r.now, r.platform_day, p.day_ends_at, p.day_used
    from r join platform_phone_counters p on p.phone = r.phone where r.platform_day > 0 for update of p),
  refused as materialized (
    select distinct on (nth) nth, reason, until from (
      select nth, 1 as place, 'phone_hour' as reason, hour_ends_at as until from phone
      where hour > 0 and hour_ends_at > now and hour_used >= hour
      union all select nth, 2, 'phone_day', day_ends_at from phone where day > 0 and day_ends_at > now and day_used >= day
      union all select nth, 3, 'platform_day', day_ends_at from platform where day_ends_at > now and day_used >= platform_day
    ) full_ones order by nth, place),
  allowed as materialized (select * from r where not exists (select from refused f where f.nth = r.nth)),
  quota as materialized (
    select q.customer_id, q.month, q.used
    from (select distinct customer_id, month from allowed where quota > 0 order by 1, 2) a
    join monthly_counters q on q.customer_id = a.customer_id and q.month = a.month for update of q),
  wallet as materialized (
    select w.customer_id, w.stripe, w.balance - w.held as available
    from (select distinct customer_id, stripe from allowed where hold > 0 order by 1, 2) a
    join wallets w on w.customer_id = a.customer_id and w.stripe = a.stripe for update of w),
  short as materialized (
    select a.nth from (
      select nth, customer_id, month, min(quota) over (partition by customer_id, month) as quota,
        count(*) over (partition by customer_id, month order by nth) as so_far
      from allowed where quota > 0) a
    left join quota q on q.customer_id = a.customer_id and q.month = a.month
    where coalesce(q.used, 0) + a.so_far > a.quota
    union select a.nth from (
      select nth, customer_id, stripe, sum(hold) over (partition by customer_id, stripe order by nth) as so_far
      from allowed where hold > 0) a
    left join wallet w on w.customer_id = a.customer_id and w.stripe = a.stripe
    where coalesce(w.available, 0) < a.so_far),
  passing as materialized (select * from allowed a where not exists (select from short s where s.nth = a.nth)),
  taken as materialized (
    select p.nth from passing p
    join idempotency_keys k on k.customer_id = p.customer_id and k.operation = p.operation and k.key = p.key
    where k.expires_at > p.now),
  admitted as materialized (select * from passing p where not exists (select from taken t where t.nth = p.nth))`

/** Counts what was admitted, and keeps it. */
const writes = (mode: KeyMode, timerKind: TimerKind) => `
  claimed as (
    insert into idempotency_keys as k (customer_id, operation, key, fingerprint, subject, expires_at)
    select customer_id, '${SEND_OPERATION}', key, fingerprint, id, key_until from admitted where key is not null
    order by customer_id, key
    on conflict (customer_id, operation, key) do update set fingerprint = excluded.fingerprint,
      subject = excluded.subject, expires_at = excluded.expires_at
    where k.expires_at <= (select max(now) from r)
    returning true),
  phone_counted as (
    insert into phone_counters as p (customer_id, kind, phone, hour_ends_at, hour_used, day_ends_at, day_used)
    select customer_id, 'code', phone, now + interval '1 hour', 1, now + interval '24 hours', 1
    from admitted where hour > 0 or day > 0 order by phone, customer_id
    on conflict (customer_id, kind, phone) do update set
      hour_used = case when p.hour_ends_at > excluded.hour_ends_at - interval '1 hour' then p.hour_used + 1 else 1 end,
      hour_ends_at = case when p.hour_ends_at > excluded.hour_ends_at - interval '1 hour'
        then p.hour_ends_at else excluded.hour_ends_at end,
      day_used = case when p.day_ends_at > excluded.day_ends_at - interval '24 hours' then p.day_used + 1 else 1 end,
      day_ends_at = case when p.day_ends_at > excluded.day_ends_at - interval '24 hours'
        then p.day_ends_at else excluded.day_ends_at end
    returning customer_id, phone, hour_used, day_used),
  platform_counted as (
    insert into platform_phone_counters as p (phone, day_ends_at, day_used)
    select phone, now + interval '24 hours', 1 from admitted where platform_day > 0 order by phone
    on conflict (phone) do update set
      day_used = case when p.day_ends_at > excluded.day_ends_at - interval '24 hours' then p.day_used + 1 else 1 end,
      day_ends_at = case when p.day_ends_at > excluded.day_ends_at - interval '24 hours'
        then p.day_ends_at else excluded.day_ends_at end
    returning day_used),
  quota_counted as (
    insert into monthly_counters as q (customer_id, month, used)
    select customer_id, month, count(*) from admitted where quota > 0 group by 1, 2 order by 1, 2
    on conflict (customer_id, month) do update set used = q.used + excluded.used
    returning customer_id, month, used),
  held as (
    update wallets w set held = w.held + h.total
    from (select customer_id, stripe, sum(hold)::bigint as total from admitted where hold > 0
      group by 1, 2 order by 1, 2) h
    where w.customer_id = h.customer_id and w.stripe = h.stripe and w.balance - w.held >= h.total
    returning true),
  verification as (
    insert into verifications (customer_id, id, mode, phone, status, revision, route, text_body, attempts,
      remaining, next_step_at, code_hash, sealed_code, created_at, expires_at, held)
    select customer_id, id, '${mode}', phone, status, revision, route::jsonb, text_body, '[]', remaining::int[],
      now, code_hash, sealed_code, now, expires_at, hold from admitted),
  timer as (
    insert into timers (customer_id, kind, subject, claimable_at, lease_token)
    select customer_id, '${timerKind}', id, lease_until, lease_token from admitted)`

/** Somebody else claimed, opened a counter, or spent, between the look under locks and the count. */
const IS_RACED = `
  (select count(*) from claimed) <> (select count(*) from admitted where key is not null)
  or (select count(*) from held) <> (select count(distinct (customer_id, stripe)) from admitted where hold > 0)
  or exists (select from phone_counted c join admitted a on a.customer_id = c.customer_id and a.phone = c.phone
    where (c.hour_used > (select min(hour) from r where hour > 0) or c.day_used > (select min(day) from r where day > 0))
      and (a.hour > 0 and c.hour_used > a.hour or a.day > 0 and c.day_used > a.day))
  or exists (select from platform_counted where day_used > (select max(platform_day) from r))
  or exists (select from quota_counted c join admitted a on a.customer_id = c.customer_id and a.month = c.month
    where a.quota > 0 and c.used > a.quota)`

const source = batchSource(columns)

const statementOf = (mode: KeyMode, timerKind: TimerKind) => `
  with ${withConstants(source.rows, { counter: "'code'", operation: `'${SEND_OPERATION}'` })}, ${VERDICTS}, ${writes(mode, timerKind)}
  select case when ${IS_RACED} then try_again() end as raced, (
    select json_agg(json_build_object('nth', nth, 'reason', reason,
      'until', (extract(epoch from until) * 1000)::bigint))
    from (select nth, reason, until from refused
      union all select nth, 'ask_alone', null from short
      union all select nth, 'key_taken', null from taken) e) as exceptions`

/** Phones and keys of different customers do not conflict; but there are few of them, and asking costs. */
const conflictsOf = ({
  verification: { phone },
  admission,
  idempotency
}: Acceptance): ReadonlyArray<string> => {
  const { hour, day, platformDay } = admission.phone
  const isCounted = hour > 0 || day > 0 || platformDay > 0
  if (idempotency === null) return isCounted ? [phone] : []
  return isCounted ? [phone, idempotency.key] : [idempotency.key]
}

/** Accepts the verifications of many requests in one statement, before which `turn` is called. */
export const makeAcceptBatch = (
  clients: BatchClients,
  mode: KeyMode,
  timerKind: TimerKind,
  turn: () => void
) => {
  const statement = statementOf(mode, timerKind)
  const decoded = decodedAs(Schema.Tuple([OutcomeRow]))
  return makeStatementBatch<SqlClient.SqlClient, Acceptance, AcceptVerdict>(clients, {
    conflictsOf,
    orderOf: ({ verification }) => verification.phone,
    run: (sql, acceptances) => {
      turn()
      return decoded(retryRaces(sql.unsafe(statement, source.parameters(acceptances)))).pipe(
        Effect.map(([{ exceptions }]) => {
          const verdicts: Array<AcceptVerdict> = acceptances.map(() => ACCEPTED)
          for (const { nth, ...verdict } of exceptions ?? []) verdicts[nth - 1] = verdict
          return verdicts
        })
      )
    }
  })
}
