import { Effect, Option, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { KeyMode } from "../../domain/people/Customer.ts"
import type { TimerKind } from "../../domain/Timer.ts"
import type { VerificationStore } from "../../services/verification/VerificationStore.ts"
import { first, nullableTimestamp, rowsOf } from "../postgres/SqlRows.ts"
import { subjectTimers } from "../timer/SubjectTimersSql.ts"

const LeasedRow = Schema.Struct({ sealedCode: Schema.Uint8Array })

/**
 * Ends a wait early. Rows are locked in the order of all other statements, verification before timer. Each condition
 * is checked under its lock: a process that has leased the timer meanwhile keeps it.
 */
export const makeCommitLeased = (
  sql: SqlClient.SqlClient,
  mode: KeyMode,
  timerKind: TimerKind
): VerificationStore["Service"]["commitLeased"] => {
  const leasedRows = rowsOf(LeasedRow)
  const { lease: leaseTimer } = subjectTimers(sql, timerKind)
  return ({ customerId, id, revision }, { next }, lease) =>
    first(
      leasedRows(sql`
        with changed as materialized (
          select v.customer_id, v.id, v.sealed_code from verifications v
          where v.customer_id = ${customerId} and v.id = ${id}::uuid and v.mode || '' = ${mode}
            and v.revision = ${revision}
          for update),
        leased as (${leaseTimer(lease)} returning t.customer_id, t.subject)
        update verifications v set revision = ${next.revision}, next_step_at = ${nullableTimestamp(next.nextStepAt)}
        from leased l, changed c
        where v.customer_id = l.customer_id and v.id = l.subject
        returning c.sealed_code as "sealedCode"`)
    ).pipe(
      Effect.map(
        Option.map(({ sealedCode }) => ({
          timer: {
            kind: timerKind,
            customerId,
            subject: id,
            lane: 0,
            leaseToken: lease.token,
            leasedUntil: lease.until
          },
          sealedCode
        }))
      )
    )
}
