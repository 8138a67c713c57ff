import { stripeOf, WALLET_STRIPES } from "../../../domain/money/Charging.ts"
import { type Admission, monthOf } from "../../../domain/people/Admission.ts"
import type { Instant } from "../../../domain/Instant.ts"
import type { Phone } from "../../../domain/Phone.ts"
import type { IdempotencyClaim } from "../../../services/customer/Idempotency.ts"
import type { KnownSetUp } from "../../../services/verification/VerificationStore.ts"
import type { AdmissionRule } from "../../verification/AdmissionRule.ts"
import { limitColumns, quotaColumn } from "../../verification/AdmissionRules.ts"
import { currentSetUp } from "../cache/SetUpVersions.ts"
import { timestamp } from "../SqlRows.ts"
import { type BatchColumn, batchSource } from "./BatchColumns.ts"

/** The part of a request that is the same for codes and messages. */
export interface AcceptRequest {
  readonly admission: Admission
  readonly setUpVersion: KnownSetUp
  readonly idempotency: IdempotencyClaim | null
}

/** What is sent. */
interface AcceptSubject {
  readonly id: string
  readonly customerId: number
  readonly phone: Phone
  readonly createdAt: Instant
}

/** The rows that a statement stores. */
export const ADMITTED = "judged where verdict is null"

export interface OptionalColumns<Request, Row extends Request = Request> {
  readonly isNeeded: (request: Request) => boolean
  readonly columns: ReadonlyArray<BatchColumn<Row>>
}

/** A kind of sends that are accepted in batches. */
export interface AcceptKind<Request extends AcceptRequest, Row extends Request = Request> {
  /** The operation of its idempotency keys. */
  readonly operation: string
  readonly rules: ReadonlyArray<AdmissionRule>
  readonly subjectOf: (request: Request) => AcceptSubject
  /** Further columns of each request. */
  readonly columns: ReadonlyArray<BatchColumn<Row>>
  /** Columns that few requests need: a batch without such a request does without them. */
  readonly optional: ReadonlyArray<OptionalColumns<Request, Row>>
  /** The parts that store the rows of `ADMITTED`, with these columns. */
  readonly stores: (optional: ReadonlyArray<BatchColumn<Row>>) => string
  /** Counts the webhooks that are due at once; null if none are. */
  readonly webhooks: string | null
}

/** The parts of the statement that a batch needs. */
export interface AcceptShape {
  readonly hasQuotas: boolean
  /** Which of the kind's optional columns it has. */
  readonly optional: ReadonlyArray<boolean>
  /**
   * Whether it checks first what can refuse a request, and reports who is refused. Else one refusal refuses all of
   * it.
   */
  readonly checksFirst: boolean
}

/** The total that a batch asks of a request's money and quota. */
interface Shares {
  readonly heldTogether: number
  readonly countedTogether: number
}

const addTo = (sums: Map<number, number>, key: number, amount: number) =>
  sums.set(key, (sums.get(key) ?? 0) + amount)

const walletOf = ({ customerId, id }: AcceptSubject) => customerId * WALLET_STRIPES + stripeOf(id)

const withShares = <Row extends AcceptRequest>(
  rows: ReadonlyArray<Row>,
  subjectOf: (row: Row) => AcceptSubject
): ReadonlyArray<Row & Shares> => {
  const held = new Map<number, number>()
  const counted = new Map<number, number>()
  for (const row of rows) {
    const subject = subjectOf(row)
    addTo(held, walletOf(subject), row.admission.hold)
    addTo(counted, subject.customerId, 1)
  }
  return rows.map((row) => ({
    ...row,
    heldTogether: held.get(walletOf(subjectOf(row))) ?? 0,
    countedTogether: counted.get(subjectOf(row).customerId) ?? 0
  }))
}

/** The columns of every batch. */
const columnsOf = <Request extends AcceptRequest>(
  subjectOf: (request: Request) => AcceptSubject
): ReadonlyArray<BatchColumn<Request>> => [
  { name: "customer_id", type: "int4", of: (request) => subjectOf(request).customerId },
  { name: "id", type: "uuid", of: (request) => subjectOf(request).id },
  { name: "phone", type: "text", of: (request) => subjectOf(request).phone },
  { name: "now", type: "timestamptz", of: (request) => subjectOf(request).createdAt },
  { name: "key", type: "text", of: ({ idempotency }) => idempotency?.key ?? null },
  { name: "fingerprint", type: "bytea", of: ({ idempotency }) => idempotency?.fingerprint ?? null },
  { name: "key_until", type: "timestamptz", of: ({ idempotency }) => idempotency?.expiresAt ?? null },
  { name: "stripe", type: "int2", of: (request) => stripeOf(subjectOf(request).id) },
  ...limitColumns
]

