import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { DAY_MILLIS, HOUR_MILLIS, type Instant } from "../../../domain/Instant.ts"
import type { Phone } from "../../../domain/Phone.ts"
import { type Admission } from "../../../domain/customer/Admission.ts"
import { monthOf } from "../../../domain/money/Quota.ts"
import type { KeyMode } from "../../../domain/customer/Customer.ts"
import { stripeOf } from "../../../domain/money/Charging.ts"
import type { IdempotencyClaim } from "../../../services/customer/Idempotency.ts"
import type { KnownSetUp } from "../../../services/verification/VerificationStore.ts"
import { type BatchColumn, decodedAs, timestamp } from "../SqlRows.ts"
import { inStore } from "../SetUpPlace.ts"
import { currentSetUp } from "../SetUpCache.ts"
import { type AdmittedKind, limitColumns } from "./AdmissionCounts.ts"
import { type ApartEvent, outboxApart } from "./OutboxApartSql.ts"
import type { PlatformCount } from "./PlatformCountsSql.ts"
import { rowStatement, raceLost, type Sent, sendAll, sent } from "./RowStatements.ts"

/** A request, as far as it is counted. */
interface CountedRequest {
  readonly id: string
  readonly customerId: number
  readonly phone: Phone
  readonly createdAt: Instant
  readonly admission: Admission
  readonly setUpVersion: KnownSetUp
  readonly idempotency: IdempotencyClaim | null
  readonly platform: PlatformCount | null
}

/** A statement of the transaction, and whether its rows show that somebody has to be refused. */
interface Step {
  readonly send: Sent
  readonly isRaced: (found: ReadonlyArray<unknown>) => Effect.Effect<boolean>
}

/** Rows of one key become one. */
const groupedBy = <Row, Group>(
  rows: ReadonlyArray<Row>,
  keyOf: (row: Row) => string,
  groupOf: (first: Row, rows: ReadonlyArray<Row>) => Group
): ReadonlyArray<Group> =>
  [...Map.groupBy(rows, keyOf).values()].flatMap((group) =>
    group[0] === undefined ? [] : [groupOf(group[0], group)]
  )

const isOver = (used: number, limit: number): boolean => limit > 0 && used > 1 && used > limit

const limited: ReadonlyArray<BatchColumn<CountedRequest>> = [
  { name: "customer_id", type: "int4", of: ({ customerId }) => customerId },
  { name: "phone", type: "text", of: ({ phone }) => phone },
  { name: "now", type: "timestamptz", of: ({ createdAt }) => createdAt },
  ...limitColumns
]

/** Its tables are elsewhere. */
const setUp = (() => {
  const statement = rowStatement(
    limited,
    (rows) => `
    select count(*)::int as changed from ${rows} ${currentSetUp.join} where not ${currentSetUp.condition}`
  )
  const decoded = decodedAs(Schema.Tuple([Schema.Struct({ changed: Schema.Int })]))
  return (requests: ReadonlyArray<CountedRequest>): ReadonlyArray<Step> => {
    const checked = requests.filter(({ setUpVersion }) => setUpVersion !== null)
    if (checked.length === 0) return []
    const isRaced = (found: ReadonlyArray<unknown>) =>
      Effect.map(decoded(Effect.succeed(found)), ([{ changed }]) => changed > 0)
    return [{ send: (sql) => inStore(sql, sent(statement, checked)(sql)), isRaced }]
  }
})()

interface ClaimingRequest extends CountedRequest {
  readonly idempotency: IdempotencyClaim
}

const isClaiming = (request: CountedRequest): request is ClaimingRequest => request.idempotency !== null

const keyColumns: ReadonlyArray<BatchColumn<ClaimingRequest>> = [
  { name: "customer_id", type: "int4", of: ({ customerId }) => customerId },
  { name: "id", type: "uuid", of: ({ id }) => id },
  { name: "idem_key", type: "text", of: ({ idempotency }) => idempotency.key },
  { name: "print", type: "bytea", of: ({ idempotency }) => idempotency.fingerprint },
  { name: "key_until", type: "timestamptz", of: ({ idempotency }) => idempotency.expiresAt }
]
/** After the columns: when keys must have lapsed to be taken over. */
const LAPSED = `$${keyColumns.length + 1}::timestamptz`

const keys = (operation: string) => {
  const claim = (onConflict: string) =>
    rowStatement(
      keyColumns,
      (rows) => `
      insert into idempotency_keys as k (customer_id, operation, key, fingerprint, subject, expires_at)
      select r.customer_id, '${operation}', r.idem_key, r.print, r.id, r.key_until from here h, ${rows}
      ${onConflict} returning 1 as claimed`
    )
  const free = claim("")
  const takesOver =
    claim(`on conflict (customer_id, operation, key) do update set fingerprint = excluded.fingerprint,
    subject = excluded.subject, expires_at = excluded.expires_at where k.expires_at <= ${LAPSED}`)
  const sentTakingOver =
    (rows: ReadonlyArray<ClaimingRequest>): Sent =>
    (sql) => {
      const lapsedAt = timestamp(Math.max(...rows.map(({ createdAt }) => createdAt)))
      return sql.unsafe(takesOver.text, [...takesOver.parameters(rows), lapsedAt])
    }
  return (requests: ReadonlyArray<CountedRequest>, takesOverKeys: boolean): ReadonlyArray<Step> => {
    const rows = requests.filter(isClaiming)
    if (rows.length === 0) return []
    const send = takesOverKeys ? sentTakingOver(rows) : sent(free, rows)
    return [{ send, isRaced: (found) => Effect.succeed(found.length < rows.length) }]
  }
}

