import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { stripeOf, type WalletMove } from "../../../domain/money/Charging.ts"
import type { KeyMode } from "../../../domain/people/Customer.ts"
import type { Instant } from "../../../domain/Instant.ts"
import type { Verification } from "../../../domain/verification/Verification.ts"
import {
  mayStillSend,
  type VerificationTransition
} from "../../../domain/verification/VerificationMachine.ts"
import type { LeasedTimer, TimerKind } from "../../../domain/Timer.ts"
import { retryRaces } from "../Races.ts"
import { decodedAs } from "../SqlRows.ts"
import { type BatchColumn, batchSource, intArrayText, isVerification } from "./BatchColumns.ts"
import { batchId } from "./BatchIds.ts"
import { outboxParts } from "./OutboxParts.ts"
import { type BatchClients, makeStatementBatch } from "./StatementBatch.ts"

/** A transition of a verification. */
export interface CommitEntry {
  readonly before: Verification
  readonly transition: VerificationTransition
  readonly now: Instant
  /** The timer whose lease the transition depends on; null where it depends on none. */
  readonly heldTimer: LeasedTimer | null
  readonly move: WalletMove
  /** The events that are written to the outbox. */
  readonly events: VerificationTransition["events"]
}

/** With ids for what is written with it. */
interface CommitRow extends CommitEntry {
  readonly idAt: (place: number) => string
}

/** Which were written; null: all of them. */
const OutcomeRow = Schema.Struct({ written: Schema.NullOr(Schema.Array(Schema.Int)), webhooks: Schema.Int })

/** "held" and null set no time: the first leaves the timer as it is, the second removes it. */
const dueAtOf = ({ transition: { dueAt }, heldTimer }: CommitEntry): Instant | null =>
  typeof dueAt === "number" && heldTimer === null ? dueAt : null

/** When a released timer is due again: only the holder of its lease may release it. */
const releasedAtOf = ({ transition: { dueAt }, heldTimer }: CommitEntry): Instant | null =>
  typeof dueAt === "number" && heldTimer !== null ? dueAt : null

/** The columns of every batch. */
const columns: ReadonlyArray<BatchColumn<CommitRow>> = [
  { name: "customer_id", type: "int4", of: ({ before }) => before.customerId },
  { name: "id", type: "uuid", of: ({ before }) => before.id },
  { name: "revision_before", type: "int4", of: ({ before }) => before.revision },
  { name: "revision", type: "int4", of: ({ transition }) => transition.next.revision },
  { name: "status", type: "text", of: ({ transition }) => transition.next.status },
  { name: "attempts", type: "text", of: ({ transition }) => JSON.stringify(transition.next.attempts) },
  { name: "remaining", type: "text", of: ({ transition }) => intArrayText(transition.next.remaining) },
  { name: "slot_reserved", type: "bool", of: ({ transition }) => transition.next.slotReserved },
  { name: "repeating", type: "bool", of: ({ transition }) => transition.next.repeating },
  { name: "next_step_at", type: "timestamptz", of: ({ transition }) => transition.next.nextStepAt },
  { name: "answered_status", type: "text", of: ({ transition }) => transition.next.answeredStatus },
  { name: "answered_step", type: "int2", of: ({ transition }) => transition.next.answeredStep },
  { name: "keeps_code", type: "bool", of: ({ transition }) => mayStillSend(transition.next) },
  { name: "held", type: "int8", of: ({ transition }) => BigInt(transition.next.held) },
  { name: "captured", type: "int8", of: ({ transition }) => BigInt(transition.next.captured) },
  { name: "now", type: "timestamptz", of: ({ now }) => now },
  { name: "event_count", type: "int4", of: ({ events }) => events.length }
]

/** A part of the statement, with the columns that it alone needs: only in a batch that has a use for it. */
interface OptionalPart {
  readonly isNeeded: (entry: CommitEntry) => boolean
  readonly columns: ReadonlyArray<BatchColumn<CommitRow>>
  readonly sql: string
}

/** With constants as if they were columns of what was changed: see `withConstants`. */
const IS_TIMER_OF_CHANGED =
  "t.customer_id = c.customer_id and t.kind = c.timer_kind and t.subject = c.id and t.lane = c.timer_lane"

