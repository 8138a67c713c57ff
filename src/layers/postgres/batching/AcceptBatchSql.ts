import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { AdmissionError } from "../../../domain/Errors.ts"
import type { Instant } from "../../../domain/Instant.ts"
import type { Phone } from "../../../domain/Phone.ts"
import { stripeOf } from "../../../domain/money/Charging.ts"
import { type Admission } from "../../../domain/customer/Admission.ts"
import { monthOf } from "../../../domain/money/Quota.ts"
import {
  type BatchColumn,
  batchSource,
  decodedAs,
  isRace,
  retryRaces,
  statementOfShape,
  timestamp
} from "../SqlRows.ts"
import {
  type AdmittedKind,
  type CountedLimit,
  countedLimits,
  limitColumns,
  type Repeated,
  sendsColumn,
  withSends
} from "./AdmissionCounts.ts"
import { type AcceptApart, isOverPlatform, makeAcceptApart, platformRefuses } from "./AcceptApartSql.ts"
import { bySetUpPlace, type Sends } from "./SetUpApartSql.ts"
import { makePlatformCounts, type PlatformCount } from "./PlatformCountsSql.ts"
import { type BatchClients, type BatchName, makeBatchLane, makeStatementBatch } from "./StatementBatch.ts"
import { type LimitedRequest, makeDecide, spreadWallets, type Verdict } from "./LimitStateSql.ts"
import { SetUpIsApart } from "../SetUpPlace.ts"
import { currentSetUp, type SetUpVersions } from "../SetUpCache.ts"
import type { IdempotencyClaim, SetUpChanged } from "../../../services/customer/Idempotency.ts"
import type { KnownSetUp } from "../../../services/verification/VerificationStore.ts"

/** The part of a request that is the same for codes and messages. */
interface AcceptRequest {
  readonly admission: Admission
  readonly setUpVersion: KnownSetUp
  readonly idempotency: IdempotencyClaim | null
  /** What was counted of the phone, if that was before. */
  readonly platform?: PlatformCount | null
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
  /** Accepts a batch where the set-up is apart. */
  readonly apart: AcceptApart<Row>
}

