import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import { stripeOf, type WalletMove } from "../../domain/Charging.ts"
import type { KeyMode } from "../../domain/Customer.ts"
import type { Instant } from "../../domain/Instant.ts"
import type { Verification } from "../../domain/Verification.ts"
import { mayStillSend, type VerificationTransition } from "../../domain/VerificationMachine.ts"
import type { LeasedTimer, TimerKind } from "../../services/Timers.ts"
import { retryRaces } from "../AdmissionSql.ts"
import { decodedAs } from "../SqlRows.ts"
import {
  type BatchColumn,
  batchSource,
  intArrayText,
  isVerification,
  textArrayText,
  withConstants
} from "./BatchColumns.ts"
import { outboxParts } from "./OutboxParts.ts"
import { type BatchClients, makeStatementBatch } from "./StatementBatch.ts"

/** A transition of a verification, with the ids of what is written with it. */
export interface CommitEntry {
  readonly before: Verification
  readonly transition: VerificationTransition
  readonly now: Instant
  /** The timer that has to be held still, for a transition that goes on holding it. */
  readonly heldTimer: LeasedTimer | null
  readonly move: WalletMove
  readonly eventIds: ReadonlyArray<string>
  readonly ledgerId: string | null
}

/** Which were written; null: all of them. */
const OutcomeRow = Schema.Struct({ written: Schema.NullOr(Schema.Array(Schema.Int)), webhooks: Schema.Int })

/** "held" and null set no time: the first leaves the timer as it is, the second removes it. */
const dueAtOf = ({ dueAt }: VerificationTransition) => (typeof dueAt === "number" ? dueAt : null)

const columns: ReadonlyArray<BatchColumn<CommitEntry>> = [
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
  { name: "keeps_code", type: "bool", of: ({ transition }) => mayStillSend(transition.next) },
  { name: "held", type: "int8", of: ({ transition }) => BigInt(transition.next.held) },
  { name: "captured", type: "int8", of: ({ transition }) => BigInt(transition.next.captured) },
  { name: "now", type: "timestamptz", of: ({ now }) => now },
  { name: "held_token", type: "uuid", of: ({ heldTimer }) => heldTimer?.leaseToken ?? null },
  { name: "due_at", type: "timestamptz", of: ({ transition }) => dueAtOf(transition) },
  { name: "is_done", type: "bool", of: ({ transition }) => transition.dueAt === null },
  { name: "report_lane", type: "int2", of: ({ transition }) => transition.report?.step ?? null },
  { name: "report_at", type: "timestamptz", of: ({ transition }) => transition.report?.at ?? null },
  { name: "stripe", type: "int2", of: ({ before }) => stripeOf(before.id) },
  { name: "capture", type: "int8", of: ({ move }) => BigInt(move.capture) },
  { name: "release", type: "int8", of: ({ move }) => BigInt(move.release) },
  { name: "ledger_id", type: "uuid", of: ({ ledgerId }) => ledgerId },
  { name: "event_count", type: "int4", of: ({ eventIds }) => eventIds.length },
  { name: "event_types", type: "text", of: ({ transition }) => textArrayText(transition.events) },
  { name: "event_ids", type: "text", of: ({ eventIds }) => textArrayText(eventIds) }
]
const source = batchSource(columns)

const carried = [
  "now",
  "due_at",
  "is_done",
  "report_lane",
  "report_at",
  "stripe",
  "capture",
  "release",
  "ledger_id"
]
  .concat("event_count", "event_types", "event_ids", "timer_kind", "lane", "nth")
  .map((name) => `r.${name}`)
  .join(", ")

const statementOf = (mode: KeyMode, timerKind: TimerKind, announces: boolean) => {
  const outbox = outboxParts(announces, "c.event_types::text[]", "c.event_ids::uuid[]")
  const isOurTimer = `t.customer_id = c.customer_id and t.kind = c.timer_kind and t.subject = c.id and t.lane = c.lane`
  return `
  with ${withConstants(source.rows, { timer_kind: `'${timerKind}'`, lane: "0::smallint" })},
  changed as (
    update verifications v set status = r.status, revision = r.revision, attempts = r.attempts::jsonb,
      remaining = r.remaining::int[], slot_reserved = r.slot_reserved, repeating = r.repeating,
      next_step_at = r.next_step_at, sealed_code = case when r.keeps_code then v.sealed_code end,
      held = r.held, captured = r.captured, events_written = v.events_written + r.event_count
    from r
    where ${isVerification(mode)} and v.revision = r.revision_before
      and (r.held_token is null or coalesce((select true from timers t where t.customer_id = r.customer_id
        and t.kind = r.timer_kind and t.subject = r.id and t.lane = r.lane and t.lease_token = r.held_token), false))
    returning v.customer_id, v.id, v.status, v.attempts, v.next_step_at, v.verified_at, v.events_written, ${carried}),
  timer as (
    update timers t set claimable_at = c.due_at, lease_token = null from changed c
    where c.due_at is not null and ${isOurTimer}),
  done_timer as (delete from timers t using changed c where c.is_done and ${isOurTimer}),
  report as (
    insert into timers (customer_id, kind, subject, lane, claimable_at)
    select customer_id, '${timerKind}_report', id, report_lane, report_at from changed where report_at is not null
    on conflict do nothing),
  wallet as (
    update wallets w set balance = w.balance - m.capture, held = w.held - m.freed
    from (select customer_id, stripe, sum(capture)::bigint as capture, sum(capture + release)::bigint as freed
      from changed where capture <> 0 or release <> 0 group by 1, 2 order by 1, 2) m
    where w.customer_id = m.customer_id and w.stripe = m.stripe),
  entry as (
    insert into ledger (customer_id, id, kind, amount, subject, occurred_at)
    select customer_id, ledger_id, 'capture', -capture, id, now from changed where ledger_id is not null)
  ${outbox.parts}
  select (select case when count(*) < (select count(*) from r) then coalesce(array_agg(nth::int), '{}') end
    from changed) as written, ${outbox.webhooks} as webhooks`
}

/** What a commit came to; the webhooks are those of all commits of its batch. */
export interface Committed {
  readonly isWritten: boolean
  readonly webhooks: number
}

/** Writes the transitions of many verifications in one statement. */
export const makeCommitBatch = (
  clients: BatchClients,
  mode: KeyMode,
  timerKind: TimerKind,
  announces: boolean
) => {
  const statement = statementOf(mode, timerKind, announces)
  const decoded = decodedAs(Schema.Tuple([OutcomeRow]))
  return makeStatementBatch<SqlClient.SqlClient, CommitEntry, Committed>(clients, {
    conflictsOf: ({ before }) => [before.id],
    orderOf: ({ before }) => before.id,
    run: (sql, entries) =>
      decoded(retryRaces(sql.unsafe(statement, source.parameters(entries)))).pipe(
        Effect.map(([{ written, webhooks }]) => {
          const places = written === null ? null : new Set(written)
          return entries.map((_, index) => ({
            isWritten: places === null || places.has(index + 1),
            webhooks
          }))
        })
      )
  })
}