interface CountedPhone extends CountedRequest {
  readonly sends: number
}

const openWindow = (name: "hour" | "day", lasts: string): string => {
  const isOpen = `excluded.${name}_ends_at - o.${name}_ends_at < interval '${lasts}'`
  return `${name}_used = case when ${isOpen} then o.${name}_used else 0 end + excluded.${name}_used,
      ${name}_ends_at = case when ${isOpen} then o.${name}_ends_at else excluded.${name}_ends_at end`
}

const phones = (kind: AdmittedKind) => {
  const columns: ReadonlyArray<BatchColumn<CountedPhone>> = [
    { name: "customer_id", type: "int4", of: ({ customerId }) => customerId },
    { name: "phone", type: "text", of: ({ phone }) => phone },
    { name: "hour_end", type: "timestamptz", of: ({ createdAt }) => createdAt + HOUR_MILLIS },
    { name: "day_end", type: "timestamptz", of: ({ createdAt }) => createdAt + DAY_MILLIS },
    { name: "sends", type: "int4", of: ({ sends }) => sends }
  ]
  const statement = rowStatement(
    columns,
    (rows) => `
    insert into phone_counters as o (customer_id, phone, kind, hour_ends_at, hour_used, day_ends_at, day_used)
    select r.customer_id, r.phone, '${kind}', r.hour_end, r.sends, r.day_end, r.sends from here h, ${rows}
    on conflict (customer_id, kind, phone) do update set ${openWindow("hour", "1 hour")},
      ${openWindow("day", "24 hours")}
    returning customer_id as "customerId", phone, hour_used as "hourUsed", day_used as "dayUsed"`
  )
  const decoded = decodedAs(
    Schema.Array(
      Schema.Struct({
        customerId: Schema.Int,
        phone: Schema.String,
        hourUsed: Schema.Int,
        dayUsed: Schema.Int
      })
    )
  )
  const keyOf = ({ customerId, phone }: { readonly customerId: number; readonly phone: string }) =>
    `${customerId}:${phone}`
  return (requests: ReadonlyArray<CountedRequest>): ReadonlyArray<Step> => {
    const counted = requests.filter(({ admission: { phone } }) => phone.hour > 0 || phone.day > 0)
    if (counted.length === 0) return []
    const rows = groupedBy(counted, keyOf, (first, { length }): CountedPhone => ({ ...first, sends: length }))
    const isRaced = (found: ReadonlyArray<unknown>) =>
      Effect.map(decoded(Effect.succeed(found)), (counts) => {
        const used = new Map(counts.map((count) => [keyOf(count), count]))
        return counted.some((request) => {
          const { hourUsed = 0, dayUsed = 0 } = used.get(keyOf(request)) ?? {}
          const { hour, day } = request.admission.phone
          return isOver(hourUsed, hour) || isOver(dayUsed, day)
        })
      })
    return [{ send: sent(statement, rows), isRaced }]
  }
}

/** What all customers sent to the phone was counted before. */
export const isOverPlatform = ({
  admission,
  platform
}: Pick<CountedRequest, "admission" | "platform">): boolean => {
  const { platformDay, callers } = admission.phone
  if (platform === null) return false
  const { length } = platform.callers.customers
  return isOver(platform.dayUsed, platformDay) || (callers > 0 && length >= callers)
}

export const platformRefuses = () => raceLost("the platform's count refuses somebody")

interface CountedMonth {
  readonly customerId: number
  readonly month: string
  readonly sends: number
  readonly quota: number
}

const quotas = (() => {
  const statement = rowStatement<CountedMonth>(
    [
      { name: "customer_id", type: "int4", of: ({ customerId }) => customerId },
      { name: "month_start", type: "date", of: ({ month }) => month },
      { name: "sends", type: "int4", of: ({ sends }) => sends }
    ],
    (rows) => `
    insert into monthly_counters as q (customer_id, month, used)
    select r.customer_id, r.month_start, r.sends from here h, ${rows}
    on conflict (customer_id, month) do update set used = q.used + excluded.used
    returning customer_id as "customerId", used`
  )
  const decoded = decodedAs(Schema.Array(Schema.Struct({ customerId: Schema.Int, used: Schema.Int })))
  return (requests: ReadonlyArray<CountedRequest>): ReadonlyArray<Step> => {
    const counted = requests.filter(({ admission }) => admission.monthlyQuota > 0)
    if (counted.length === 0) return []
    const monthOfRequest = ({ createdAt }: CountedRequest) => monthOf(createdAt).start
    const rows = groupedBy(
      counted,
      (request) => `${request.customerId}:${monthOfRequest(request)}`,
      (first, group): CountedMonth => ({
        customerId: first.customerId,
        month: monthOfRequest(first),
        sends: group.length,
        quota: Math.min(...group.map(({ admission }) => admission.monthlyQuota))
      })
    ).toSorted((a, b) => a.customerId - b.customerId || (a.month < b.month ? -1 : 1))
    const isRaced = (found: ReadonlyArray<unknown>) =>
      Effect.map(decoded(Effect.succeed(found)), (counts) =>
        counts.some(({ customerId, used }) =>
          rows.some((row) => row.customerId === customerId && used > row.quota)
        )
      )
    return [{ send: sent(statement, rows), isRaced }]
  }
})()

