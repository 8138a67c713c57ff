import { Effect, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { KeyMode } from "../../../domain/people/Customer.ts"
import type { TimerKind } from "../../../domain/Timer.ts"
import { inTurn } from "../citus/Turns.ts"
import { retryRaces } from "../Races.ts"
import { decodedAs } from "../SqlRows.ts"
import { type BatchColumn, batchSource, isRequested } from "./BatchColumns.ts"
import { batchId } from "./BatchIds.ts"
import type { BatchName } from "./BatchMetrics.ts"
import {
  commitColumns,
  type CommitEntry,
  commitParts,
  type CommitRow,
  eventColumns,
  heldColumns,
  heldOf,
  type OptionalPart
} from "./CommitParts.ts"
import { outboxParts } from "./OutboxParts.ts"
import { type BatchClients, makeStatementBatch } from "./StatementBatch.ts"
import { statementOfShape } from "./StatementShapes.ts"

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
  const parts: ReadonlyArray<OptionalPart<Entry>> = [...commitParts(kind.timerKind), ...kind.parts]
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
      hasHeld: entries.some(({ heldTimer }) => heldTimer !== null),
      events: entries.reduce((most, { transition }) => Math.max(most, transition.events.length), 0)
    })
}

/** The result of a commit; the webhooks are those of all commits of its batch. */
export interface Committed {
  readonly isWritten: boolean
  readonly webhooks: number
}

/** Writes the transitions of many sends in one statement. */
const makeCommits = <Entry extends CommitEntry>(kind: CommitKind<Entry>, newId: Effect.Effect<string>) =>
  Effect.map(inTurn, (takeTurn) => {
    const statementFor = commitStatements(kind)
    const decoded = decodedAs(Schema.Tuple([OutcomeRow]))
    return (sql: SqlClient.SqlClient, entries: ReadonlyArray<Entry>) => {
      const { text, parameters } = statementFor(entries)
      const write = (drawn: string) => {
        const idsOf = (row: number) => (place: number) => batchId(drawn, row, place)
        const statement = sql.unsafe(
          text,
          parameters(entries.map((entry, row) => ({ ...entry, idAt: idsOf(row) })))
        )
        return takeTurn(sql, () => entries.map(({ before }) => before.customerId), statement)
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
  })

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
