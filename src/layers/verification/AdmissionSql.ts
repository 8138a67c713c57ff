import { DateTime, Effect, Schema } from "effect"
import { type SqlClient, SqlError, type Statement } from "effect/sql"
import { type Admission, DAY_MILLIS, HOUR_MILLIS, retryAfterSeconds } from "../../domain/people/Admission.ts"
import { stripeOf } from "../../domain/money/Charging.ts"
import {
  type AdmissionError,
  InsufficientBalance,
  QuotaExceeded,
  TooManyRequestsPhoneDay,
  TooManyRequestsPhoneHour
} from "../../domain/Errors.ts"
import type { Instant } from "../../domain/Instant.ts"
import type { Phone } from "../../domain/Phone.ts"
import { SetUpChanged } from "../../services/customer/SetUpChanged.ts"
import type { KnownSetUp } from "../../services/verification/VerificationStore.ts"
import { currentSetUp } from "../postgres/cache/SetUpVersions.ts"
import { InstantColumn, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { covers, gatherInto } from "../customer/WalletSql.ts"

/** What is to be admitted. Codes and messages to one phone are counted apart. */
export interface AdmissionRequest {
  readonly kind: "code" | "message"
  readonly id: string
  readonly customerId: number
  readonly phone: Phone
  readonly now: Instant
  readonly admission: Admission
  /** What it was prepared with; refused where the store has another one. */
  readonly setUpVersion: KnownSetUp
}

const Reason = Schema.Literals([
  "set_up_changed",
  "phone_hour",
  "phone_day",
  "platform_day",
  "quota",
  "wallet"
])

/** The columns that the statement's last `select` has to have. */
const VerdictRow = Schema.Struct({
  reason: Schema.NullOr(Reason),
  until: Schema.NullOr(InstantColumn),
  accepted: Schema.Boolean
})
type Verdict = typeof VerdictRow.Type

/** The calendar month, in UTC, that a request is counted in: its first day, and when the next begins. */
export const monthOf = (now: Instant) => {
  const start = DateTime.startOf(DateTime.makeUnsafe(now), "month")
  return {
    start: DateTime.formatIsoDateUtc(start),
    end: DateTime.toEpochMillis(DateTime.add(start, { months: 1 }))
  }
}

/** One thing that may say no: how it is looked at under a lock, when it refuses, and how it is counted. */
interface Gate {
  /** The name of the part that locks. */
  readonly locked: string
  readonly lock: Statement.Fragment
  /** `when <condition> then row(<reason>, <until>)` */
  readonly refusals: ReadonlyArray<Statement.Fragment>
  readonly count: Statement.Fragment
  /** The name of the counting part: without a row, somebody was faster. */
  readonly counted: string
}

const phoneGate = (sql: SqlClient.SqlClient, request: AdmissionRequest): ReadonlyArray<Gate> => {
  const { kind, customerId, phone, admission } = request
  const { hour, day } = admission.phone
  if (hour === 0 && day === 0) return []
  const now = timestamp(request.now)
  const hourIsFull = sql`p.hour_ends_at > ${now}::timestamptz and ${hour}::int > 0 and p.hour_used >= ${hour}::int`
  const dayIsFull = sql`p.day_ends_at > ${now}::timestamptz and ${day}::int > 0 and p.day_used >= ${day}::int`
  return [
    {
      locked: "phone",
      lock: sql`phone as materialized (select * from phone_counters
        where customer_id = ${customerId} and kind = ${kind} and phone = ${phone} for update)`,
      refusals: [
        sql`select 'phone_hour' as reason, p.hour_ends_at as until from phone p where ${hourIsFull}`,
        sql`select 'phone_day', p.day_ends_at from phone p where ${dayIsFull}`
      ],
      count: sql`phone_counted as (
        insert into phone_counters as p (customer_id, kind, phone, hour_ends_at, hour_used, day_ends_at, day_used)
        select ${customerId}::int, ${kind}, ${phone}, ${timestamp(request.now + HOUR_MILLIS)}::timestamptz, 1,
          ${timestamp(request.now + DAY_MILLIS)}::timestamptz, 1 from claimed
        on conflict (customer_id, kind, phone) do update set
          hour_used = case when p.hour_ends_at > ${now} then p.hour_used + 1 else 1 end,
          hour_ends_at = case when p.hour_ends_at > ${now} then p.hour_ends_at else excluded.hour_ends_at end,
          day_used = case when p.day_ends_at > ${now} then p.day_used + 1 else 1 end,
          day_ends_at = case when p.day_ends_at > ${now} then p.day_ends_at else excluded.day_ends_at end
        where not (${hourIsFull}) and not (${dayIsFull})
        returning true)`,
      counted: "phone_counted"
    }
  ]
}

const platformGate = (sql: SqlClient.SqlClient, request: AdmissionRequest): ReadonlyArray<Gate> => {
  const { phone, admission } = request
  const day = admission.phone.platformDay
  if (day === 0) return []
  const now = timestamp(request.now)
  const isFull = sql`p.day_ends_at > ${now}::timestamptz and p.day_used >= ${day}::int`
  return [
    {
      locked: "platform",
      lock: sql`platform as materialized (select * from platform_phone_counters where phone = ${phone} for update)`,
      refusals: [
        sql`select 'platform_day' as reason, p.day_ends_at as until from platform p where ${isFull}`
      ],
      count: sql`platform_counted as (
        insert into platform_phone_counters as p (phone, day_ends_at, day_used)
        select ${phone}, ${timestamp(request.now + DAY_MILLIS)}::timestamptz, 1 from claimed
        on conflict (phone) do update set
          day_used = case when p.day_ends_at > ${now} then p.day_used + 1 else 1 end,
          day_ends_at = case when p.day_ends_at > ${now} then p.day_ends_at else excluded.day_ends_at end
        where not (${isFull})
        returning true)`,
      counted: "platform_counted"
    }
  ]
}

const quotaGate = (sql: SqlClient.SqlClient, request: AdmissionRequest): ReadonlyArray<Gate> => {
  const { customerId, admission } = request
  if (admission.monthlyQuota === 0) return []
  const { start, end } = monthOf(request.now)
  return [
    {
      locked: "quota",
      lock: sql`quota as materialized (select * from monthly_counters
        where customer_id = ${customerId} and month = ${start}::date for update)`,
      refusals: [
        sql`select 'quota' as reason, ${timestamp(end)}::timestamptz as until from quota q
          where q.used >= ${admission.monthlyQuota}::int`
      ],
      count: sql`quota_counted as (
        insert into monthly_counters as q (customer_id, month, used)
        select ${customerId}::int, ${start}::date, 1 from claimed
        on conflict (customer_id, month) do update set used = q.used + 1
        where q.used < ${admission.monthlyQuota}::int
        returning true)`,
      counted: "quota_counted"
    }
  ]
}

const walletGate = (sql: SqlClient.SqlClient, request: AdmissionRequest): ReadonlyArray<Gate> => {
  const { id, customerId, admission } = request
  const { hold } = admission
  if (hold === 0) return []
  const stripe = stripeOf(id)
  return [
    {
      locked: "wallet",
      lock: sql`wallet as materialized (select balance - held as available from wallets
        where customer_id = ${customerId} and stripe = ${stripe}::smallint for update)`,
      refusals: [
        sql`select 'wallet' as reason, null::timestamptz as until
          where not exists (select from wallet w where w.available >= ${hold}::bigint)`
      ],
      // PostgreSQL checks constraints on the row as the statement first saw it, which others may have changed before the
      // lock was ours: the condition makes of that a race, to be tried again, and not an error.
      count: sql`held as (
        update wallets w set held = w.held + ${hold}::bigint from claimed
        where w.customer_id = ${customerId} and w.stripe = ${stripe}::smallint and w.balance - w.held >= ${hold}::bigint
        returning true)`,
      counted: "held"
    }
  ]
}

const setUpRefusal = (sql: SqlClient.SqlClient, { customerId, setUpVersion }: AdmissionRequest) => sql`
  select 'set_up_changed' as reason, null::timestamptz as until
  from (select ${customerId}::int as customer_id, ${setUpVersion}::int as set_up) r
  ${sql.literal(currentSetUp.join)} where not ${sql.literal(currentSetUp.condition)}`

/**
 * The SQL by which the statement that accepts a request asks everything that may say no, under locks and in their order,
 * and counts it only when nothing does. Its `claimed` part has to read from `verdict` where `reason is null`, and all that
 * is made from `claimed`.
 */
export const admissionSql = (sql: SqlClient.SqlClient, request: AdmissionRequest) => {
  const gates = [phoneGate, platformGate, quotaGate, walletGate].flatMap((gate) => gate(sql, request))
  const refusals = [setUpRefusal(sql, request), ...gates.flatMap((gate) => gate.refusals)]
  const first = refusals.reduce<Statement.Fragment>(
    (all, refusal, nth) => sql`${all} union all (select ${nth}::int as nth, r.* from (${refusal}) r)`,
    sql`select null::int as nth, null::text as reason, null::timestamptz as until`
  )
  const isRaced = gates.reduce<Statement.Fragment>(
    (any, { counted }) => sql`${any} or not exists (select from ${sql(counted)})`,
    sql`false`
  )
  return {
    /** Parts before `claimed`. */
    verdict: gates.reduceRight<Statement.Fragment>(
      (rest, { lock }) => sql`${lock}, ${rest}`,
      sql`verdict as materialized (select reason, until from (${first}) refusals order by nth nulls last limit 1)`
    ),
    /** Parts after `claimed`, each with a comma before it. */
    counts: gates.reduce<Statement.Fragment>((all, { count }) => sql`${all}, ${count}`, sql``),
    /** The columns of a `VerdictRow`. */
    columns: sql`v.reason, v.until, exists (select from claimed) as accepted,
      case when exists (select from claimed) and (${isRaced}) then try_again() end as raced`
  }
}

/** What a phone's counter refuses with. */
export const phoneRefusal = (
  reason: "phone_hour" | "phone_day" | "platform_day",
  until: Instant | null,
  now: Instant
): AdmissionError => {
  const wait = { retryAfterSeconds: retryAfterSeconds(until ?? now, now) }
  return reason === "phone_hour" ? new TooManyRequestsPhoneHour(wait) : new TooManyRequestsPhoneDay(wait)
}

/** Locks what is locked before a wallet is: whoever took the wallet first would wait in a circle with who did not. */
const lockBeforeWallet = (sql: SqlClient.SqlClient, request: AdmissionRequest) => {
  const gates = [phoneGate, platformGate, quotaGate].flatMap((gate) => gate(sql, request))
  const [first, ...others] = gates
  if (first === undefined) return Effect.void
  const locks = others.reduce<Statement.Fragment>((all, { lock }) => sql`${all}, ${lock}`, first.lock)
  const counts = gates.map(({ locked }) => sql`exists (select from ${sql(locked)})`)
  return Effect.asVoid(sql`with ${locks} select ${sql.join(", ", false)(counts)}`)
}

/** Why a request was refused; undefined when it was not. */
const refusalOf = ({ reason, until }: Verdict, now: Instant): AdmissionError | SetUpChanged | undefined => {
  switch (reason) {
    case "set_up_changed":
      return new SetUpChanged()
    case "phone_hour":
    case "phone_day":
    case "platform_day":
      return phoneRefusal(reason, until, now)
    case "quota":
      return new QuotaExceeded({ retryAfterSeconds: retryAfterSeconds(until ?? now, now) })
    case "wallet":
      return new InsufficientBalance()
    case null:
      return undefined
  }
}

/** So often in a row a race is lost only when there is far too much going on: then the client is told to come again. */
const MAX_RACES = 20

/** Nothing was kept, and the next try may settle it. */
export const isRace = (error: unknown): boolean =>
  SqlError.isSqlError(error) &&
  (error.reason._tag === "SerializationError" || error.reason._tag === "DeadlockError")

/** A statement again, after a race that only the next try can settle. */
export const retryRaces = <A, E>(statement: Effect.Effect<A, E>): Effect.Effect<A, E> =>
  Effect.retry(statement, { while: isRace, times: MAX_RACES })

/**
 * Runs the accepting statement until it is clear: again after a race, and once more, with the whole wallet gathered and
 * locked for it, when the wallet's stripe did not cover the hold. False when the idempotency key was taken.
 */
export const runAdmission = (
  sql: SqlClient.SqlClient,
  request: AdmissionRequest,
  statement: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>
): Effect.Effect<boolean, AdmissionError | SetUpChanged> => {
  const verdictRows = rowsOf(VerdictRow)
  const ask = <E>(asking: Effect.Effect<ReadonlyArray<unknown>, E>) =>
    Effect.flatMap(verdictRows(retryRaces(asking)), ([verdict]) =>
      verdict === undefined
        ? Effect.die("the accepting statement returned no verdict")
        : Effect.succeed(verdict)
    )
  const { hold } = request.admission
  // In one transaction: between two, somebody else would gather it for himself, and so on for ever.
  const gathered = sql.withTransaction(
    lockBeforeWallet(sql, request).pipe(
      Effect.andThen(gatherInto(sql, hold, request)),
      Effect.andThen(statement)
    )
  )
  return Effect.gen(function* () {
    const verdict = yield* ask(statement)
    const isGathered = verdict.reason === "wallet" && (yield* covers(sql, hold, request.customerId))
    const settled = isGathered ? yield* ask(gathered) : verdict
    const refusal = refusalOf(settled, request.now)
    return refusal === undefined ? settled.accepted : yield* refusal
  })
}
