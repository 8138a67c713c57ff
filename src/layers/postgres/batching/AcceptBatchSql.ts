import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { KeyMode } from "../../../domain/people/Customer.ts"
import type { Instant } from "../../../domain/Instant.ts"
import type { TimerKind } from "../../../domain/Timer.ts"
import type { Acceptance } from "../../../services/verification/VerificationStore.ts"
import { isRace, retryRaces } from "../Races.ts"
import { decodedAs } from "../SqlRows.ts"
import { acceptStatement, hasExtras } from "./AcceptStatement.ts"
import { type BatchClients, makeStatementBatch } from "./StatementBatch.ts"

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
export type AcceptVerdict =
  | { readonly reason: null }
  | { readonly reason: (typeof Exception.Type)["reason"]; readonly until: Instant | null }

const ACCEPTED: AcceptVerdict = { reason: null }

const OutcomeRow = Schema.Struct({ exceptions: Schema.NullOr(Schema.Array(Exception)) })

/** Phones and keys of different customers do not conflict, but that is rare, and a check would cost time. */
const conflictsOf = ({
  verification: { phone },
  admission,
  idempotency
}: Acceptance): ReadonlyArray<string> => {
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

/**
 * Accepts the verifications of many requests in one statement, before which `turn` is called. While no request is
 * refused, it does not check first what can refuse one, which is a fifth of its cost. It counts, and if that shows a
 * refusal, the batch is repeated with a check first, and so are the next ones.
 */
export const makeAcceptBatch = (
  clients: BatchClients,
  mode: KeyMode,
  timerKind: TimerKind,
  turn: () => void
) => {
  const decoded = decodedAs(Schema.Tuple([OutcomeRow]))
  const statements = (checksFirst: boolean) => {
    const made = (hasQuotas: boolean) => ({
      plain: acceptStatement({ mode, timerKind, checksFirst, hasQuotas, hasExtras: false }),
      extras: acceptStatement({ mode, timerKind, checksFirst, hasQuotas, hasExtras: true })
    })
    return { plain: made(false), quotas: made(true) }
  }
  const unseen = statements(false)
  const looking = statements(true)
  let checksLeft = 0

  const ask = (
    sql: SqlClient.SqlClient,
    { plain, quotas }: typeof unseen,
    batch: ReadonlyArray<Acceptance>
  ) => {
    const { extras, plain: usual } = batch.some(({ admission }) => admission.monthlyQuota > 0)
      ? quotas
      : plain
    const { text, parameters } = batch.some(hasExtras) ? extras : usual
    return sql.unsafe(text, parameters(batch))
  }

  const look = (sql: SqlClient.SqlClient, batch: ReadonlyArray<Acceptance>) =>
    Effect.map(decoded(retryRaces(ask(sql, looking, batch))), ([{ exceptions }]) => {
      checksLeft = exceptions === null ? checksLeft - 1 : CHECKS_AFTER_REFUSAL
      const verdicts: Array<AcceptVerdict> = batch.map(() => ACCEPTED)
      for (const { nth, ...verdict } of exceptions ?? []) verdicts[nth - 1] = verdict
      return verdicts
    })

  return makeStatementBatch<SqlClient.SqlClient, Acceptance, AcceptVerdict>(clients, {
    name: "accept",
    conflictsOf,
    orderOf: ({ verification }) => verification.phone,
    run: (sql, batch) => {
      turn()
      if (checksLeft > 0) return look(sql, batch)
      return Effect.catchIf(
        Effect.map(ask(sql, unseen, batch), () => batch.map(() => ACCEPTED)),
        isContested,
        () => {
          checksLeft = CHECKS_AFTER_REFUSAL
          return look(sql, batch)
        }
      )
    }
  })
}
