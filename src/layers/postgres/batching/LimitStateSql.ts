import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { AdmissionError } from "../../../domain/Errors.ts"
import { holdInStripes, stripeOf } from "../../../domain/money/Charging.ts"
import { type Admission, admitInOrder, type LimitState } from "../../../domain/customer/Admission.ts"
import { monthOf } from "../../../domain/money/Quota.ts"
import type { Instant } from "../../../domain/Instant.ts"
import type { Phone } from "../../../domain/Phone.ts"
import type { KnownSetUp } from "../../../services/verification/VerificationStore.ts"
import { currentSetUp } from "../SetUpCache.ts"
import { SetUpIsApart } from "../SetUpPlace.ts"
import { type BatchColumn, batchSource, decodedAs, InstantColumn, RialsColumn } from "../SqlRows.ts"
import { type AdmittedKind, limitColumns } from "./AdmissionCounts.ts"
import { changedSetUps } from "./SetUpApartSql.ts"
import { rowStatement, sent } from "./RowStatements.ts"
import type { PlatformCount } from "./PlatformCountsSql.ts"

/** A request to send one code or message, and what refuses it. */
export interface LimitedRequest {
  readonly id: string
  readonly customerId: number
  readonly phone: Phone
  readonly createdAt: Instant
  readonly admission: Admission
  readonly setUpVersion: KnownSetUp
  readonly key: string | null
  /** What was counted of the phone, if that was before. */
  readonly platform: PlatformCount | null
}

/** The result of one request; null: it is admitted. */
export type Verdict = AdmissionError | "set_up_changed" | "key_taken" | null

const columns: ReadonlyArray<BatchColumn<LimitedRequest>> = [
  { name: "customer_id", type: "int4", of: ({ customerId }) => customerId },
  { name: "phone", type: "text", of: ({ phone }) => phone },
  { name: "now", type: "timestamptz", of: ({ createdAt }) => createdAt },
  { name: "key", type: "text", of: ({ key }) => key },
  { name: "quota", type: "int4", of: ({ admission }) => admission.monthlyQuota },
  { name: "month", type: "date", of: ({ createdAt }) => monthOf(createdAt).start },
  ...limitColumns
]

const source = batchSource(columns)

/**
 * The counters of the requests `r`. Locked in one order, so that two transactions never wait for each other: phones, the
 * platform's, months; each part waits for the one before.
 */
const counterParts = (kind: AdmittedKind, isLocking: boolean): string => {
  const lock = (alias: string, order: string) => (isLocking ? `order by ${order} for update of ${alias}` : "")
  const after = (part: string) => (isLocking ? `where (select count(*) from ${part}) >= 0` : "")
  return `
  phones as materialized (
    select p.* from (select distinct customer_id, phone from r where hour > 0 or day > 0) a
      join phone_counters p on p.customer_id = a.customer_id and p.kind = '${kind}' and p.phone = a.phone
    ${lock("p", "p.phone, p.customer_id")}),
  platform as materialized (
    select o.* from (select distinct phone from r where platform_day > 0 or callers > 0) a
      join platform_phone_counters o on o.phone = a.phone
    ${after("phones")} ${lock("o", "o.phone")}),
  months as materialized (
    select q.* from (select distinct customer_id, month from r where quota > 0) a
      join monthly_counters q on q.customer_id = a.customer_id and q.month = a.month
    ${after("platform")} ${lock("q", "q.customer_id, q.month")})`
}

const StateRow = Schema.Struct({
  nth: Schema.Int,
  isCurrent: Schema.Boolean,
  isKeyTaken: Schema.Boolean,
  hourUsed: Schema.NullOr(Schema.Int),
  hourEndsAt: Schema.NullOr(InstantColumn),
  dayUsed: Schema.NullOr(Schema.Int),
  dayEndsAt: Schema.NullOr(InstantColumn),
  platformDayUsed: Schema.NullOr(Schema.Int),
  platformDayEndsAt: Schema.NullOr(InstantColumn),
  callers: Schema.NullOr(Schema.Array(Schema.Int)),
  callersUntil: Schema.NullOr(InstantColumn),
  usedThisMonth: Schema.Int
})
const StripeRow = Schema.Struct({
  customerId: Schema.Int,
  stripe: Schema.Int,
  balance: RialsColumn,
  held: RialsColumn
})
type StripeRow = typeof StripeRow.Type