/** The parts of the statement that a batch needs. */
interface AcceptShape {
  readonly hasQuotas: boolean
  /** Which of the kind's optional columns it has. */
  readonly optional: ReadonlyArray<boolean>
  /** Whether several of its requests are to one phone. */
  readonly repeatsPhones: boolean
  /** Whether it takes over idempotency keys that have lapsed; else a lapsed key refuses all of it. */
  readonly takesOverKeys: boolean
  /** Whether what all customers sent to the phones was counted before. */
  readonly isPlatformCounted: boolean
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

/** Only requests with a current set-up are counted and stored. */
const judged = (rows: string) => `
  judged as materialized (
    select r.*, case when not ${currentSetUp.condition} then 'set_up_changed' end as verdict
    from ${rows} ${currentSetUp.join})`

/** `lapsed` is a time. */
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
const acceptStatement = <Request extends AcceptRequest, Row extends Request>(
  kind: AcceptKind<Request, Row>,
  shape: AcceptShape
) => {
  const { operation, webhooks, subjectOf } = kind
  const { hasQuotas, repeatsPhones, takesOverKeys, isPlatformCounted } = shape
  const optional = kind.optional.flatMap(({ columns }, index) => (shape.optional[index] ? columns : []))
  const limits = countedLimits(kind.counts, { hasQuotas, repeatsPhones }).filter(
    ({ name }) => name !== "platform" || !isPlatformCounted
  )
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

const OutcomeRow = Schema.Struct({ webhooks: Schema.optionalKey(Schema.Int) })

/** Phones and keys of different customers do not conflict, but that is rare, and a check would cost time. */
const conflictsOf = (phone: string, { admission, idempotency }: AcceptRequest): ReadonlyArray<string> => {
  const { hour, day, platformDay, callers } = admission.phone
  const isCounted = hour > 0 || day > 0 || platformDay > 0 || callers > 0
  if (idempotency === null) return isCounted ? [phone] : []
  return isCounted ? [phone, idempotency.key] : [idempotency.key]
}

/** How many batches are looked at first after one had a refusal. */
const LOOKS_AFTER_REFUSAL = 64

/** A request must be refused, or another was faster: nothing of the batch was stored. */
const isContested = (error: SqlError.SqlError): boolean =>
  isRace(error) || error.reason._tag === "UniqueViolation"

const OPTIMISTIC = { repeatsPhones: false, takesOverKeys: false }

interface Accepted {
  readonly verdicts: ReadonlyArray<Verdict>
  /** How many webhooks are due at once. */
  readonly webhooks: number
}

/**
 * The ways to accept requests. `write` assumes that nobody has to be refused. `look` decides by what was counted before.
 * `locked` is for a transaction: nobody else can count until it ends.
 */
export const makeAcceptWrites = Effect.fnUntraced(function* <
  Request extends AcceptRequest,
  Row extends Request
>(kind: AcceptKind<Request, Row>) {
  const isPlatformCounted = yield* SetUpIsApart
  const decoded = decodedAs(Schema.Tuple([OutcomeRow]))
  const statementOf = statementOfShape((shape: AcceptShape) => acceptStatement(kind, shape))
  const decide = yield* makeDecide(kind.counts, kind.operation)

  const limited = (row: Row): LimitedRequest => {
    const { id, customerId, phone, createdAt } = kind.subjectOf(row)
    const { admission, setUpVersion, idempotency, platform = null } = row
    const key = idempotency?.key ?? null
    return { id, customerId, phone, createdAt, admission, setUpVersion, key, platform }
  }

  const writeApart = makeAcceptApart<Row>({
    ...kind,
    requestOf: (row) => ({ ...limited(row), idempotency: row.idempotency }),
    columns: [...columnsOf<Request>(kind.subjectOf), ...kind.columns]
  })

  type Keys = Pick<AcceptShape, "repeatsPhones" | "takesOverKeys">

  const statementFor = (batch: ReadonlyArray<Row>, keys: Keys) =>
    statementOf({
      hasQuotas: batch.some(({ admission }) => admission.monthlyQuota > 0),
      optional: kind.optional.map(({ isNeeded }) => batch.some(isNeeded)),
      isPlatformCounted,
      ...keys
    })

  type Writes = (
    sql: SqlClient.SqlClient,
    batch: ReadonlyArray<Row>,
    keys: Keys
  ) => Effect.Effect<number, SqlError.SqlError>

  const writeTogether =
    (send: Sends): Writes =>
    (sql, batch, keys) => {
      const { text, parameters } = statementFor(batch, keys)
      const customers = () => batch.map((row) => kind.subjectOf(row).customerId)
      return Effect.map(
        decoded(send(sql, text, parameters(batch), customers)),
        ([{ webhooks = 0 }]) => webhooks
      )
    }

  const writeInSteps =
    (): Writes =>
    (sql, batch, { takesOverKeys }) => {
      const optional = kind.optional.filter(({ isNeeded }) => batch.some(isNeeded))
      const more = optional.flatMap(({ columns }) => columns)
      return writeApart(sql, batch, more, takesOverKeys)
    }

  const writeCounted = yield* bySetUpPlace(writeTogether, writeInSteps)
  const write: Writes = isPlatformCounted
    ? (sql, batch, keys) =>
        batch.some((row) => isOverPlatform(limited(row)))
          ? Effect.fail(platformRefuses())
          : writeCounted(sql, batch, keys)
    : writeCounted

  const store = Effect.fnUntraced(function* (
    sql: SqlClient.SqlClient,
    admitted: ReadonlyArray<Row>,
    verdicts: ReadonlyArray<Verdict>,
    repeatsPhones: boolean
  ) {
    const webhooks =
      admitted.length === 0 ? 0 : yield* write(sql, admitted, { repeatsPhones, takesOverKeys: true })
    const accepted: Accepted = { verdicts, webhooks }
    return accepted
  })

  const admittedOf = (batch: ReadonlyArray<Row>, verdicts: ReadonlyArray<Verdict>) =>
    batch.filter((_, nth) => verdicts[nth] === null)

  /** Looks without locks. If others count meanwhile, writing fails like a lost race. */
  const look = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, batch: ReadonlyArray<Row>) {
    const { verdicts } = yield* decide(sql, batch.map(limited), "read")
    return yield* store(sql, admittedOf(batch, verdicts), verdicts, false)
  })

  /** Locks what can refuse the requests, until the transaction ends. They can be to the same phones. */
  const locked = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, batch: ReadonlyArray<Row>) {
    const { verdicts, stripes } = yield* decide(sql, batch.map(limited), "lock")
    const admitted = admittedOf(batch, verdicts)
    yield* spreadWallets(sql, stripes, admitted.map(limited))
    const phones = new Set(admitted.map((row) => kind.subjectOf(row).phone))
    return yield* store(sql, admitted, verdicts, phones.size < admitted.length)
  })

  return { write, look, locked, isPlatformCounted }
})

