import type { SqlClient } from "effect/sql"
import type { ReportRequest } from "../../domain/account/DeliveryReport.ts"
import type { Instant } from "../../domain/Instant.ts"
import type { Lease, LeasedTimer, TimerKind } from "../../domain/Timer.ts"
import { timestamp } from "../postgres/SqlRows.ts"

/** The SQL of one kind's timers, for statements whose part `changed` is the subject's row. */
export const subjectTimers = (sql: SqlClient.SqlClient, kind: TimerKind) => {
  /**
   * Fenced off: compared as constants, kind and lane would be worth reading all timers of them to a planner that
   * believes in few.
   */
  const subject = (lane: number) => sql`(
    select customer_id, id, ${kind}::text as kind, ${lane}::smallint as lane from changed offset 0) c`
  const isSubjects = sql`t.customer_id = c.customer_id and t.kind = c.kind and t.subject = c.id and t.lane = c.lane`
  const remove = (lane = 0) => sql`delete from timers t using ${subject(lane)} where ${isSubjects}`
  return {
    remove,
    /** Those of all lanes. */
    removeAll: sql`delete from timers t using (
      select customer_id, id, ${kind}::text as kind from changed offset 0) c
      where t.customer_id = c.customer_id and t.kind = c.kind and t.subject = c.id`,
    /** Leases it at once, unless a process has leased it. */
    lease: ({ token, until }: Lease, lane = 0) =>
      sql`update timers t set claimable_at = ${timestamp(until)}, lease_token = ${token}::uuid, parked = false
        from ${subject(lane)} where ${isSubjects} and t.lease_token is null`,
    /** A condition: whether this timer is still leased with its token. */
    isHeld: ({ customerId, subject, lane, leaseToken }: LeasedTimer) =>
      sql`exists (select from timers t where t.customer_id = ${customerId} and t.kind = ${kind}
        and t.subject = ${subject}::uuid and t.lane = ${lane} and t.lease_token = ${leaseToken}::uuid)`,
    /** A further part of the statement: the timer that asks a provider for the delivery report of a step. */
    ask: (report: ReportRequest | undefined) =>
      report === undefined
        ? sql``
        : sql`, report as (
            insert into timers (customer_id, kind, subject, lane, claimable_at)
            select c.customer_id, ${`${kind}_report`}, c.id, ${report.step}::smallint, ${timestamp(report.at)}::timestamptz
            from changed c on conflict do nothing)`,
    /** Sets when it is due, free for any process to claim. Null removes it. A held timer stays as it is. */
    write: (dueAt: Instant | null | "held", lane = 0) => {
      if (dueAt === "held") return sql`select`
      if (dueAt === null) return remove(lane)
      return sql`update timers t set claimable_at = ${timestamp(dueAt)}, lease_token = null, parked = false
        from ${subject(lane)} where ${isSubjects}`
    }
  }
}