/** What was counted with the customer's rows. */
const countsApart = (kind: AdmittedKind, operation: string, isLocking: boolean) => {
  const lock = (alias: string, order: string) => (isLocking ? `order by ${order} for update of ${alias}` : "")
  return rowStatement(
    columns,
    (rows) => `
  with r as materialized (select * from ${rows}),
  phones as materialized (
    select p.* from (select distinct customer_id, phone from r where hour > 0 or day > 0) a
      join phone_counters p on p.customer_id = a.customer_id and p.kind = '${kind}' and p.phone = a.phone
    ${lock("p", "p.phone, p.customer_id")}),
  months as materialized (
    select q.* from (select distinct customer_id, month from r where quota > 0) a
      join monthly_counters q on q.customer_id = a.customer_id and q.month = a.month
    ${isLocking ? "where (select count(*) from phones) >= 0" : ""} ${lock("q", "q.customer_id, q.month")})
  select r.nth, exists (select from idempotency_keys k where k.customer_id = r.customer_id
      and k.operation = '${operation}' and k.key = r.key and k.expires_at > r.now) as "isKeyTaken",
    p.hour_used as "hourUsed", p.hour_ends_at as "hourEndsAt", p.day_used as "dayUsed", p.day_ends_at as "dayEndsAt",
    coalesce(q.used, 0) as "usedThisMonth"
  from r
    left join phones p on p.customer_id = r.customer_id and p.phone = r.phone
    left join months q on q.customer_id = r.customer_id and q.month = r.month
  order by r.nth`
  )
}

const CountRows = Schema.Array(
  Schema.Struct({
    nth: Schema.Int,
    isKeyTaken: Schema.Boolean,
    hourUsed: StateRow.fields.hourUsed,
    hourEndsAt: StateRow.fields.hourEndsAt,
    dayUsed: StateRow.fields.dayUsed,
    dayEndsAt: StateRow.fields.dayEndsAt,
    usedThisMonth: Schema.Int
  })
)

/** Counted before, with this request. */
const platformColumns = (platform: PlatformCount | null) => ({
  platformDayUsed: platform === null ? null : platform.dayUsed - 1,
  platformDayEndsAt: platform?.dayEndsAt ?? null,
  callers: platform?.callers.customers ?? null,
  callersUntil: platform?.callers.endsAt ?? null
})

type ReadsState = (
  sql: SqlClient.SqlClient,
  requests: ReadonlyArray<LimitedRequest>,
  mode: "read" | "lock"
) => Effect.Effect<ReadonlyArray<typeof StateRow.Type>, SqlError.SqlError>

/** Reads the set-up by a statement of its own, and the counters in the order in which the single statement locks. */
const statesApart = (kind: AdmittedKind, operation: string): ReadsState => {
  const counts = { read: countsApart(kind, operation, false), lock: countsApart(kind, operation, true) }
  const countRows = decodedAs(CountRows)
  return Effect.fnUntraced(function* (sql, requests, mode) {
    const changed = yield* changedSetUps(sql, requests)
    const counted = yield* countRows(sent(counts[mode], requests)(sql))
    return counted.map((row, index) => ({
      ...row,
      ...platformColumns(requests[index]?.platform ?? null),
      isCurrent: !changed.has(row.nth)
    }))
  })
}

const statesTogether = (kind: AdmittedKind, operation: string): ReadsState => {
  const texts = { read: stateText(kind, operation, false), lock: stateText(kind, operation, true) }
  const stateRows = decodedAs(Schema.Array(StateRow))
  return (sql, requests, mode) => stateRows(sql.unsafe(texts[mode], source.parameters(requests)))
}

/** Reads what was counted before requests, or locks it until the transaction ends. */
const stateText = (kind: AdmittedKind, operation: string, isLocking: boolean): string => `
  with r as materialized (select * from ${source.rows}), ${counterParts(kind, isLocking)}
  select r.nth, ${currentSetUp.condition} as "isCurrent",
    exists (select from idempotency_keys k where k.customer_id = r.customer_id and k.operation = '${operation}'
      and k.key = r.key and k.expires_at > r.now) as "isKeyTaken",
    p.hour_used as "hourUsed", p.hour_ends_at as "hourEndsAt", p.day_used as "dayUsed", p.day_ends_at as "dayEndsAt",
    o.day_used as "platformDayUsed", o.day_ends_at as "platformDayEndsAt", o.callers, o.callers_until as "callersUntil",
    coalesce(q.used, 0) as "usedThisMonth"
  from r ${currentSetUp.join}
    left join phones p on p.customer_id = r.customer_id and p.phone = r.phone
    left join platform o on o.phone = r.phone
    left join months q on q.customer_id = r.customer_id and q.month = r.month
  order by r.nth`

const stripesText = (isLocking: boolean): string => `
  select customer_id as "customerId", stripe, balance, held from wallets where customer_id = any($1::int[])
  ${isLocking ? "order by customer_id, stripe for update" : ""}`

const windowOf = (used: number | null, endsAt: Instant | null) =>
  used === null || endsAt === null ? null : { used, endsAt }

