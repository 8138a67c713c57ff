import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Instant } from "../../../domain/Instant.ts"
import type { LeasedTimer, TimerKind } from "../../../domain/Timer.ts"
import type { Transition } from "../../../domain/Transition.ts"
import { stripeOf, type WalletMove } from "../../../domain/money/Charging.ts"
import type { KeyMode } from "../../../domain/customer/Customer.ts"
import {
  type BatchColumn,
  batchId,
  batchSource,
  decodedAs,
  isRace,
  isRequested,
  retryRaces,
  statementOfShape
} from "../SqlRows.ts"
import type { BatchName } from "./BatchMetrics.ts"
import { type CellEvent, cellOutbox } from "./CellOutboxSql.ts"
import { cellStatement, intArrayIn, raceLost, sendAll, sent } from "./CellStatements.ts"
import { CellsAreApart } from "../CellsSql.ts"
import { type BatchClients, makeStatementBatch } from "./StatementBatch.ts"

/** Further parts of a batch's `with` statement, and an expression: how many webhooks are due now. */
interface OutboxParts {
  readonly parts: string
  readonly webhooks: string
}

/** SQL over `c`, for one event that a row may have. */
interface EventSource {
  readonly type: string
  readonly id: string
}

const place = (
  index: number,
  mode: KeyMode
): string => `select t.customer_id, t.id_${index}, t.type_${index}, t.id,
  t.before + ${index + 1}, t.data, t.now, '${mode}' from reported t where t.event_count > ${index}`

/**
 * The outbox of a batch whose `changed c` has `event_count` and `now` besides a row's columns, and whose
 * `events_written` has been raised already.
 *
 * @param sources the first event that a row may have, the second and so on, as many as any row has
 * @param snapshot the changing part of `c` that an event stores
 */
export const outboxParts = (
  mode: KeyMode,
  sources: ReadonlyArray<EventSource>,
  snapshot: string
): OutboxParts =>
  sources.length > 0
    ? {
        parts: `, reported as materialized (
          select c.customer_id, c.id, c.now, c.event_count, c.events_written - c.event_count as before,
            ${sources.map(({ type, id }, index) => `${type} as type_${index}, ${id} as id_${index}`).join(", ")},
            ${snapshot} as data
          from changed c where c.event_count > 0),
        event as (
          insert into events (customer_id, id, type, subject, sequence, data, occurred_at, mode)
          ${sources.map((_, index) => place(index, mode)).join(" union all ")}
          returning customer_id, id, type, occurred_at),
        wanted as materialized (
          select e.customer_id, e.id, e.occurred_at, w.id as endpoint_id, w.lane
          from event e join webhook_endpoints w on w.customer_id = e.customer_id and w.disabled_at is null
            and w.mode = '${mode}' and (w.events @> array[e.type] or w.events @> array['*'])),
        delivery as (
          insert into webhook_deliveries (customer_id, endpoint_id, event_id, status, created_at, next_try_at)
          select customer_id, endpoint_id, id, 'pending', occurred_at, occurred_at from wanted),
        webhook as (
          insert into timers as t (customer_id, kind, subject, lane, claimable_at)
          select customer_id, 'webhook', id, lane, occurred_at from wanted
          on conflict (customer_id, kind, subject, lane) do update set claimable_at = excluded.claimable_at
          where t.lease_token is null
          returning true)`,
        webhooks: "(select count(*)::int from webhook)"
      }
    : { parts: "", webhooks: "0" }

