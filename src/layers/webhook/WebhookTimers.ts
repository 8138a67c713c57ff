import type { LeasedTimer, TimerKind } from "../../domain/Timer.ts"
import type { BatchColumn } from "../postgres/SqlRows.ts"

/** The subject of such a timer is the event, its lane the endpoint's. */
export const WEBHOOK_TIMER: TimerKind = "webhook"

/** The columns of a batch that say which timer each row is about. */
export const timerColumns: ReadonlyArray<BatchColumn<{ readonly timer: LeasedTimer }>> = [
  { name: "customer_id", type: "int4", of: ({ timer }) => timer.customerId },
  { name: "event_id", type: "uuid", of: ({ timer }) => timer.subject },
  { name: "lane", type: "int2", of: ({ timer }) => timer.lane },
  { name: "lease_token", type: "uuid", of: ({ timer }) => timer.leaseToken }
]

/** The kind is a column, as if it came with the rows: see `withConstants`. */
export const TIMER_KIND = { timer_kind: `'${WEBHOOK_TIMER}'` }

/** Whether the timer `t` is that of a row with this alias, and still leased to it. */
export const isLeasedBy = (row: string): string =>
  `t.customer_id = ${row}.customer_id and t.kind = ${row}.timer_kind and t.subject = ${row}.event_id
      and t.lane = ${row}.lane and t.lease_token = ${row}.lease_token`