const optionalParts = (timerKind: TimerKind): ReadonlyArray<OptionalPart> => [
  {
    isNeeded: (entry) => dueAtOf(entry) !== null,
    columns: [{ name: "due_at", type: "timestamptz", of: dueAtOf }],
    sql: `timer as (
      update timers t set claimable_at = c.due_at, lease_token = null, parked = false from changed c
      where c.due_at is not null and ${IS_TIMER_OF_CHANGED})`
  },
  {
    isNeeded: (entry) => releasedAtOf(entry) !== null,
    columns: [
      { name: "released_at", type: "timestamptz", of: releasedAtOf },
      { name: "released_token", type: "uuid", of: ({ heldTimer }) => heldTimer?.leaseToken ?? null }
    ],
    sql: `released as (
      update timers t set claimable_at = c.released_at, lease_token = null, parked = false from changed c
      where c.released_at is not null and t.lease_token = c.released_token and ${IS_TIMER_OF_CHANGED})`
  },
  {
    isNeeded: ({ transition }) => transition.dueAt === null,
    columns: [{ name: "is_done", type: "bool", of: ({ transition }) => transition.dueAt === null }],
    sql: `done_timer as (delete from timers t using changed c where c.is_done and ${IS_TIMER_OF_CHANGED})`
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
      on conflict do nothing)`
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
        of: ({ move, events, idAt }) => (move.capture === 0 ? null : idAt(events.length))
      }
    ],
    sql: `wallet as (
      update wallets w set balance = w.balance - m.capture, held = w.held - m.freed
      from (select customer_id, stripe, sum(capture)::bigint as capture, sum(capture + release)::bigint as freed
        from changed where capture <> 0 or release <> 0 group by 1, 2 order by 1, 2) m
      where w.customer_id = m.customer_id and w.stripe = m.stripe),
    entry as (
      insert into ledger (customer_id, id, kind, amount, subject, occurred_at)
      select customer_id, ledger_id, 'capture', -capture, id, now from changed where ledger_id is not null)`
  }
]

/** Timers whose lease must last: a call to a provider comes next, or the timer is released. */
const heldColumns: ReadonlyArray<BatchColumn<CommitRow>> = [
  { name: "held_token", type: "uuid", of: ({ heldTimer }) => heldTimer?.leaseToken ?? null }
]
const isHeld = (timerKind: TimerKind) => `and (r.held_token is null or coalesce((
  select true from timers t where t.customer_id = r.customer_id and t.kind = '${timerKind}' and t.subject = r.id
    and t.lane = 0 and t.lease_token = r.held_token), false))`

const eventColumns = (index: number): ReadonlyArray<BatchColumn<CommitRow>> => [
  { name: `event_type_${index}`, type: "text", of: ({ events }) => events[index] ?? null },
  {
    name: `event_id_${index}`,
    type: "uuid",
    of: ({ events, idAt }) => (index < events.length ? idAt(index) : null)
  }
]

/** The parts of the statement that a batch needs. */
interface Shape {
  readonly parts: ReadonlyArray<OptionalPart>
  readonly hasHeld: boolean
  /** The events of the entry that has the most. */
  readonly events: number
}

const statementOf = (mode: KeyMode, timerKind: TimerKind, shape: Shape) => {
  const places = Array.from({ length: shape.events }, (_, index) => index)
  const carried = [...shape.parts.flatMap((part) => part.columns), ...places.flatMap(eventColumns)]
  const source = batchSource([...columns, ...carried, ...(shape.hasHeld ? heldColumns : [])])
  const names = ["now", "event_count", "nth", ...carried.map(({ name }) => name)]
  const outbox = outboxParts(
    mode,
    places.map((index) => ({ type: `c.event_type_${index}`, id: `c.event_id_${index}` }))
  )
  const text = `
  with changed as (
    update verifications v set status = r.status, revision = r.revision, attempts = r.attempts::jsonb,
      remaining = r.remaining::int[], slot_reserved = r.slot_reserved, repeating = r.repeating,
      next_step_at = r.next_step_at, answered_status = r.answered_status, answered_step = r.answered_step,
      sealed_code = case when r.keeps_code then v.sealed_code end,
      code_hash = case when r.status in ('pending', 'queued') then v.code_hash end,
      held = r.held, captured = r.captured, events_written = v.events_written + r.event_count
    from ${source.rows}
    where ${isVerification(mode)} and v.revision = r.revision_before ${shape.hasHeld ? isHeld(timerKind) : ""}
    returning v.customer_id, v.id, v.status, v.attempts, v.next_step_at, v.verified_at, v.events_written,
      '${timerKind}'::text as timer_kind, 0::smallint as timer_lane,
      ${names.map((name) => `r.${name}`).join(", ")})
  ${shape.parts.map(({ sql }) => `, ${sql}`).join("")}
  ${outbox.parts}
  select (select case when count(*) < cardinality($1) then coalesce(array_agg(nth::int), '{}') end
    from changed) as written, ${outbox.webhooks} as webhooks`
  return { text, parameters: source.parameters }
}

/** The statements that batches have needed: most of them the same one. */
const commitStatements = (mode: KeyMode, timerKind: TimerKind) => {
  const parts = optionalParts(timerKind)
  const made = new Map<string, ReturnType<typeof statementOf>>()
  return (entries: ReadonlyArray<CommitEntry>) => {
    const needed = parts.map(({ isNeeded }) => entries.some(isNeeded))
    const hasHeld = entries.some(({ heldTimer }) => heldTimer !== null)
    const events = entries.reduce((most, entry) => Math.max(most, entry.events.length), 0)
    const name = `${needed.join()},${hasHeld},${events}`
    const known = made.get(name)
    if (known !== undefined) return known
    const shape = { parts: parts.filter((_, index) => needed[index]), hasHeld, events }
    const statement = statementOf(mode, timerKind, shape)
    made.set(name, statement)
    return statement
  }
}

/** The result of a commit; the webhooks are those of all commits of its batch. */
export interface Committed {
  readonly isWritten: boolean
  readonly webhooks: number
}

/** Writes the transitions of many verifications in one statement. */
export const makeCommitBatch = (
  clients: BatchClients,
  mode: KeyMode,
  timerKind: TimerKind,
  newId: Effect.Effect<string>
) => {
  const statementFor = commitStatements(mode, timerKind)
  const decoded = decodedAs(Schema.Tuple([OutcomeRow]))
  return makeStatementBatch<SqlClient.SqlClient, CommitEntry, Committed>(clients, {
    name: "record",
    conflictsOf: ({ before }) => [before.id],
    orderOf: ({ before }) => before.id,
    run: (sql, entries) => {
      const { text, parameters } = statementFor(entries)
      const write = (drawn: string) => {
        const idsOf = (row: number) => (place: number) => batchId(drawn, row, place)
        return sql.unsafe(text, parameters(entries.map((entry, row) => ({ ...entry, idAt: idsOf(row) }))))
      }
      return decoded(retryRaces(Effect.flatMap(newId, write))).pipe(
        Effect.map(([{ written, webhooks }]) => {
          const places = written === null ? null : new Set(written)
          return entries.map((_, index) => ({
            isWritten: places === null || places.has(index + 1),
            webhooks
          }))
        })
      )
    }
  })
}