/** The part of a send that every commit writes. */
interface CommittedSend {
  readonly id: string
  readonly customerId: number
  readonly status: string
  readonly revision: number
  readonly attempts: ReadonlyArray<object>
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
type CommitRow<Entry extends CommitEntry = CommitEntry> = Entry & {
  readonly idAt: (place: number) => string
}

/** "held" and null set no time: the first leaves the timer as it is, the second removes it. */
const dueAtOf = ({ transition: { dueAt }, leasedTimer }: CommitEntry): Instant | null =>
  typeof dueAt === "number" && leasedTimer === null ? dueAt : null

/** When a released timer is due again: only the holder of its lease may release it. */
const releasedAtOf = ({ transition: { dueAt }, leasedTimer }: CommitEntry): Instant | null =>
  typeof dueAt === "number" && leasedTimer !== null ? dueAt : null

/** The columns of every batch. */
const commitColumns: ReadonlyArray<BatchColumn<CommitRow>> = [
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
interface OptionalPart<Entry extends CommitEntry = CommitEntry> {
  readonly isNeeded: (entry: Entry) => boolean
  readonly columns: ReadonlyArray<BatchColumn<CommitRow<Entry>>>
  readonly sql: string
  /** For a cell on another node: statements of their own, over the rows that need the part. */
  readonly apart: ReadonlyArray<(rows: string) => string>
}

/** With constants as if they were columns of what was changed: see `withConstants`. */
const IS_TIMER_OF_CHANGED =
  "t.customer_id = c.customer_id and t.kind = c.timer_kind and t.subject = c.id and t.lane = c.timer_lane"

/** The timer of a row `r` of the batch itself. */
const isTimerOfRow = (timerKind: TimerKind, lane: string): string =>
  `t.customer_id = r.customer_id and t.kind = '${timerKind}' and t.subject = r.id and t.lane = ${lane}`

const commitParts = (timerKind: TimerKind, lane: string): ReadonlyArray<OptionalPart> => [
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
      }
    ],
    sql: `wallet as (
      update wallets w set balance = w.balance - m.capture, held = w.held - m.freed
      from (select customer_id, stripe, sum(capture)::bigint as capture, sum(capture + release)::bigint as freed
        from changed where capture <> 0 or release <> 0 group by 1, 2 order by 1, 2) m
      where w.customer_id = m.customer_id and w.stripe = m.stripe),
    entry as (
      insert into ledger (customer_id, id, kind, amount, subject, occurred_at)
      select customer_id, ledger_id, 'capture', -capture, id, now from changed where ledger_id is not null)`,
    apart: [
      (rows) => `
      update wallets w set balance = w.balance - m.capture, held = w.held - m.freed
      from (select customer_id, stripe, sum(capture)::bigint as capture, sum(capture + release)::bigint as freed
        from ${rows} group by 1, 2 order by 1, 2) m
      where w.customer_id = m.customer_id and w.stripe = m.stripe`,
      (rows) => `
      insert into ledger (customer_id, id, kind, amount, subject, occurred_at)
      select r.customer_id, r.ledger_id, 'capture', -r.capture, r.id, r.now from here h, ${rows}
      where r.ledger_id is not null`
    ]
  }
]

/** Timers whose lease must last: a call to a provider comes next, or the timer is released. */
const heldColumns: ReadonlyArray<BatchColumn<CommitRow>> = [
  { name: "held_token", type: "uuid", of: ({ leasedTimer }) => leasedTimer?.leaseToken ?? null }
]
/** The rows without those whose timer is held by others. */
const heldOf = (rows: string, timerKind: TimerKind, lane: string): string => `(
      select r.* from ${rows} left join timers t on t.customer_id = r.customer_id and t.kind = '${timerKind}'
        and t.subject = r.id and t.lane = ${lane} and t.lease_token = r.held_token
      where r.held_token is null or t.lease_token is not null) r`

const eventColumns = (index: number): ReadonlyArray<BatchColumn<CommitRow>> => [
  { name: `event_type_${index}`, type: "text", of: ({ transition: { events } }) => events[index] ?? null },
  {
    name: `event_id_${index}`,
    type: "uuid",
    of: ({ transition: { events }, idAt }) => (index < events.length ? idAt(index) : null)
  }
]

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
  /** The same, of what is written. */
  readonly snapshotOf: (next: Entry["before"]) => object
  readonly parts: ReadonlyArray<OptionalPart<Entry>>
}

/** Which were written; null: all of them. */
const OutcomeRow = Schema.Struct({ written: Schema.NullOr(Schema.Array(Schema.Int)), webhooks: Schema.Int })

/** The parts of the statement that a batch needs. */
interface CommitShape {
  /** Which of the optional parts it has. */
  readonly needed: ReadonlyArray<boolean>
  readonly hasHeld: boolean
  /** The events of the entry that has the most. */
  readonly events: number
}

const commitStatement = <Entry extends CommitEntry>(
  kind: CommitKind<Entry>,
  shape: CommitShape,
  parts: ReadonlyArray<OptionalPart<Entry>>
) => {
  const { mode, timerKind, table, alias, lane } = kind
  const places = Array.from({ length: shape.events }, (_, index) => index)
  const carried = [...parts.flatMap((part) => part.columns), ...places.flatMap(eventColumns)]
  const source = batchSource<CommitRow<Entry>>([
    ...commitColumns,
    ...kind.columns,
    ...carried,
    ...(shape.hasHeld ? heldColumns : [])
  ])
  const names = ["now", "event_count", "nth", ...carried.map(({ name }) => name)]
  const shown = ["customer_id", "id", "status", "attempts", "events_written", ...kind.shown]
  const outbox = outboxParts(
    mode,
    places.map((index) => ({ type: `c.event_type_${index}`, id: `c.event_id_${index}` })),
    kind.snapshot
  )
  const text = `
  with changed as (
    update ${table} ${alias} set status = r.status, revision = r.revision, attempts = r.attempts,
      ${kind.sets},
      held = r.held, captured = r.captured, events_written = ${alias}.events_written + r.event_count
    from ${shape.hasHeld ? heldOf(source.rows, timerKind, lane) : source.rows}
    where ${isRequested(alias, mode)} and ${alias}.revision = r.revision_before
    returning ${shown.map((name) => `${alias}.${name}`).join(", ")},
      '${timerKind}'::text as timer_kind, ${lane} as timer_lane,
      ${names.map((name) => `r.${name}`).join(", ")})
  ${parts.map(({ sql }) => `, ${sql}`).join("")}
  ${outbox.parts}
  select (select case when count(*) < cardinality($1) then coalesce(array_agg(nth::int), '{}') end
    from changed) as written, ${outbox.webhooks} as webhooks`
  return { text, parameters: source.parameters }
}

