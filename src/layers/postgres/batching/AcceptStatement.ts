import { stripeOf, WALLET_STRIPES } from "../../../domain/money/Charging.ts"
import { monthOf } from "../../../domain/people/Admission.ts"
import type { KeyMode } from "../../../domain/people/Customer.ts"
import type { Route } from "../../../domain/routing/Route.ts"
import type { TimerKind } from "../../../domain/Timer.ts"
import type { Acceptance } from "../../../services/verification/VerificationStore.ts"
import type { AdmissionRule } from "../../verification/AdmissionRule.ts"
import { admissionRules, limitColumns, quotaColumn } from "../../verification/AdmissionRules.ts"
import { currentSetUp } from "../cache/SetUpVersions.ts"
import { type BatchColumn, batchSource, intArrayText, jsonText } from "./BatchColumns.ts"

export const SEND_OPERATION = "otp.send"

/** The parts of the statement that a batch needs. */
export interface AcceptShape {
  readonly mode: KeyMode
  readonly timerKind: TimerKind
  readonly hasQuotas: boolean
  readonly hasExtras: boolean
  /**
   * Whether it checks first what can refuse a request, and reports who is refused. Else one refusal refuses all of
   * it.
   */
  readonly checksFirst: boolean
}

/** A request of a batch, with the total that the batch asks of its money and its quota. */
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
  { name: "stripe", type: "int2", of: ({ verification }) => stripeOf(verification.id) },
  ...limitColumns
]

/** Only in a batch with a customer that has a quota: the sends of others are not counted. */
const quotaColumns: ReadonlyArray<BatchColumn<Acceptance>> = [
  quotaColumn,
  {
    name: "month",
    type: "date",
    of: ({ verification, admission }) =>
      admission.monthlyQuota === 0 ? null : monthOf(verification.createdAt).start
  }
]

/** Parts that few requests have; those requests use a statement of their own. */
const extraColumns: ReadonlyArray<BatchColumn<Acceptance>> = [
  { name: "metadata", type: "text", of: ({ verification }) => verification.metadata },
  { name: "text_locale", type: "text", of: ({ verification }) => verification.textLocale },
  { name: "client", type: "text", of: ({ client }) => (client === null ? null : JSON.stringify(client)) },
  { name: "guard", type: "text", of: ({ guardMark }) => guardMark }
]

export const hasExtras = ({
  verification: { metadata, textLocale },
  client,
  guardMark
}: Acceptance): boolean => metadata !== null || textLocale !== null || client !== null || guardMark !== null

const lookColumns: ReadonlyArray<BatchColumn<AcceptRow>> = [
  { name: "held_together", type: "int8", of: ({ heldTogether }) => BigInt(heldTogether) },
  { name: "counted_together", type: "int4", of: ({ countedTogether }) => countedTogether }
]

const RULES = admissionRules("code")

const rulesOf = ({ hasQuotas }: AcceptShape): ReadonlyArray<AdmissionRule> =>
  RULES.filter(({ name }) => name !== "quota" || hasQuotas)

/** Requests share a row that does not cover all of them: each is repeated alone. */
const refusalsOf = (rules: ReadonlyArray<AdmissionRule>): ReadonlyArray<string> =>
  rules.flatMap(({ isShared, refusals }) =>
    refusals.map(({ reason, when }) => `when ${when} then '${isShared ? "ask_alone" : reason}'`)
  )

/** Refusals whose end is reported with them. */
const endsOf = (rules: ReadonlyArray<AdmissionRule>) =>
  rules.flatMap(({ isShared, refusals }) => (isShared ? [] : refusals))

/**
 * Checks every rule, in their order. Nothing is locked for that: the counting shows what others changed
 * meanwhile.
 */
const checkedAdmission = (rows: string, rules: ReadonlyArray<AdmissionRule>) => `
  judged as materialized (
    select r.*, case
        when not ${currentSetUp.condition} then 'set_up_changed'
        ${refusalsOf(rules).join("\n        ")}
        when k.key is not null then 'key_taken' end as verdict,
      ${endsOf(rules)
        .map(({ reason, until }) => `${until} as ${reason}_until`)
        .join(", ")}
    from ${rows}
    ${currentSetUp.join}
    ${rules
      .map(({ table, alias, isRow, limits }) => {
        const isConcerned = limits.map((limit) => `r.${limit} > 0`).join(" or ")
        return `left join ${table} ${alias} on ${isRow} and (${isConcerned})`
      })
      .join("\n    ")}
    left join idempotency_keys k on k.customer_id = r.customer_id and k.operation = '${SEND_OPERATION}'
      and k.key = r.key and k.expires_at > r.now)`

