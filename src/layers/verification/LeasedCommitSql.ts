import { Effect, Option, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { KeyMode } from "../../domain/people/Customer.ts"
import type { TimerKind } from "../../domain/Timer.ts"
import type { VerificationStore } from "../../services/verification/VerificationStore.ts"
import { retryRaces } from "../postgres/Races.ts"
import { first, nullableTimestamp, rowsOf, timestamp } from "../postgres/SqlRows.ts"

const CommittedRow = Schema.Struct({ sealedCode: Schema.Uint8Array })

/**
 * Ends a wait early. Rows are locked in the order of all other statements, verification before timer. Each condition
 * is checked under its lock: a process that has leased the timer meanwhile keeps it. Kind and lane are fenced off: as
 * constants, they would be worth reading all timers of them to a planner that believes in few.
 */
export const makeCommitLeased = (
  sql: SqlClient.SqlClient,
  mode: KeyMode,
  timerKind: TimerKind
): VerificationStore["Service"]["commitLeased"] => {
  const leasedRows = rowsOf(CommittedRow)
  return ({ customerId, id, revision }, { next }, lease) =>
    first(
      leasedRows(
        retryRaces(sql`
        with changed as materialized (
          select v.customer_id, v.id, v.sealed_code from verifications v
          where v.customer_id = ${customerId} and v.id = ${id}::uuid and v.mode || '' = ${mode}
            and v.revision = ${revision}
          for update),
        leased as (
          update timers t set claimable_at = ${timestamp(lease.until)}, lease_token = ${lease.token}::uuid, parked = false
          from (select customer_id, id, ${timerKind}::text as kind, 0::smallint as lane from changed offset 0) c
          where t.customer_id = c.customer_id and t.kind = c.kind and t.subject = c.id and t.lane = c.lane
            and t.lease_token is null
          returning t.customer_id, t.subject)
        update verifications v set revision = ${next.revision}, next_step_at = ${nullableTimestamp(next.nextStepAt)}
        from leased l, changed c
        where v.customer_id = l.customer_id and v.id = l.subject
        returning c.sealed_code as "sealedCode"`)
      )
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
