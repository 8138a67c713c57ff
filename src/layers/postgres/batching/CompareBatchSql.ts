import { Effect, type Option, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { KeyMode } from "../../../domain/customer/Customer.ts"
import { VerificationStatus } from "../../../domain/verification/Verification.ts"
import type { TimerKind } from "../../../domain/Timer.ts"
import type { EnteredCode } from "../../../services/verification/VerificationStore.ts"
import { stripeOf } from "../../../domain/money/Charging.ts"
import {
  type BatchColumn,
  batchId,
  batchSource,
  decodedAs,
  inOrder,
  isRequested,
  retryRaces,
  withConstants
} from "../SqlRows.ts"
import { currentSetUp } from "../SetUpCache.ts"
import { type ApartEvent, outboxApart } from "./OutboxApartSql.ts"
import { bySetUpPlace, changedSetUps, type Sends } from "./SetUpApartSql.ts"
import { rowStatement, sendAll, sent } from "./RowStatements.ts"
import { VERIFICATION_SNAPSHOT } from "../../verification/VerificationRow.ts"
import { outboxParts } from "./CommitBatchSql.ts"
import { type BatchClients, makeStatementBatch } from "./StatementBatch.ts"

/** With the id for the event that this may become. */
interface CodeRow extends EnteredCode {
  readonly eventId: string
}

/** One row for all entries with the same result: results are few, and reading each row costs time. */
const ComparedRow = Schema.Struct({
  places: Schema.Array(Schema.Int),
  matched: Schema.Boolean,
  /** Null where the set-up has changed, and nothing was compared. */
  status: Schema.NullOr(VerificationStatus),
  /** Null where the verification has ended. */
  wrongCodes: Schema.NullOr(Schema.Int),
  webhooks: Schema.Int
})
type Compared = typeof ComparedRow.Type

const columns: ReadonlyArray<BatchColumn<CodeRow>> = [
  { name: "customer_id", type: "int4", of: ({ customerId }) => customerId },
  { name: "id", type: "uuid", of: ({ id }) => id },
  { name: "code_hash", type: "bytea", of: ({ codeHash }) => codeHash },
  { name: "max_wrong", type: "int4", of: ({ maxWrongCodes }) => maxWrongCodes },
  { name: "now", type: "timestamptz", of: ({ now }) => now },
  { name: "stripe", type: "int2", of: ({ id }) => stripeOf(id) },
  { name: "event_id", type: "uuid", of: ({ eventId }) => eventId },
  { name: "set_up", type: "int4", of: ({ setUpVersion }) => setUpVersion }
]
const source = batchSource(columns)

/** Compares the codes of `r`, and ends what is to end. */
const comparedParts = (mode: KeyMode, isCurrent: string): string => `
  target as materialized (
    select v.customer_id, v.id, v.revision, v.wrong_codes, v.held as was_held, v.code_hash = r.code_hash as matched,
      v.code_hash <> r.code_hash and coalesce(v.wrong_codes + 1 >= r.max_wrong, false) as locks,
      r.now, r.nth, r.stripe, r.event_id, r.timer_kind, r.lane
    from r join verifications v on ${isRequested("v", mode)}
      and v.status in ('pending', 'queued') and v.expires_at > r.now and ${isCurrent}
    for update of v),
  compared as (
    update verifications v set
      status = case when t.matched then 'verified' when t.locks then 'locked' else v.status end,
      verified_at = case when t.matched then t.now end,
      wrong_codes = v.wrong_codes + (not t.matched)::int,
      revision = v.revision + (t.matched or t.locks)::int,
      next_step_at = case when t.matched or t.locks then null else v.next_step_at end,
      slot_reserved = v.slot_reserved and not (t.matched or t.locks),
      code_hash = case when t.matched or t.locks then null else v.code_hash end,
      sealed_code = case when t.matched or t.locks then null else v.sealed_code end,
      held = case when t.matched or t.locks then 0 else v.held end,
      events_written = v.events_written + (t.matched or t.locks)::int
    from target t where v.customer_id = t.customer_id and v.id = t.id
    returning v.customer_id, v.id, v.status, v.attempts, v.next_step_at, v.verified_at, v.events_written,
      case when not (t.matched or t.locks) then v.wrong_codes end as wrong_codes, t.matched, t.matched or t.locks as ends, t.was_held, t.now, t.nth, t.stripe, t.event_id, t.timer_kind, t.lane),
  changed as materialized (select *, 1 as event_count from compared where ends),
  wallet as (
    update wallets w set held = w.held - h.total
    from (select customer_id, stripe, sum(was_held)::bigint as total from changed where was_held > 0
      group by 1, 2 order by 1, 2) h
    where w.customer_id = h.customer_id and w.stripe = h.stripe),
  timer as (
    delete from timers t using changed c
    where t.customer_id = c.customer_id and t.kind = c.timer_kind and t.subject = c.id and t.lane = c.lane)`

/** A compared code whose verification has ended with it: it has an event. */
const ApartRow = Schema.Struct({
  nth: Schema.Int,
  matched: Schema.Boolean,
  status: VerificationStatus,
  wrongCodes: Schema.NullOr(Schema.Int),
  ends: Schema.Boolean,
  snapshot: Schema.NullOr(Schema.String)
})

/** Without what the event of an ended verification needs. */
const comparesApart = (mode: KeyMode, timerKind: TimerKind) =>
  rowStatement(
    columns,
    (rows) => `
  with r as materialized (select r.*, '${timerKind}'::text as timer_kind, 0::smallint as lane from ${rows}),
  ${comparedParts(mode, "true")}
  select nth, matched, status, wrong_codes as "wrongCodes", ends,
    case when ends then (select ${VERIFICATION_SNAPSHOT} from changed c where c.nth = compared.nth)::text end as snapshot
  from compared`
  )

const statementOf = (mode: KeyMode, timerKind: TimerKind) => {
  const ended = { type: "'verification.' || c.status", id: "c.event_id" }
  const outbox = outboxParts(mode, [ended], VERIFICATION_SNAPSHOT)
  return `
  with ${withConstants(
    source.rows,
    { timer_kind: `'${timerKind}'`, lane: "0::smallint", is_current: currentSetUp.condition },
    currentSetUp.join
  )},
  ${comparedParts(mode, "r.is_current")}
  ${outbox.parts}
  select array_agg(nth::int) as places, matched, status, wrong_codes as "wrongCodes", ${outbox.webhooks} as webhooks
  from compared group by matched, status, wrong_codes
  union all select array_agg(nth::int), false, null, null, 0 from r where not is_current having count(*) > 0`
}

type Compares = (
  sql: SqlClient.SqlClient,
  entries: ReadonlyArray<CodeRow>
) => Effect.Effect<ReadonlyArray<Compared>, SqlError.SqlError>

const comparing = (mode: KeyMode, timerKind: TimerKind, send: Sends): Compares => {
  const statement = statementOf(mode, timerKind)
  const decoded = decodedAs(Schema.Array(ComparedRow))
  return (sql, entries) =>
    decoded(
      send(sql, statement, source.parameters(entries), () => entries.map(({ customerId }) => customerId))
    )
}

/** The set-up is compared first, and events are written after it is known which codes end. */
const comparingApart = (mode: KeyMode, timerKind: TimerKind): Compares => {
  const statement = comparesApart(mode, timerKind)
  const decoded = decodedAs(Schema.Array(ApartRow))
  const outbox = outboxApart(mode, "verifications")
  const compare = Effect.fnUntraced(function* (sql: SqlClient.SqlClient, entries: ReadonlyArray<CodeRow>) {
    const changed = yield* changedSetUps(sql, entries)
    const current = entries.flatMap((entry, index) =>
      changed.has(index + 1) ? [] : [{ ...entry, place: index + 1 }]
    )
    const rows = current.length === 0 ? [] : yield* decoded(sent(statement, current)(sql))
    const found = rows.flatMap((row) => {
      const entry = current[row.nth - 1]
      return entry === undefined ? [] : [{ ...row, entry }]
    })
    const events = found.flatMap(({ ends, status, snapshot, entry }): ReadonlyArray<ApartEvent> => {
      if (!ends || snapshot === null) return []
      const { customerId, eventId, id, now } = entry
      const type = `verification.${status}`
      return [{ customerId, id: eventId, type, subject: id, before: 0, data: snapshot, occurredAt: now }]
    })
    const results = yield* sendAll(sql, outbox.statements(events))
    const webhooks = events.length === 0 ? 0 : yield* outbox.deliver(sql, events, results.at(-1) ?? [])
    return [
      ...found.map(({ entry, matched, status, wrongCodes }): Compared => ({
        places: [entry.place],
        matched,
        status,
        wrongCodes,
        webhooks
      })),
      ...[...changed].map((nth): Compared => ({
        places: [nth],
        matched: false,
        status: null,
        wrongCodes: null,
        webhooks: 0
      }))
    ]
  })
  return (sql, entries) => sql.withTransaction(compare(sql, entries))
}

/** Compares the codes of many requests in one statement. None where there is nothing to compare with. */
export const makeCompareBatch = (
  clients: BatchClients,
  mode: KeyMode,
  timerKind: TimerKind,
  newId: Effect.Effect<string>
) =>
  Effect.gen(function* () {
    const compares = yield* bySetUpPlace(
      (send) => comparing(mode, timerKind, send),
      () => comparingApart(mode, timerKind)
    )
    return yield* makeStatementBatch<SqlClient.SqlClient, EnteredCode, Option.Option<Compared>>(clients, {
      name: "check",
      endsTogether: true,
      conflictsOf: ({ id }) => [id],
      orderOf: ({ id }) => id,
      run: (sql, entries) => {
        const compare = (drawn: string) =>
          compares(
            sql,
            entries.map((entry, row) => ({ ...entry, eventId: batchId(drawn, row, 0) }))
          )
        return Effect.map(retryRaces(Effect.flatMap(newId, compare)), (rows) =>
          inOrder(
            entries.length,
            rows.flatMap((row) => row.places.map((nth) => [nth, row] as const))
          )
        )
      }
    })
  })