/** Assumes that all requests with a current set-up are admitted; the returned counts show whether they are. */
const optimisticAdmission = (rows: string) => `
  judged as materialized (
    select r.*, case when not ${currentSetUp.condition} then 'set_up_changed' end as verdict
    from ${rows} ${currentSetUp.join})`

const TAKES_OVER_LAPSED_KEYS = `
    on conflict (customer_id, operation, key) do update set fingerprint = excluded.fingerprint,
      subject = excluded.subject, expires_at = excluded.expires_at
    where k.expires_at <= (select max(now) from judged)`

/** Counts and stores what was admitted. */
const writes = (shape: AcceptShape) => `
  claimed as (
    insert into idempotency_keys as k (customer_id, operation, key, fingerprint, subject, expires_at)
    select customer_id, '${SEND_OPERATION}', key, fingerprint, id, key_until
    from judged where verdict is null and key is not null
    ${shape.checksFirst ? TAKES_OVER_LAPSED_KEYS : ""}
    returning true),
${rulesOf(shape)
  .map(({ count }) => count("judged where verdict is null"))
  .join(",")},
  verification as (
    insert into verifications (customer_id, id, mode, phone, status, revision, route, text_body, attempts,
      remaining, next_step_at, code_hash, sealed_code, created_at, expires_at, held
      ${shape.hasExtras ? ", metadata, text_locale, client, guard" : ""})
    select customer_id, id, '${shape.mode}', phone, status, revision, route::jsonb, text_body, '[]', remaining::int[],
      now, code_hash, sealed_code, now, expires_at, hold ${shape.hasExtras ? ", metadata, text_locale, client::jsonb, guard" : ""}
    from judged where verdict is null),
  timer as (
    insert into timers (customer_id, kind, subject, claimable_at, lease_token)
    select customer_id, '${shape.timerKind}', id, lease_until, lease_token from judged where verdict is null)`

/** Whether fewer were claimed and counted than were admitted: others were faster, or there was no check. */
const isRaced = (shape: AcceptShape) => `
  ${shape.checksFirst ? "" : "exists (select from judged where verdict is not null) or"}
  (select count(*) from claimed) <> (select count(*) from judged where verdict is null and key is not null)
  or ${rulesOf(shape)
    .map(({ isExceeded }) => isExceeded("judged"))
    .join(" or ")}`

const exceptions = (rules: ReadonlyArray<AdmissionRule>) => `(
  select json_agg(json_build_object('nth', nth, 'reason', verdict, 'until', (extract(epoch from case verdict
    ${endsOf(rules)
      .map(({ reason }) => `when '${reason}' then ${reason}_until`)
      .join(" ")} end) * 1000)::bigint))
  from judged where verdict is not null)`

const sourceOf = ({ hasQuotas, hasExtras: withExtras, checksFirst }: AcceptShape) => {
  const needed = [...columns, ...(hasQuotas ? quotaColumns : []), ...(withExtras ? extraColumns : [])]
  if (!checksFirst) return batchSource(needed)
  const { rows, parameters } = batchSource<AcceptRow>([...needed, ...lookColumns])
  return { rows, parameters: (acceptances: ReadonlyArray<Acceptance>) => parameters(withShares(acceptances)) }
}

/** The statement of one shape, and its parameters. It fails like a lost race if the counting shows a wrong verdict. */
export const acceptStatement = (shape: AcceptShape) => {
  const { checksFirst } = shape
  const rules = rulesOf(shape)
  const { rows, parameters } = sourceOf(shape)
  const text = `
    with ${checksFirst ? checkedAdmission(rows, rules) : optimisticAdmission(rows)}, ${writes(shape)}
    select case when ${isRaced(shape)} then try_again() end as raced ${checksFirst ? `, ${exceptions(rules)} as exceptions` : ""}`
  return { text, parameters }
}
