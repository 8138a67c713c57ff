import { stripeOf, WALLET_STRIPES } from "../../../domain/money/Charging.ts"
import type { KeyMode } from "../../../domain/people/Customer.ts"
import type { Route } from "../../../domain/routing/Route.ts"
import type { TimerKind } from "../../../domain/Timer.ts"
import type { Acceptance } from "../../../services/verification/VerificationStore.ts"
import { monthOf } from "../../verification/AdmissionSql.ts"
import { currentSetUp } from "../cache/SetUpVersions.ts"
import { type BatchColumn, batchSource, intArrayText, jsonText } from "./BatchColumns.ts"

export const SEND_OPERATION = "otp.send"

/** What a batch needs of the statement. */
export interface AcceptShape {
  readonly mode: KeyMode
  readonly timerKind: TimerKind
  readonly hasQuotas: boolean
  /** Whether it looks first at what may say no, and tells who is refused. Otherwise one refusal refuses all of it. */
  readonly checksFirst: boolean
}

/** One of a batch, with what all of the batch ask of the money and of the quota that it asks of. */
interface AcceptRow extends Acceptance {
  readonly heldTogether: number
  readonly countedTogether: number
}

const addTo = (sums: Map<number, number>, key: number, amount: number) =>
  sums.set(key, (sums.get(key) ?? 0) + amount)

const walletOf = ({ verification: { customerId, id } }: Acceptance) =>
  customerId * WALLET_STRIPES + stripeOf(id)

const withShares = (acceptances: ReadonlyArray<Acceptance>): ReadonlyArray<AcceptRow> => {
  const held = new Map<number, number>()
  const counted = new Map<number, number>()
  for (const acceptance of acceptances) {
    addTo(held, walletOf(acceptance), acceptance.admission.hold)
    addTo(counted, acceptance.verification.customerId, 1)
  }
  return acceptances.map((acceptance) => ({
    ...acceptance,
    heldTogether: held.get(walletOf(acceptance)) ?? 0,
    countedTogether: counted.get(acceptance.verification.customerId) ?? 0
  }))
}

const routeText = jsonText<Route>()

const columns: ReadonlyArray<BatchColumn<Acceptance>> = [
  { name: "customer_id", type: "int4", of: ({ verification }) => verification.customerId },
  { name: "id", type: "uuid", of: ({ verification }) => verification.id },
  { name: "phone", type: "text", of: ({ verification }) => verification.phone },
  { name: "status", type: "text", of: ({ verification }) => verification.status },
  { name: "revision", type: "int4", of: ({ verification }) => verification.revision },
  { name: "route", type: "text", of: ({ verification }) => routeText(verification.route) },
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
  { name: "hold", type: "int8", of: ({ admission }) => BigInt(admission.hold) },
  { name: "stripe", type: "int2", of: ({ verification }) => stripeOf(verification.id) },
  { name: "set_up", type: "int4", of: ({ setUpVersion }) => setUpVersion }
]

/** Only in a batch with somebody who has a quota: nobody else's is counted. */
const quotaColumns: ReadonlyArray<BatchColumn<Acceptance>> = [
  { name: "quota", type: "int4", of: ({ admission }) => admission.monthlyQuota },
  {
    name: "month",
    type: "date",
    of: ({ verification, admission }) =>
      admission.monthlyQuota === 0 ? null : monthOf(verification.createdAt).start
  }
]

const lookColumns: ReadonlyArray<BatchColumn<AcceptRow>> = [
  { name: "held_together", type: "int8", of: ({ heldTogether }) => BigInt(heldTogether) },
  { name: "counted_together", type: "int4", of: ({ countedTogether }) => countedTogether }
]

/**
 * Looks at everything that may say no, in the order of the batch. A phone is in a batch only once, so what is full is
 * full; money and quotas are shared by many of a batch, and where they do not suffice for all of them, each asks alone.
 * Nothing is locked for that: what others changed meanwhile shows when it is counted.
 */
const checkedAdmission = (rows: string, hasQuotas: boolean) => `
  judged as materialized (
    select r.*, case
        when not ${currentSetUp.condition} then 'set_up_changed'
        when p.hour_used >= r.hour and r.hour > 0 and p.hour_ends_at > r.now then 'phone_hour'
        when p.day_used >= r.day and r.day > 0 and p.day_ends_at > r.now then 'phone_day'
        when o.day_used >= r.platform_day and o.day_ends_at > r.now then 'platform_day'
        when r.hold > 0 and coalesce(w.balance - w.held < r.held_together, true) then 'ask_alone'
        ${hasQuotas ? "when r.quota > 0 and coalesce(q.used, 0) + r.counted_together > r.quota then 'ask_alone'" : ""}
        when k.key is not null then 'key_taken' end as verdict,
      p.hour_ends_at, p.day_ends_at, o.day_ends_at as platform_day_ends_at
    from ${rows}
    ${currentSetUp.join}
    left join phone_counters p on p.customer_id = r.customer_id and p.kind = 'code' and p.phone = r.phone
      and (r.hour > 0 or r.day > 0)
    left join platform_phone_counters o on o.phone = r.phone and r.platform_day > 0
    left join wallets w on w.customer_id = r.customer_id and w.stripe = r.stripe and r.hold > 0
    ${hasQuotas ? "left join monthly_counters q on q.customer_id = r.customer_id and q.month = r.month and r.quota > 0" : ""}
    left join idempotency_keys k on k.customer_id = r.customer_id and k.operation = '${SEND_OPERATION}'
      and k.key = r.key and k.expires_at > r.now)`

