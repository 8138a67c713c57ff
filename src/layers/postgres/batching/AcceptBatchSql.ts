import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { AdmissionError } from "../../../domain/Errors.ts"
import type { SetUpChanged } from "../../../services/customer/SetUpChanged.ts"
import { phoneRefusal } from "../../verification/AdmissionSql.ts"
import type { SetUpVersions } from "../cache/SetUpVersions.ts"
import { type InTurn, inTurn } from "../citus/Turns.ts"
import { isRace, retryRaces } from "../Races.ts"
import { decodedAs } from "../SqlRows.ts"
import { type AcceptKind, type AcceptRequest, type AcceptShape, acceptStatement } from "./AcceptStatement.ts"
import type { BatchName } from "./BatchMetrics.ts"
import { type BatchClients, makeStatementBatch } from "./StatementBatch.ts"
import { statementOfShape } from "./StatementShapes.ts"

const Exception = Schema.Struct({
  nth: Schema.Int,
  reason: Schema.Literals([
    "set_up_changed",
    "phone_hour",
    "phone_day",
    "platform_day",
    "bombed",
    "key_taken",
    "ask_alone"
  ]),
  until: Schema.NullOr(Schema.Int)
})

/** The result of one acceptance; "ask_alone": only its own statement can decide. */
type AcceptVerdict = { readonly reason: null } | Pick<typeof Exception.Type, "reason" | "until">

const ACCEPTED: AcceptVerdict = { reason: null }

const OutcomeRow = Schema.Struct({
  exceptions: Schema.optionalKey(Schema.NullOr(Schema.Array(Exception))),
  webhooks: Schema.optionalKey(Schema.Int)
})

/** Phones and keys of different customers do not conflict, but that is rare, and a check would cost time. */
const conflictsOf = (phone: string, { admission, idempotency }: AcceptRequest): ReadonlyArray<string> => {
  const { hour, day, platformDay, callers } = admission.phone
  const isCounted = hour > 0 || day > 0 || platformDay > 0 || callers > 0
  if (idempotency === null) return isCounted ? [phone] : []
  return isCounted ? [phone, idempotency.key] : [idempotency.key]
}

/** How many batches check first after one had a refusal. */
const CHECKS_AFTER_REFUSAL = 64

/** A request must be refused, or another was faster: nothing of the batch was stored. */
const isContested = (error: SqlError.SqlError): boolean =>
  isRace(error) || error.reason._tag === "UniqueViolation"

interface AcceptOptions<Request extends AcceptRequest, Row extends Request> {
  readonly name: BatchName
  readonly kind: AcceptKind<Request, Row>
  /** Makes the rows of a batch, right before its statement. */
  readonly toRows: (batch: ReadonlyArray<Request>) => Effect.Effect<ReadonlyArray<Row>>
  /** Called with the number of webhooks that are due at once. */
  readonly wakeFor: (webhooks: number) => void
}

/**
 * Accepts many requests in one statement. While no request is refused, it does not check first what can refuse one,
 * which is a fifth of its cost. It counts, and if that shows a refusal, the batch is repeated with a check first, and
 * so are the next ones.
 */
const makeAcceptBatch = <Request extends AcceptRequest, Row extends Request>(
  clients: BatchClients,
  { name, kind, toRows, wakeFor }: AcceptOptions<Request, Row>,
  takeTurn: InTurn
) => {
  const decoded = decodedAs(Schema.Tuple([OutcomeRow]))
  const statementOf = statementOfShape((shape: AcceptShape) => acceptStatement(kind, shape))
  let checksLeft = 0

  const ask = (
    sql: SqlClient.SqlClient,
    checksFirst: boolean,
    batch: ReadonlyArray<Row>
  ): Effect.Effect<typeof OutcomeRow.Type, SqlError.SqlError> => {
    const { text, parameters } = statementOf({
      checksFirst,
      hasQuotas: batch.some(({ admission }) => admission.monthlyQuota > 0),
      optional: kind.optional.map(({ isNeeded }) => batch.some(isNeeded))
    })
    const customerIds = () => batch.map((row) => kind.subjectOf(row).customerId)
    return Effect.map(
      decoded(takeTurn(sql, customerIds, sql.unsafe(text, parameters(batch)))),
      ([outcome]) => {
        wakeFor(outcome.webhooks ?? 0)
        return outcome
      }
    )
  }

  const look = (sql: SqlClient.SqlClient, batch: ReadonlyArray<Row>) =>
    Effect.map(retryRaces(ask(sql, true, batch)), ({ exceptions = null }) => {
      checksLeft = exceptions === null ? checksLeft - 1 : CHECKS_AFTER_REFUSAL
      const verdicts: Array<AcceptVerdict> = batch.map(() => ACCEPTED)
      for (const { nth, ...verdict } of exceptions ?? []) verdicts[nth - 1] = verdict
      return verdicts
    })

  const accept = (sql: SqlClient.SqlClient, batch: ReadonlyArray<Row>) => {
    if (checksLeft > 0) return look(sql, batch)
    return Effect.catchIf(
      Effect.map(ask(sql, false, batch), () => batch.map(() => ACCEPTED)),
      isContested,
      () => {
        checksLeft = CHECKS_AFTER_REFUSAL
        return look(sql, batch)
      }
    )
  }

  return makeStatementBatch<SqlClient.SqlClient, Request, AcceptVerdict>(clients, {
    name,
    endsTogether: true,
    conflictsOf: (request) => conflictsOf(kind.subjectOf(request).phone, request),
    orderOf: (request) => kind.subjectOf(request).phone,
    run: (sql, batch) => Effect.flatMap(toRows(batch), (rows) => accept(sql, rows))
  })
}

/**
 * Accepts requests in batches, or `alone` if money or quota does not cover all of a batch. False if the idempotency key
 * is taken.
 */
export const makeAccept = <Request extends AcceptRequest, Row extends Request>(
  clients: BatchClients,
  options: AcceptOptions<Request, Row> & {
    readonly alone: (request: Request) => Effect.Effect<boolean, AdmissionError | SetUpChanged>
    readonly versions: SetUpVersions["Service"]
  }
) =>
  Effect.map(
    Effect.flatMap(inTurn, (takeTurn) => makeAcceptBatch(clients, options, takeTurn)),
    (acceptInBatch) => {
      const { kind, alone, versions } = options
      return (request: Request): Effect.Effect<boolean, AdmissionError | SetUpChanged> => {
        const { customerId, createdAt } = kind.subjectOf(request)
        const changed = () => versions.changed(customerId, request.setUpVersion)
        return Effect.flatMap(acceptInBatch(request), (verdict) => {
          switch (verdict.reason) {
            case "set_up_changed":
              return changed()
            case null:
              return Effect.succeed(true)
            case "key_taken":
              return Effect.succeed(false)
            case "ask_alone":
              return Effect.catchTag(alone(request), "SetUpChanged", changed)
            default:
              return Effect.fail(phoneRefusal(verdict.reason, verdict.until, createdAt))
          }
        })
      }
    }
  )
