import { stripeOf } from "../../../domain/money/Charging.ts"
import { type Admission, monthOf } from "../../../domain/people/Admission.ts"
import type { Instant } from "../../../domain/Instant.ts"
import type { Phone } from "../../../domain/Phone.ts"
import type { IdempotencyClaim } from "../../../services/customer/Idempotency.ts"
import type { KnownSetUp } from "../../../services/verification/VerificationStore.ts"
import { currentSetUp } from "../cache/SetUpVersions.ts"
import { timestamp } from "../SqlRows.ts"
import { type AdmittedKind, type CountedLimit, countedLimits, limitColumns } from "./AdmissionCounts.ts"
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
  /** Codes and messages to one phone are counted apart. */
  readonly counts: AdmittedKind
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
  /** Whether several of its requests are to one phone. */
  readonly repeatsPhones: boolean
  /** Whether it takes over idempotency keys that have lapsed; else a lapsed key refuses all of it. */
  readonly takesOverKeys: boolean
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
  { name: "quota", type: "int4", of: ({ admission }) => admission.monthlyQuota },
  {
    name: "month",
    type: "date",
    of: (request) =>
      request.admission.monthlyQuota === 0 ? null : monthOf(subjectOf(request).createdAt).start
  }
]

/** A row with the number of sends to its phone: on the first of them, and 0 on the others. */
interface Repeated {
  readonly sends: number
}

const sendsColumn: BatchColumn<Partial<Repeated>> = {
  name: "sends",
  type: "int4",
  of: ({ sends = 1 }) => sends
}

const withSends = <Row>(
  rows: ReadonlyArray<Row>,
  phoneOf: (row: Row) => string
): ReadonlyArray<Row & Repeated> => {
  const sends = new Map<string, number>()
  for (const row of rows) sends.set(phoneOf(row), (sends.get(phoneOf(row)) ?? 0) + 1)
  return rows.map((row) => {
    const count = sends.get(phoneOf(row)) ?? 0
    sends.delete(phoneOf(row))
    return { ...row, sends: count }
  })
}

/** Only requests with a current set-up are counted and stored. */
const judged = (rows: string) => `
  judged as materialized (
    select r.*, case when not ${currentSetUp.condition} then 'set_up_changed' end as verdict
    from ${rows} ${currentSetUp.join})`

/** `lapsed` is a time. A subquery of the batch would do as well, but not in Citus. */
const takesOver = (lapsed: string) => `
    on conflict (customer_id, operation, key) do update set fingerprint = excluded.fingerprint,
      subject = excluded.subject, expires_at = excluded.expires_at
    where k.expires_at <= ${lapsed}`

/** Counts and stores what was admitted. */
const writes = (operation: string, limits: ReadonlyArray<CountedLimit>, takeOver: string, stores: string) => `
  claimed as (
    insert into idempotency_keys as k (customer_id, operation, key, fingerprint, subject, expires_at)
    select customer_id, '${operation}', key, fingerprint, id, key_until
    from ${ADMITTED} and key is not null
    ${takeOver}
    returning true),
${limits.map(({ count }) => count(ADMITTED)).join(",")},
  ${stores}`

/** Whether somebody has to be refused, or a key is taken. */
const isRaced = (limits: ReadonlyArray<CountedLimit>) => `
  exists (select from judged where verdict is not null) or
  (select count(*) from claimed) <> (select count(*) from ${ADMITTED} and key is not null)
  or ${limits.map(({ isExceeded }) => isExceeded("judged")).join(" or ")}`

/**
 * The statement of one shape, and its parameters. It assumes that all requests are admitted, and counts and stores them.
 * If the counts show another one, it fails like a lost race, and nothing is stored.
 */
export const acceptStatement = <Request extends AcceptRequest, Row extends Request>(
  kind: AcceptKind<Request, Row>,
  shape: AcceptShape
) => {
  const { operation, webhooks, subjectOf } = kind
  const { hasQuotas, repeatsPhones, takesOverKeys } = shape
  const optional = kind.optional.flatMap(({ columns }, index) => (shape.optional[index] ? columns : []))
  const limits = countedLimits(kind.counts, { hasQuotas, repeatsPhones })
  const { rows, parameters, next } = batchSource<Row & Partial<Repeated>>([
    ...columnsOf<Request>(subjectOf),
    ...kind.columns,
    ...(hasQuotas ? quotaColumns<Request>(subjectOf) : []),
    ...(repeatsPhones ? [sendsColumn] : []),
    ...optional
  ])
  const text = `
    with ${judged(rows)},
    ${writes(operation, limits, takesOverKeys ? takesOver(next) : "", kind.stores(optional))}
    select case when ${isRaced(limits)} then raise_race() end as raced ${webhooks === null ? "" : `, ${webhooks} as webhooks`}`
  return {
    text,
    parameters: (requests: ReadonlyArray<Row>) => [
      ...parameters(repeatsPhones ? withSends(requests, (row) => subjectOf(row).phone) : requests),
      ...(takesOverKeys ? [timestamp(Math.max(...requests.map((row) => subjectOf(row).createdAt)))] : [])
    ]
  }
}