const commitStatements = <Entry extends CommitEntry>(kind: CommitKind<Entry>) => {
  const parts: ReadonlyArray<OptionalPart<Entry>> = [...commitParts(kind.timerKind, kind.lane), ...kind.parts]
  const statementOf = statementOfShape((shape: CommitShape) =>
    commitStatement(
      kind,
      shape,
      parts.filter((_, index) => shape.needed[index])
    )
  )
  return (entries: ReadonlyArray<Entry>) =>
    statementOf({
      needed: parts.map(({ isNeeded }) => entries.some(isNeeded)),
      hasHeld: entries.some(({ leasedTimer }) => leasedTimer !== null),
      events: entries.reduce((most, { transition }) => Math.max(most, transition.events.length), 0)
    })
}

/** A cast that is immutable, of a text. */
const castIn = (column: string, cast: "jsonb" | "int[]"): string =>
  cast === "jsonb" ? `${column}::jsonb` : intArrayIn(column)

/** The statements of a cell on another node: the first writes the sends, the others what depends on them. */
const apartStatements = <Entry extends CommitEntry>(
  { mode, timerKind, table, alias, lane, ...kind }: CommitKind<Entry>,
  hasHeld: boolean,
  parts: ReadonlyArray<OptionalPart<Entry>>
) => {
  const columns = [
    ...commitColumns,
    ...kind.columns,
    ...heldColumns,
    ...parts.flatMap((part) => part.columns)
  ]
  const sets = `attempts = r.attempts, ${kind.sets}`
  const casting = columns.reduce(
    (text, { name, cast }) =>
      cast === undefined
        ? text
        : text.replaceAll(new RegExp(`\\br\\.${name}\\b`, "g"), castIn(`r.${name}`, cast)),
    sets
  )
  return {
    sends: cellStatement<CommitRow<Entry>>(
      columns,
      (rows) => `
      update ${table} ${alias} set status = r.status, revision = r.revision, ${casting}, held = r.held,
        captured = r.captured, events_written = ${alias}.events_written + r.event_count
      from ${hasHeld ? heldOf(rows, timerKind, lane) : rows}
      where ${isRequested(alias, mode)} and ${alias}.revision = r.revision_before returning r.nth`
    ),
    parts: parts.map(({ isNeeded, apart }) => ({
      isNeeded,
      statements: apart.map((text) => cellStatement<CommitRow<Entry>>(columns, text))
    }))
  }
}

const WrittenRows = Schema.Array(Schema.Struct({ nth: Schema.Int }))

/**
 * Writes the transitions of many sends to a cell on another node. All statements are sent together, as if each
 * transition will be written; if one is not, all is undone, and the others are written after it is known which.
 */