const stateOf = (row: typeof StateRow.Type): LimitState => ({
  hour: windowOf(row.hourUsed, row.hourEndsAt),
  day: windowOf(row.dayUsed, row.dayEndsAt),
  platformDay: windowOf(row.platformDayUsed, row.platformDayEndsAt),
  callers:
    row.callers === null || row.callersUntil === null
      ? null
      : { customers: row.callers, endsAt: row.callersUntil },
  usedThisMonth: row.usedThisMonth
})

const ENOUGH = () => Number.MAX_SAFE_INTEGER

const availableIn = (stripes: ReadonlyArray<StripeRow>) => {
  const sums = new Map<number, number>()
  for (const { customerId, balance, held } of stripes) {
    sums.set(customerId, (sums.get(customerId) ?? 0) + balance - held)
  }
  return (customerId: number) => sums.get(customerId) ?? 0
}

/** What may be admitted of some requests, with the wallets that pay for it. */
interface Decision {
  readonly verdicts: ReadonlyArray<Verdict>
  readonly stripes: ReadonlyArray<StripeRow>
}

/**
 * Decides about requests that came together, in their order, by what the store has counted. Without locks, others may
 * count meanwhile. With locks, nobody can until the transaction ends, except in counters that do not exist yet.
 */
export const makeDecide = Effect.fnUntraced(function* (kind: AdmittedKind, operation: string) {
  const readStates = (yield* SetUpIsApart) ? statesApart(kind, operation) : statesTogether(kind, operation)
  const stripeRows = decodedAs(Schema.Array(StripeRow))

  return Effect.fnUntraced(function* (
    sql: SqlClient.SqlClient,
    requests: ReadonlyArray<LimitedRequest>,
    mode: "read" | "lock"
  ): Effect.fn.Return<Decision, SqlError.SqlError> {
    if (requests.length === 0) return { verdicts: [], stripes: [] }
    const rows = yield* readStates(sql, requests, mode)
    const verdicts: Array<Verdict> = rows.map(({ isCurrent, isKeyTaken }) =>
      isCurrent ? (isKeyTaken ? "key_taken" : null) : "set_up_changed"
    )
    const undecided = requests.flatMap((request, nth) => {
      const row = rows[nth]
      if (row === undefined || verdicts[nth] !== null) return []
      return [{ nth, ...request, now: request.createdAt, state: stateOf(row) }]
    })
    const refuse = (available: (customerId: number) => number) => {
      const refusals = admitInOrder(undecided, available)
      undecided.forEach(({ nth }, index) => (verdicts[nth] = refusals[index] ?? null))
    }
    refuse(ENOUGH)
    const payers = new Set(
      undecided
        .filter(({ nth, admission }) => verdicts[nth] === null && admission.hold > 0)
        .map(({ customerId }) => customerId)
    )
    if (payers.size === 0) return { verdicts, stripes: [] }
    const stripes = yield* stripeRows(sql.unsafe(stripesText(mode === "lock"), [[...payers]]))
    refuse(availableIn(stripes))
    return { verdicts, stripes }
  })
})

/** Spreads locked wallets over their stripes again where a stripe does not cover what the requests hold in it. */
export const spreadWallets = (
  sql: SqlClient.SqlClient,
  stripes: ReadonlyArray<StripeRow>,
  admitted: ReadonlyArray<LimitedRequest>
): Effect.Effect<void, SqlError.SqlError> => {
  const amounts = new Map<number, Map<number, number>>()
  for (const { customerId, id, admission } of admitted) {
    const ofCustomer = amounts.get(customerId) ?? new Map<number, number>()
    ofCustomer.set(stripeOf(id), (ofCustomer.get(stripeOf(id)) ?? 0) + admission.hold)
    amounts.set(customerId, ofCustomer)
  }
  const changed = [...amounts].flatMap(([customerId, ofCustomer]) => {
    const wallet = stripes.filter((stripe) => stripe.customerId === customerId)
    const after = holdInStripes(wallet, ofCustomer)
    return wallet.flatMap((before, nth) => {
      const balance = after[nth]?.balance ?? before.balance
      return balance === before.balance ? [] : [{ ...before, balance }]
    })
  })
  if (changed.length === 0) return Effect.void
  return Effect.asVoid(sql`
    update wallets w set balance = r.balance
    from unnest(${changed.map(({ customerId }) => customerId)}::int[],
      ${changed.map(({ stripe }) => stripe)}::smallint[],
      ${changed.map(({ balance }) => BigInt(balance))}::bigint[]) as r (customer_id, stripe, balance)
    where w.customer_id = r.customer_id and w.stripe = r.stripe`)
}