/** Takes all requests with a current set-up for admitted; the counts that are returned show whether they are. */
const optimisticAdmission = (rows: string) => `
  judged as materialized (
    select r.*, case when not ${currentSetUp.condition} then 'set_up_changed' end as verdict
    from ${rows} ${currentSetUp.join})`

const QUOTA_COUNTED = `
  quota_counted as (
    insert into monthly_counters as q (customer_id, month, used)
    select customer_id, month, count(*) from judged where verdict is null and quota > 0 group by 1, 2 order by 1, 2
    on conflict (customer_id, month) do update set used = q.used + excluded.used
    returning customer_id, month, used),`

const TAKES_OVER_LAPSED_KEYS = `
    on conflict (customer_id, operation, key) do update set fingerprint = excluded.fingerprint,
      subject = excluded.subject, expires_at = excluded.expires_at
    where k.expires_at <= (select max(now) from judged)`

/** Counts what was admitted, and keeps it. */
const writes = ({ mode, timerKind, hasQuotas, checksFirst }: AcceptShape) => `
  claimed as (
    insert into idempotency_keys as k (customer_id, operation, key, fingerprint, subject, expires_at)
    select customer_id, '${SEND_OPERATION}', key, fingerprint, id, key_until
    from judged where verdict is null and key is not null
    ${checksFirst ? TAKES_OVER_LAPSED_KEYS : ""}
    returning true),
  phone_counted as (
    insert into phone_counters as p (customer_id, kind, phone, hour_ends_at, hour_used, day_ends_at, day_used)
    select customer_id, 'code', phone, now + interval '1 hour', 1, now + interval '24 hours', 1
    from judged where verdict is null and (hour > 0 or day > 0)
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
    select phone, now + interval '24 hours', 1 from judged where verdict is null and platform_day > 0
    on conflict (phone) do update set
      day_used = case when p.day_ends_at > excluded.day_ends_at - interval '24 hours' then p.day_used + 1 else 1 end,
      day_ends_at = case when p.day_ends_at > excluded.day_ends_at - interval '24 hours'
        then p.day_ends_at else excluded.day_ends_at end
    returning phone, day_used),
  ${hasQuotas ? QUOTA_COUNTED : ""}
  holds as materialized (
    select customer_id, stripe, sum(hold)::bigint as total from judged where verdict is null and hold > 0
    group by 1, 2 order by 1, 2),
  held as (
    update wallets w set held = w.held + h.total from holds h
    where w.customer_id = h.customer_id and w.stripe = h.stripe and w.balance - w.held >= h.total
    returning true),
  verification as (
    insert into verifications (customer_id, id, mode, phone, status, revision, route, text_body, attempts,
      remaining, next_step_at, code_hash, sealed_code, created_at, expires_at, held)
    select customer_id, id, '${mode}', phone, status, revision, route::jsonb, text_body, '[]', remaining::int[],
      now, code_hash, sealed_code, now, expires_at, hold from judged where verdict is null),
  timer as (
    insert into timers (customer_id, kind, subject, claimable_at, lease_token)
    select customer_id, '${timerKind}', id, lease_until, lease_token from judged where verdict is null)`

/** Whether there is less than was taken for granted: others claimed, counted or spent since the look, or there was none. */
const isRaced = (hasQuotas: boolean, checksFirst: boolean) => `
  ${checksFirst ? "" : "exists (select from judged where verdict is not null) or"}
  (select count(*) from claimed) <> (select count(*) from judged where verdict is null and key is not null)
  or (select count(*) from held) <> (select count(*) from holds)
  or exists (select from phone_counted c join judged a on a.customer_id = c.customer_id and a.phone = c.phone
    where (c.hour_used > 1 or c.day_used > 1) and (a.hour > 0 and c.hour_used > a.hour or a.day > 0 and c.day_used > a.day))
  or exists (select from platform_counted c join judged a on a.phone = c.phone
    where c.day_used > 1 and c.day_used > a.platform_day)
  ${
    hasQuotas
      ? `or exists (select from quota_counted c join judged a on a.customer_id = c.customer_id and a.month = c.month
          where a.quota > 0 and c.used > a.quota)`
      : ""
  }`

const exceptions = `(
  select json_agg(json_build_object('nth', nth, 'reason', verdict, 'until', (extract(epoch from case verdict
    when 'phone_hour' then hour_ends_at when 'phone_day' then day_ends_at
    when 'platform_day' then platform_day_ends_at end) * 1000)::bigint))
  from judged where verdict is not null)`

const sourceOf = ({ hasQuotas, checksFirst }: AcceptShape) => {
  const needed = hasQuotas ? [...columns, ...quotaColumns] : columns
  if (!checksFirst) return batchSource(needed)
  const { rows, parameters } = batchSource<AcceptRow>([...needed, ...lookColumns])
  return { rows, parameters: (acceptances: ReadonlyArray<Acceptance>) => parameters(withShares(acceptances)) }
}

/** The statement of one shape, and its parameters. It fails as a race does where counting says that a verdict was wrong. */
export const acceptStatement = (shape: AcceptShape) => {
  const { hasQuotas, checksFirst } = shape
  const { rows, parameters } = sourceOf(shape)
  const text = `
    with ${checksFirst ? checkedAdmission(rows, hasQuotas) : optimisticAdmission(rows)}, ${writes(shape)}
    select case when ${isRaced(hasQuotas, checksFirst)} then try_again() end as raced ${checksFirst ? `, ${exceptions} as exceptions` : ""}`
  return { text, parameters }
}