const makeCommitsApart = <Entry extends CommitEntry>(
  kind: CommitKind<Entry>,
  newId: Effect.Effect<string>
) => {
  const parts: ReadonlyArray<OptionalPart<Entry>> = [...commitParts(kind.timerKind, kind.lane), ...kind.parts]
  const statementsOf = statementOfShape((hasHeld: boolean) => apartStatements(kind, hasHeld, parts))
  const outbox = cellOutbox(kind.mode, kind.table)
  const writtenRows = decodedAs(WrittenRows)

  const eventsOf = ({ before, transition: { next, events }, now, idAt }: CommitRow<Entry>) =>
    events.map((type, index): CellEvent => ({
      customerId: before.customerId,
      id: idAt(index),
      type,
      subject: before.id,
      before: events.length - index - 1,
      data: JSON.stringify(kind.snapshotOf(next)),
      occurredAt: now
    }))

  return (sql: SqlClient.SqlClient, entries: ReadonlyArray<Entry>) => {
    const { sends, parts: others } = statementsOf(entries.some(({ leasedTimer }) => leasedTimer !== null))
    const dependent = (rows: ReadonlyArray<CommitRow<Entry>>) => [
      ...others.flatMap(({ isNeeded, statements }) => {
        const own = rows.filter(isNeeded)
        return own.length === 0 ? [] : statements.map((statement) => sent(statement, own))
      }),
      ...outbox.statements(rows.flatMap(eventsOf))
    ]
    const committed = (written: ReadonlyArray<CommitRow<Entry>>, webhooks: number) => {
      const ids = new Set(written.map(({ before }) => before.id))
      return entries.map(({ before }): Committed => ({ isWritten: ids.has(before.id), webhooks }))
    }
    const together = Effect.fnUntraced(function* (rows: ReadonlyArray<CommitRow<Entry>>) {
      const [updated = [], ...results] = yield* sendAll(sql, [sent(sends, rows), ...dependent(rows)])
      if (updated.length < rows.length) return yield* Effect.fail(raceLost("a transition was not written"))
      const webhooks = yield* outbox.deliver(sql, rows.flatMap(eventsOf), results.at(-1) ?? [])
      return committed(rows, webhooks)
    })
    const inTurn = Effect.fnUntraced(function* (rows: ReadonlyArray<CommitRow<Entry>>) {
      const updated = yield* writtenRows(sent(sends, rows)(sql))
      const places = new Set(updated.map(({ nth }) => nth))
      const written = rows.filter((_, index) => places.has(index + 1))
      const results = yield* sendAll(sql, dependent(written))
      const webhooks = yield* outbox.deliver(sql, written.flatMap(eventsOf), results.at(-1) ?? [])
      return committed(written, webhooks)
    })
    return Effect.flatMap(newId, (drawn) => {
      const idsOf = (row: number) => (place: number) => batchId(drawn, row, place)
      const rows = entries.map((entry, row): CommitRow<Entry> => ({ ...entry, idAt: idsOf(row) }))
      return Effect.catchIf(sql.withTransaction(together(rows)), isRace, () =>
        retryRaces(sql.withTransaction(inTurn(rows)))
      )
    })
  }
}

/** The result of a commit; the webhooks are those of all commits of its batch. */
interface Committed {
  readonly isWritten: boolean
  readonly webhooks: number
}

/** Writes the transitions of many sends in one statement. */
const makeCommitsTogether = <Entry extends CommitEntry>(
  kind: CommitKind<Entry>,
  newId: Effect.Effect<string>
) => {
  const statementFor = commitStatements(kind)
  const decoded = decodedAs(Schema.Tuple([OutcomeRow]))
  return (sql: SqlClient.SqlClient, entries: ReadonlyArray<Entry>) => {
    const { text, parameters } = statementFor(entries)
    const write = (drawn: string) => {
      const idsOf = (row: number) => (place: number) => batchId(drawn, row, place)
      return sql.unsafe(text, parameters(entries.map((entry, row) => ({ ...entry, idAt: idsOf(row) }))))
    }
    return decoded(retryRaces(Effect.flatMap(newId, write))).pipe(
      Effect.map(([{ written, webhooks }]) => {
        const places = written === null ? null : new Set(written)
        return entries.map((_, index): Committed => ({
          isWritten: places === null || places.has(index + 1),
          webhooks
        }))
      })
    )
  }
}

const makeCommits = <Entry extends CommitEntry>(kind: CommitKind<Entry>, newId: Effect.Effect<string>) =>
  Effect.map(CellsAreApart, (areApart) =>
    areApart ? makeCommitsApart(kind, newId) : makeCommitsTogether(kind, newId)
  )

export const makeCommitBatch = <Entry extends CommitEntry>(
  clients: BatchClients,
  kind: CommitKind<Entry>,
  newId: Effect.Effect<string>
) =>
  Effect.flatMap(makeCommits(kind, newId), (run) =>
    makeStatementBatch<SqlClient.SqlClient, Entry, Committed>(clients, {
      name: kind.name,
      conflictsOf: ({ before }) => [before.id],
      orderOf: ({ before }) => before.id,
      run
    })
  )

/**
 * Writes one transition by itself. Batches have connections of their own: only this is a part of the caller's
 * transaction, where a race must not end more than the statement.
 */
export const makeCommitSingle = <Entry extends CommitEntry>(
  sql: SqlClient.SqlClient,
  kind: CommitKind<Entry>,
  newId: Effect.Effect<string>
) =>
  Effect.map(
    makeCommits(kind, newId),
    (run) =>
      (entry: Entry): Effect.Effect<Committed> =>
        sql.withTransaction(run(sql, [entry])).pipe(
          Effect.catchTag("SqlError", Effect.die),
          Effect.flatMap(([committed]) =>
            committed === undefined ? Effect.die("a commit has no outcome") : Effect.succeed(committed)
          )
        )
  )
