import { Effect, Schema } from "effect"
import type { SqlClient, SqlError, Statement } from "effect/sql"
import { type Admission, monthOf, retryAfterSeconds } from "../../domain/people/Admission.ts"
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
import type { TurnTaking } from "../postgres/citus/Turns.ts"
import { retryRaces } from "../postgres/Races.ts"
import type { AdmissionRule } from "./AdmissionRule.ts"
import { admissionRules, limitColumns, quotaColumn, type AdmittedKind } from "./AdmissionRules.ts"

/** A request to send one code or message. */
export interface AdmissionRequest {
  readonly kind: AdmittedKind
  readonly id: string
  readonly customerId: number
  readonly phone: Phone
  readonly now: Instant
  readonly admission: Admission
  /** The version that it was prepared with; it is refused if the store has another one. */
  readonly setUpVersion: KnownSetUp
}

const RULES = { code: admissionRules("code"), message: admissionRules("message") }

const Reason = Schema.Literals([
  "set_up_changed",
  "phone_hour",
  "phone_day",
  "platform_day",
  "bombed",
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

/** The request as the row `r` that the rules' conditions are about. It asks for itself alone. */
const requestRow = (sql: SqlClient.SqlClient, request: AdmissionRequest): Statement.Fragment => {
  const { id, customerId, phone, now, admission } = request
  const month = monthOf(now)
  const limits = [...limitColumns, quotaColumn].map(
    ({ name, type, of }) => sql`${of(request, 0)}::${sql.literal(`${type} as ${name}`)}`
  )
  return sql`r as not materialized (
    select ${customerId}::int as customer_id, ${phone} as phone, ${timestamp(now)}::timestamptz as now,
      ${stripeOf(id)}::smallint as stripe, ${month.start}::date as month, ${timestamp(month.end)}::timestamptz as month_ends_at,
      ${admission.hold}::bigint as held_together, 1 as counted_together, ${sql.csv(limits)})`
}

const rulesFor = ({ kind, admission }: AdmissionRequest): ReadonlyArray<AdmissionRule> =>
  RULES[kind].filter(({ concerns }) => concerns(admission))

const lock = ({ name, alias, table, isRow }: AdmissionRule): string =>
  `${name} as materialized (select ${alias}.* from r join ${table} ${alias} on ${isRow} for update of ${alias})`

/** Each refusal reads what its rule has locked, and the first one counts. */
const verdict = (rules: ReadonlyArray<AdmissionRule>): string => {
  const refusals = rules.flatMap(({ name, alias, refusals }) =>
    refusals.map(({ reason, when, until }) => ({
      reason,
      until,
      from: `r left join ${name} ${alias} on true where ${when}`
    }))
  )
  const setUp = `r ${currentSetUp.join} where not ${currentSetUp.condition}`
  const all = [{ reason: "set_up_changed", until: "null::timestamptz", from: setUp }, ...refusals]
  return `verdict as materialized (
    select reason, until from (
      select null::int as nth, null::text as reason, null::timestamptz as until
      ${all.map(({ reason, until, from }, nth) => `union all select ${nth}, '${reason}', ${until} from ${from}`).join("\n      ")}
    ) refusals order by nth nulls last limit 1)`
}

/**
 * The SQL by which the statement that accepts one request asks everything that may refuse it, under locks and in
 * order, and counts it only when nothing does. Its `claimed` part has to read from `verdict` where `reason is null`,
 * and all that is made from `claimed`.
 */
export const admissionSql = (sql: SqlClient.SqlClient, request: AdmissionRequest) => {
  const rules = rulesFor(request)
  const isRaced = ["false", ...rules.map(({ isExceeded }) => isExceeded("r"))].join(" or ")
  const counts = rules.map(({ count }) => `, ${count("r where exists (select from claimed)")}`)
  return {
    /** Parts before `claimed`. */
    verdict: sql`${requestRow(sql, request)}, ${sql.literal([...rules.map(lock), verdict(rules)].join(", "))}`,
    /** Parts after `claimed`, each with a comma before it. */
    counts: sql.literal(counts.join("")),
    /** The columns of a `VerdictRow`. */
    columns: sql.literal(`v.reason, v.until, exists (select from claimed) as accepted,
      case when ${isRaced} then raise_race() end as raced`)
  }
}

/** The error of a phone's full counter. */
export const phoneRefusal = (
  reason: "phone_hour" | "phone_day" | "platform_day" | "bombed",
  until: Instant | null,
  now: Instant
): AdmissionError => {
  const wait = { retryAfterSeconds: retryAfterSeconds(until ?? now, now) }
  if (reason === "bombed") return new TooManyRequestsPhoneHour({ ...wait, isBombed: true })
  return reason === "phone_hour" ? new TooManyRequestsPhoneHour(wait) : new TooManyRequestsPhoneDay(wait)
}

/** Locks everything before the wallet. A request that locked the wallet first could deadlock with others. */
const lockBeforeWallet = (sql: SqlClient.SqlClient, request: AdmissionRequest) => {
  const rules = rulesFor(request).filter(({ name }) => name !== "wallet")
  if (rules.length === 0) return Effect.void
  const locked = rules.map(({ name }) => `exists (select from ${name})`)
  return Effect.asVoid(
    sql`with ${requestRow(sql, request)}, ${sql.literal(`${rules.map(lock).join(", ")} select ${locked.join(", ")}`)}`
  )
}

/** Why a request was refused; undefined if it was not. */
const refusalOf = ({ reason, until }: Verdict, now: Instant): AdmissionError | SetUpChanged | undefined => {
  switch (reason) {
    case "set_up_changed":
      return new SetUpChanged()
    case "phone_hour":
    case "phone_day":
    case "platform_day":
    case "bombed":
      return phoneRefusal(reason, until, now)
    case "quota":
      return new QuotaExceeded({ retryAfterSeconds: retryAfterSeconds(until ?? now, now) })
    case "wallet":
      return new InsufficientBalance()
    case null:
      return undefined
  }
}

/**
 * Runs the accepting statement until its answer is final. It is repeated after a lost race; and once more, with the
 * whole wallet locked and gathered for it, when the wallet's stripe did not cover the hold. False when the key was
 * taken.
 */
export const runAdmission = (
  { sql, takeTurn }: TurnTaking,
  request: AdmissionRequest,
  statement: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>
): Effect.Effect<boolean, AdmissionError | SetUpChanged> => {
  const verdictRows = rowsOf(VerdictRow)
  const ask = (asking: Effect.Effect<ReadonlyArray<unknown>, SqlError.SqlError>) =>
    Effect.flatMap(verdictRows(retryRaces(asking)), ([verdict]) =>
      verdict === undefined
        ? Effect.die("the accepting statement returned no verdict")
        : Effect.succeed(verdict)
    )
  const { hold } = request.admission
  // In one transaction: between two, another request would gather it for itself, and so on forever.
  const gathered = sql.withTransaction(
    lockBeforeWallet(sql, request).pipe(
      Effect.andThen(gatherInto(sql, hold, request)),
      Effect.andThen(statement)
    )
  )
  return Effect.gen(function* () {
    const verdict = yield* ask(statement)
    const isGathered = verdict.reason === "wallet" && (yield* covers(sql, hold, request.customerId))
    const settled = isGathered ? yield* ask(takeTurn(sql, () => [request.customerId], gathered)) : verdict
    const refusal = refusalOf(settled, request.now)
    return refusal === undefined ? settled.accepted : yield* refusal
  })
}
