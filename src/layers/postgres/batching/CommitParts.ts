import type { Instant } from "../../../domain/Instant.ts"
import type { LeasedTimer, TimerKind } from "../../../domain/Timer.ts"
import type { Transition } from "../../../domain/Transition.ts"
import { chargedChannel, stripeOf, type WalletMove } from "../../../domain/money/Charging.ts"
import type { KeyMode } from "../../../domain/customer/Customer.ts"
import type { Channel } from "../../../domain/routing/Channel.ts"
import type { BatchColumn } from "../SqlRows.ts"
import type { BatchName } from "./StatementBatch.ts"

/** The part of a send that every commit writes. */
interface CommittedSend {
  readonly id: string
  readonly customerId: number
  readonly status: string
  readonly revision: number
  readonly attempts: ReadonlyArray<{ readonly step: number; readonly status: string }>
  readonly route: ReadonlyArray<{ readonly channel: Channel }>
  readonly held: number
  readonly captured: number
}

/** A transition of a send. */
export interface CommitEntry<State extends CommittedSend = CommittedSend> {
  readonly before: State
  readonly transition: Transition<State, string, Instant | null | "held">
  readonly now: Instant
  /** The timer whose lease the transition depends on; null where it depends on none. */
  readonly leasedTimer: LeasedTimer | null
  readonly move: WalletMove
}

/** With ids for what is written with it. */
export type CommitRow<Entry extends CommitEntry = CommitEntry> = Entry & {
  readonly idAt: (place: number) => string
}

/** "held" and null set no time: the first leaves the timer as it is, the second removes it. */
const dueAtOf = ({ transition: { dueAt }, leasedTimer }: CommitEntry): Instant | null =>
  typeof dueAt === "number" && leasedTimer === null ? dueAt : null

/** When a released timer is due again: only the holder of its lease may release it. */
const releasedAtOf = ({ transition: { dueAt }, leasedTimer }: CommitEntry): Instant | null =>
  typeof dueAt === "number" && leasedTimer !== null ? dueAt : null

/** The columns of every batch. */
export const commitColumns: ReadonlyArray<BatchColumn<CommitRow>> = [
  { name: "customer_id", type: "int4", of: ({ before }) => before.customerId },
  { name: "id", type: "uuid", of: ({ before }) => before.id },
  { name: "revision_before", type: "int4", of: ({ before }) => before.revision },
  { name: "revision", type: "int4", of: ({ transition }) => transition.next.revision },
  { name: "status", type: "text", of: ({ transition }) => transition.next.status },
  {
    name: "attempts",
    type: "text",
    cast: "jsonb",
    of: ({ transition }) => JSON.stringify(transition.next.attempts)
  },
  { name: "held", type: "int8", of: ({ transition }) => BigInt(transition.next.held) },
  { name: "captured", type: "int8", of: ({ transition }) => BigInt(transition.next.captured) },
  { name: "now", type: "timestamptz", of: ({ now }) => now },
  { name: "event_count", type: "int4", of: ({ transition }) => transition.events.length }
]

/** A part of the statement, with the columns that it alone needs: only in a batch that has a use for it. */
export interface OptionalPart<Entry extends CommitEntry = CommitEntry> {
  readonly isNeeded: (entry: Entry) => boolean
  readonly columns: ReadonlyArray<BatchColumn<CommitRow<Entry>>>
  readonly sql: string
  /** Where the set-up is apart: statements of their own, over the rows that need the part. */
  readonly apart: ReadonlyArray<(rows: string) => string>
}

/** With constants as if they were columns of what was changed: see `withConstants`. */
const IS_TIMER_OF_CHANGED =
  "t.customer_id = c.customer_id and t.kind = c.timer_kind and t.subject = c.id and t.lane = c.timer_lane"

/** The timer of a row `r` of the batch itself. */
const isTimerOfRow = (timerKind: TimerKind, lane: string): string =>
  `t.customer_id = r.customer_id and t.kind = '${timerKind}' and t.subject = r.id and t.lane = ${lane}`