/** Only in a batch with a customer that has a quota: the sends of others are not counted. */
const quotaColumns = <Request extends AcceptRequest>(
  subjectOf: (request: Request) => AcceptSubject
): ReadonlyArray<BatchColumn<Request>> => [
  quotaColumn,
  {
    name: "month",
    type: "date",
    of: (request) =>
      request.admission.monthlyQuota === 0 ? null : monthOf(subjectOf(request).createdAt).start
  }
]

const lookColumns: ReadonlyArray<BatchColumn<Shares>> = [
  { name: "held_together", type: "int8", of: ({ heldTogether }) => BigInt(heldTogether) },
  { name: "counted_together", type: "int4", of: ({ countedTogether }) => countedTogether }
]

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
const checkedAdmission = (operation: string, rows: string, rules: ReadonlyArray<AdmissionRule>) => `
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
    left join idempotency_keys k on k.customer_id = r.customer_id and k.operation = '${operation}'
      and k.key = r.key and k.expires_at > r.now)`

/** Assumes that all requests with a current set-up are admitted; the returned counts show whether they are. */
const optimisticAdmission = (rows: string) => `
  judged as materialized (
    select r.*, case when not ${currentSetUp.condition} then 'set_up_changed' end as verdict
    from ${rows} ${currentSetUp.join})`

/** `lapsed` is a time. A subquery of the batch would do as well, but not in Citus. */
const takesOverLapsedKeys = (lapsed: string) => `
    on conflict (customer_id, operation, key) do update set fingerprint = excluded.fingerprint,
      subject = excluded.subject, expires_at = excluded.expires_at
    where k.expires_at <= ${lapsed}`

/** Counts and stores what was admitted. */
const writes = (operation: string, rules: ReadonlyArray<AdmissionRule>, takeOver: string, stores: string) => `
  claimed as (
    insert into idempotency_keys as k (customer_id, operation, key, fingerprint, subject, expires_at)
    select customer_id, '${operation}', key, fingerprint, id, key_until
    from ${ADMITTED} and key is not null
    ${takeOver}
    returning true),
${rules.map(({ count }) => count(ADMITTED)).join(",")},
  ${stores}`

/** Whether fewer were claimed and counted than were admitted: others were faster, or there was no check. */
const isRaced = (rules: ReadonlyArray<AdmissionRule>, checksFirst: boolean) => `
  ${checksFirst ? "" : "exists (select from judged where verdict is not null) or"}
  (select count(*) from claimed) <> (select count(*) from ${ADMITTED} and key is not null)
  or ${rules.map(({ isExceeded }) => isExceeded("judged")).join(" or ")}`

const exceptions = (rules: ReadonlyArray<AdmissionRule>) => `(
  select json_agg(json_build_object('nth', nth, 'reason', verdict, 'until', (extract(epoch from case verdict
    ${endsOf(rules)
      .map(({ reason }) => `when '${reason}' then ${reason}_until`)
      .join(" ")} end) * 1000)::bigint))
  from judged where verdict is not null)`

const sourceOf = <Request extends AcceptRequest, Row extends Request>(
  { subjectOf, columns }: AcceptKind<Request, Row>,
  { hasQuotas, checksFirst }: AcceptShape,
  optional: ReadonlyArray<BatchColumn<Row>>
) => {
  const needed: ReadonlyArray<BatchColumn<Row>> = [
    ...columnsOf<Request>(subjectOf),
    ...columns,
    ...(hasQuotas ? quotaColumns<Request>(subjectOf) : []),
    ...optional
  ]
  if (!checksFirst) return { ...batchSource(needed), takeOver: "" }
  const { rows, parameters, next } = batchSource<Row & Shares>([...needed, ...lookColumns])
  return {
    rows,
    takeOver: takesOverLapsedKeys(next),
    parameters: (requests: ReadonlyArray<Row>) => [
      ...parameters(withShares(requests, subjectOf)),
      timestamp(Math.max(...requests.map((request) => subjectOf(request).createdAt)))
    ]
  }
}

/** The statement of one shape, and its parameters. It fails like a lost race if the counting shows a wrong verdict. */
export const acceptStatement = <Request extends AcceptRequest, Row extends Request>(
  kind: AcceptKind<Request, Row>,
  shape: AcceptShape
) => {
  const { operation, webhooks } = kind
  const { checksFirst, hasQuotas } = shape
  const optional = kind.optional.flatMap(({ columns }, index) => (shape.optional[index] ? columns : []))
  const rules = kind.rules.filter(({ name }) => name !== "quota" || hasQuotas)
  const { rows, parameters, takeOver } = sourceOf(kind, shape, optional)
  const text = `
    with ${checksFirst ? checkedAdmission(operation, rows, rules) : optimisticAdmission(rows)},
    ${writes(operation, rules, takeOver, kind.stores(optional))}
    select case when ${isRaced(rules, checksFirst)} then raise_race() end as raced
      ${checksFirst ? `, ${exceptions(rules)} as exceptions` : ""} ${webhooks === null ? "" : `, ${webhooks} as webhooks`}`
  return { text, parameters }
}