interface Hold {
  readonly customerId: number
  readonly stripe: number
  readonly total: number
}

const wallets = (() => {
  const statement = rowStatement<Hold>(
    [
      { name: "customer_id", type: "int4", of: ({ customerId }) => customerId },
      { name: "stripe", type: "int2", of: ({ stripe }) => stripe },
      { name: "total", type: "int8", of: ({ total }) => BigInt(total) }
    ],
    (rows) => `
    update wallets w set held = w.held + r.total from ${rows}
    where w.customer_id = r.customer_id and w.stripe = r.stripe and w.balance - w.held >= r.total
    returning 1 as held`
  )
  return (requests: ReadonlyArray<CountedRequest>): ReadonlyArray<Step> => {
    const rows = groupedBy(
      requests.filter(({ admission }) => admission.hold > 0),
      ({ customerId, id }) => `${customerId}:${stripeOf(id)}`,
      ({ customerId, id }, group): Hold => ({
        customerId,
        stripe: stripeOf(id),
        total: group.reduce((sum, { admission }) => sum + admission.hold, 0)
      })
    ).toSorted((a, b) => a.customerId - b.customerId || a.stripe - b.stripe)
    if (rows.length === 0) return []
    return [{ send: sent(statement, rows), isRaced: (found) => Effect.succeed(found.length < rows.length) }]
  }
})()

const noRace = () => Effect.succeed(false)

/** How one kind of sends is stored where the set-up is apart. */
export interface AcceptApart<Row> {
  readonly mode: KeyMode
  readonly table: "verifications" | "messages"
  /** Statements that store the rows, with these further columns. */
  readonly stores: (optional: ReadonlyArray<BatchColumn<Row>>) => ReadonlyArray<(rows: string) => string>
  /** The event of a new send; null: none. */
  readonly eventOf: ((row: Row) => ApartEvent) | null
}

interface ApartOptions<Row> {
  readonly operation: string
  readonly counts: AdmittedKind
  readonly apart: AcceptApart<Row>
  readonly requestOf: (row: Row) => CountedRequest
  /** All columns of a row, without the optional ones. */
  readonly columns: ReadonlyArray<BatchColumn<Row>>
}

/**
 * Accepts a batch where the set-up is apart: counts and stores all of it, and undoes that if a count shows that somebody
 * has to be refused. Returns how many webhooks are due.
 */
export const makeAcceptApart = <Row>({ operation, counts, apart, requestOf, columns }: ApartOptions<Row>) => {
  const claims = keys(operation)
  const countPhones = phones(counts)
  const outbox = outboxApart(apart.mode, apart.table)
  const eventsOf = (batch: ReadonlyArray<Row>) => (apart.eventOf === null ? [] : batch.map(apart.eventOf))

  const stepsOf = (
    batch: ReadonlyArray<Row>,
    optional: ReadonlyArray<BatchColumn<Row>>,
    takesOver: boolean
  ) => {
    const requests = batch.map(requestOf)
    const stored = apart.stores(optional).map((text) => rowStatement([...columns, ...optional], text))
    const writes = [
      ...stored.map((statement) => sent(statement, batch)),
      ...outbox.statements(eventsOf(batch))
    ]
    // In the order in which a batch that looks first locks them: two transactions never wait for each other.
    return [
      ...setUp(requests),
      ...countPhones(requests),
      ...quotas(requests),
      ...wallets(requests),
      ...claims(requests, takesOver),
      ...writes.map((send): Step => ({ send, isRaced: noRace }))
    ]
  }

  return (
    sql: SqlClient.SqlClient,
    batch: ReadonlyArray<Row>,
    optional: ReadonlyArray<BatchColumn<Row>>,
    takesOver: boolean
  ): Effect.Effect<number, SqlError.SqlError> =>
    sql.withTransaction(
      Effect.gen(function* () {
        const steps = stepsOf(batch, optional, takesOver)
        const results = yield* sendAll(
          sql,
          steps.map(({ send }) => send)
        )
        const raced = yield* Effect.forEach(steps, ({ isRaced }, index) => isRaced(results[index] ?? []))
        if (raced.includes(true)) return yield* Effect.fail(raceLost("somebody has to be refused"))
        const events = eventsOf(batch)
        return events.length === 0 ? 0 : yield* outbox.deliver(sql, events, results.at(-1) ?? [])
      })
    )
}