export const commitParts = (timerKind: TimerKind, lane: string): ReadonlyArray<OptionalPart> => [
  {
    isNeeded: (entry) => dueAtOf(entry) !== null,
    columns: [{ name: "due_at", type: "timestamptz", of: dueAtOf }],
    sql: `timer as (
      update timers t set claimable_at = c.due_at, lease_token = null, parked = false from changed c
      where c.due_at is not null and ${IS_TIMER_OF_CHANGED})`,
    apart: [
      (rows) => `
      update timers t set claimable_at = r.due_at, lease_token = null, parked = false from ${rows}
      where ${isTimerOfRow(timerKind, lane)}`
    ]
  },
  {
    isNeeded: (entry) => releasedAtOf(entry) !== null,
    columns: [
      { name: "released_at", type: "timestamptz", of: releasedAtOf },
      { name: "released_token", type: "uuid", of: ({ leasedTimer }) => leasedTimer?.leaseToken ?? null }
    ],
    sql: `released as (
      update timers t set claimable_at = c.released_at, lease_token = null, parked = false from changed c
      where c.released_at is not null and t.lease_token = c.released_token and ${IS_TIMER_OF_CHANGED})`,
    apart: [
      (rows) => `
      update timers t set claimable_at = r.released_at, lease_token = null, parked = false from ${rows}
      where t.lease_token = r.released_token and ${isTimerOfRow(timerKind, lane)}`
    ]
  },
  {
    isNeeded: ({ transition }) => transition.dueAt === null,
    columns: [{ name: "is_done", type: "bool", of: ({ transition }) => transition.dueAt === null }],
    sql: `done_timer as (delete from timers t using changed c where c.is_done and ${IS_TIMER_OF_CHANGED})`,
    apart: [(rows) => `delete from timers t using ${rows} where ${isTimerOfRow(timerKind, lane)}`]
  },
  {
    isNeeded: ({ transition }) => transition.report !== undefined,
    columns: [
      { name: "report_lane", type: "int2", of: ({ transition }) => transition.report?.step ?? null },
      { name: "report_at", type: "timestamptz", of: ({ transition }) => transition.report?.at ?? null }
    ],
    sql: `report as (
      insert into timers (customer_id, kind, subject, lane, claimable_at)
      select customer_id, '${timerKind}_report', id, report_lane, report_at from changed where report_at is not null
      on conflict do nothing)`,
    apart: [
      (rows) => `
      insert into timers (customer_id, kind, subject, lane, claimable_at)
      select r.customer_id, '${timerKind}_report', r.id, r.report_lane, r.report_at from here h, ${rows}
      on conflict do nothing`
    ]
  },
  {
    isNeeded: ({ move }) => move.capture !== 0 || move.release !== 0,
    columns: [
      { name: "stripe", type: "int2", of: ({ before }) => stripeOf(before.id) },
      { name: "capture", type: "int8", of: ({ move }) => BigInt(move.capture) },
      { name: "release", type: "int8", of: ({ move }) => BigInt(move.release) },
      {
        name: "ledger_id",
        type: "uuid",
        of: ({ move, transition, idAt }) => (move.capture === 0 ? null : idAt(transition.events.length))
      },
      {
        name: "paid_channel",
        type: "text",
        of: ({ before, move, transition }) =>
          move.capture === 0 ? null : chargedChannel(before, transition.next)
      }
    ],
    sql: `wallet as (
      update wallets w set balance = w.balance - m.capture, held = w.held - m.freed
      from (select customer_id, stripe, sum(capture)::bigint as capture, sum(capture + release)::bigint as freed
        from changed where capture <> 0 or release <> 0 group by 1, 2 order by 1, 2) m
      where w.customer_id = m.customer_id and w.stripe = m.stripe),
    entry as (
      insert into ledger (customer_id, id, kind, amount, subject, occurred_at, channel)
      select customer_id, ledger_id, 'capture', -capture, id, now, paid_channel from changed where ledger_id is not null)`,
    apart: [
      (rows) => `
      update wallets w set balance = w.balance - m.capture, held = w.held - m.freed
      from (select customer_id, stripe, sum(capture)::bigint as capture, sum(capture + release)::bigint as freed
        from ${rows} group by 1, 2 order by 1, 2) m
      where w.customer_id = m.customer_id and w.stripe = m.stripe`,
      (rows) => `
      insert into ledger (customer_id, id, kind, amount, subject, occurred_at, channel)
      select r.customer_id, r.ledger_id, 'capture', -r.capture, r.id, r.now, r.paid_channel from here h, ${rows}
      where r.ledger_id is not null`
    ]
  }
]

/** Timers whose lease must last: a call to a provider comes next, or the timer is released. */
export const heldColumns: ReadonlyArray<BatchColumn<CommitRow>> = [
  { name: "held_token", type: "uuid", of: ({ leasedTimer }) => leasedTimer?.leaseToken ?? null }
]
/** The rows without those whose timer is held by others. */
export const heldOf = (rows: string, timerKind: TimerKind, lane: string): string => `(
      select r.* from ${rows} left join timers t on t.customer_id = r.customer_id and t.kind = '${timerKind}'
        and t.subject = r.id and t.lane = ${lane} and t.lease_token = r.held_token
      where r.held_token is null or t.lease_token is not null) r`

/** The sends of one mode whose transitions are committed. */
export interface CommitKind<Entry extends CommitEntry> {
  readonly name: BatchName
  readonly mode: KeyMode
  readonly timerKind: TimerKind
  readonly table: "verifications" | "messages"
  readonly alias: "v" | "m"
  readonly columns: ReadonlyArray<BatchColumn<CommitRow<Entry>>>
  /** Sets the columns that only this kind has. */
  readonly sets: string
  /** The lane of a row's timer. */
  readonly lane: string
  /** Columns of the alias that the snapshot needs. */
  readonly shown: ReadonlyArray<string>
  /** The changing part of a row `c` that an event stores. */
  readonly snapshot: string
  /** What `snapshot` selects, made from the state that is written. */
  readonly snapshotOf: (next: Entry["before"]) => object
  readonly parts: ReadonlyArray<OptionalPart<Entry>>
}

/** The result of a commit; the webhooks are those of all commits of its batch. */
export interface Committed {
  readonly isWritten: boolean
  readonly webhooks: number
}
