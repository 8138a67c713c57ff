import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { AdmissionError } from "../../../domain/Errors.ts"
import type { SetUpChanged } from "../../../services/customer/SetUpChanged.ts"
import type { SetUpVersions } from "../cache/SetUpVersions.ts"
import { inTurn } from "../citus/Turns.ts"
import { isRace, retryRaces } from "../Races.ts"
import { decodedAs } from "../SqlRows.ts"
import { type AcceptKind, type AcceptRequest, type AcceptShape, acceptStatement } from "./AcceptStatement.ts"
import type { BatchName } from "./BatchMetrics.ts"
import { type LimitedRequest, makeDecide, spreadWallets, type Verdict } from "./LimitStateSql.ts"
import { type BatchClients, makeStatementBatch } from "./StatementBatch.ts"
import { statementOfShape } from "./StatementShapes.ts"

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
 * The two ways to accept requests. `write` assumes that nobody has to be refused. `decide` and `writeLocked` are parts of
 * one transaction for requests that contend for a limit.
 */
export const makeAcceptWrites = <Request extends AcceptRequest, Row extends Request>(
  kind: AcceptKind<Request, Row>
) => {
  const decoded = decodedAs(Schema.Tuple([OutcomeRow]))
  const statementOf = statementOfShape((shape: AcceptShape) => acceptStatement(kind, shape))
  const decide = makeDecide(kind.counts, kind.operation)

  const limited = (row: Row): LimitedRequest => {
    const { id, customerId, phone, createdAt } = kind.subjectOf(row)
    const { admission, setUpVersion, idempotency } = row
    return { id, customerId, phone, createdAt, admission, setUpVersion, key: idempotency?.key ?? null }
  }

  const write = (
    sql: SqlClient.SqlClient,
    batch: ReadonlyArray<Row>,
    { repeatsPhones, takesOverKeys }: Pick<AcceptShape, "repeatsPhones" | "takesOverKeys">
  ): Effect.Effect<number, SqlError.SqlError> => {
    const { text, parameters } = statementOf({
      hasQuotas: batch.some(({ admission }) => admission.monthlyQuota > 0),
      optional: kind.optional.map(({ isNeeded }) => batch.some(isNeeded)),
      repeatsPhones,
      takesOverKeys
    })
    return Effect.map(decoded(sql.unsafe(text, parameters(batch))), ([{ webhooks = 0 }]) => webhooks)
  }

  const decideWith = Effect.fnUntraced(function* (
    sql: SqlClient.SqlClient,
    batch: ReadonlyArray<Row>,
    mode: "read" | "lock"
  ) {
    const { verdicts, stripes } = yield* decide(sql, batch.map(limited), mode)
    return { verdicts, stripes, admitted: batch.filter((_, nth) => verdicts[nth] === null) }
  })

  /** Looks without locks. If others count meanwhile, writing fails like a lost race. */
  const look = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, batch: ReadonlyArray<Row>) {
    const { verdicts, admitted } = yield* decideWith(sql, batch, "read")
    const accepted: Accepted = {
      verdicts,
      webhooks:
        admitted.length === 0 ? 0 : yield* write(sql, admitted, { repeatsPhones: false, takesOverKeys: true })
    }
    return accepted
  })

  /** Locks what can refuse the requests, until the transaction ends. They can be to the same phones. */
  const locked = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, batch: ReadonlyArray<Row>) {
    const { verdicts, stripes, admitted } = yield* decideWith(sql, batch, "lock")
    if (admitted.length > 0) yield* spreadWallets(sql, stripes, admitted.map(limited))
    const phones = new Set(admitted.map((row) => kind.subjectOf(row).phone))
    const shape = { repeatsPhones: phones.size < admitted.length, takesOverKeys: true }
    const accepted: Accepted = {
      verdicts,
      webhooks: admitted.length === 0 ? 0 : yield* write(sql, admitted, shape)
    }
    return accepted
  })

  return { write, look, locked }
}

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
  const takeTurn = yield* inTurn
  const { write, look, locked } = makeAcceptWrites(kind)
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
    run: (sql, batch) =>
      Effect.flatMap(toRows(batch), (rows) =>
        takeTurn(sql, () => rows.map((row) => kind.subjectOf(row).customerId), accept(sql, rows))
      )
  })

  return (request: Request): Effect.Effect<boolean, AdmissionError | SetUpChanged> =>
    Effect.flatMap(
      acceptInBatch(request),
      (verdict): Effect.Effect<boolean, AdmissionError | SetUpChanged> => {
        if (verdict === null) return Effect.succeed(true)
        if (verdict === "key_taken") return Effect.succeed(false)
        if (verdict !== "set_up_changed") return Effect.fail(verdict)
        return versions.changed(kind.subjectOf(request).customerId, request.setUpVersion)
      }
    )
})