interface AcceptOptions<Request extends AcceptRequest, Row extends Request> {
  readonly kind: AcceptKind<Request, Row>
  /** Called with the number of webhooks that are due at once. */
  readonly wakeFor: (webhooks: number) => void
  readonly name: BatchName
  /** Makes the rows of a batch, right before its statement. */
  readonly toRows: (batch: ReadonlyArray<Request>) => Effect.Effect<ReadonlyArray<Row>>
  readonly versions: SetUpVersions["Service"]
}

/**
 * Accepts many requests in one statement, which assumes that nobody has to be refused: to look first would be a fifth of
 * its cost. If its counts show a refusal, the batch is decided by what was counted before it, and so are the next ones.
 * If others count meanwhile, it is decided again under locks. False if the idempotency key is taken.
 */
export const makeAccept = Effect.fnUntraced(function* <Request extends AcceptRequest, Row extends Request>(
  clients: BatchClients,
  { name, kind, toRows, wakeFor, versions }: AcceptOptions<Request, Row>
) {
  const { write, look, locked, isPlatformCounted } = yield* makeAcceptWrites(kind)
  let looksLeft = 0

  const lookFirst = (sql: SqlClient.SqlClient, batch: ReadonlyArray<Row>) =>
    Effect.catchIf(look(sql, batch), isContested, () =>
      retryRaces(sql.withTransaction(locked(sql, batch)))
    ).pipe(
      Effect.map(({ verdicts, webhooks }) => {
        looksLeft = verdicts.every((verdict) => verdict === null) ? looksLeft - 1 : LOOKS_AFTER_REFUSAL
        wakeFor(webhooks)
        return verdicts
      })
    )

  const accept = (
    sql: SqlClient.SqlClient,
    batch: ReadonlyArray<Row>
  ): Effect.Effect<ReadonlyArray<Verdict>, SqlError.SqlError> => {
    if (looksLeft > 0) return lookFirst(sql, batch)
    const written = Effect.map(write(sql, batch, OPTIMISTIC), (webhooks) => {
      wakeFor(webhooks)
      return batch.map(() => null)
    })
    return Effect.catchIf(written, isContested, () => {
      looksLeft = LOOKS_AFTER_REFUSAL
      return lookFirst(sql, batch)
    })
  }

  const acceptInBatch = yield* makeStatementBatch<SqlClient.SqlClient, Request, Verdict>(clients, {
    name,
    endsTogether: true,
    conflictsOf: (request) => conflictsOf(kind.subjectOf(request).phone, request),
    orderOf: (request) => kind.subjectOf(request).phone,
    run: (sql, batch) => Effect.flatMap(toRows(batch), (rows) => accept(sql, rows))
  })

  const isAccepted = (verdict: Verdict) => verdict === null
  const countPlatform =
    isPlatformCounted && kind.counts === "code"
      ? yield* makePlatformCounts({ ...clients, lane: makeBatchLane() })
      : null
  const judge =
    countPlatform === null
      ? acceptInBatch
      : (request: Request) =>
          countPlatform(
            { ...kind.subjectOf(request), admission: request.admission },
            (platform) => acceptInBatch({ ...request, platform }),
            isAccepted
          )

  return (request: Request): Effect.Effect<boolean, AdmissionError | SetUpChanged> =>
    Effect.flatMap(judge(request), (verdict): Effect.Effect<boolean, AdmissionError | SetUpChanged> => {
      if (verdict === null) return Effect.succeed(true)
      if (verdict === "key_taken") return Effect.succeed(false)
      if (verdict !== "set_up_changed") return Effect.fail(verdict)
      return versions.changed(kind.subjectOf(request).customerId, request.setUpVersion)
    })
})
