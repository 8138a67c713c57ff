import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { KeyMode } from "../../../domain/customer/Customer.ts"
import {
  type BatchColumn,
  batchId,
  batchSource,
  decodedAs,
  isRequested,
  retryRaces,
  statementOfShape
} from "../SqlRows.ts"
import { bySetUpPlace, type Sends } from "./SetUpApartSql.ts"
import { makeCommitsApart } from "./CommitApartSql.ts"
import {
  commitColumns,
  type CommitEntry,
  type CommitKind,
  commitParts,
  type CommitRow,
  type Committed,
  heldColumns,
  heldOf,
  type OptionalPart
} from "./CommitParts.ts"
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

const eventColumns = (index: number): ReadonlyArray<BatchColumn<CommitRow>> => [
  { name: `event_type_${index}`, type: "text", of: ({ transition: { events } }) => events[index] ?? null },
  {
    name: `event_id_${index}`,
    type: "uuid",
    of: ({ transition: { events }, idAt }) => (index < events.length ? idAt(index) : null)
  }
]

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

/** Writes the transitions of many sends in one statement. */
const makeCommitsTogether = <Entry extends CommitEntry>(
  kind: CommitKind<Entry>,
  newId: Effect.Effect<string>,
  send: Sends
) => {
  const statementFor = commitStatements(kind)
  const decoded = decodedAs(Schema.Tuple([OutcomeRow]))
  return (sql: SqlClient.SqlClient, entries: ReadonlyArray<Entry>) => {
    const { text, parameters } = statementFor(entries)
    const customers = () => entries.map(({ before }) => before.customerId)
    const write = (drawn: string) => {
      const idsOf = (row: number) => (place: number) => batchId(drawn, row, place)
      const rows = entries.map((entry, row) => ({ ...entry, idAt: idsOf(row) }))
      return send(sql, text, parameters(rows), customers)
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
  bySetUpPlace(
    (send) => makeCommitsTogether(kind, newId, send),
    () => makeCommitsApart(kind, newId)
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
