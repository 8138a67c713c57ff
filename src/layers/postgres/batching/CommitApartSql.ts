import { Effect, Schema } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import { batchId, decodedAs, isRace, isRequested, retryRaces, statementOfShape } from "../SqlRows.ts"
import { type ApartEvent, outboxApart } from "./OutboxApartSql.ts"
import { rowStatement, intArrayIn, raceLost, sendAll, sent } from "./RowStatements.ts"
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

/** A cast that is immutable, of a text. */
const castIn = (column: string, cast: "jsonb" | "int[]"): string =>
  cast === "jsonb" ? `${column}::jsonb` : intArrayIn(column)

/** The statements where the set-up is apart: the first writes the sends, the others what depends on them. */
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
    sends: rowStatement<CommitRow<Entry>>(
      columns,
      (rows) => `
      update ${table} ${alias} set status = r.status, revision = r.revision, ${casting}, held = r.held,
        captured = r.captured, events_written = ${alias}.events_written + r.event_count
      from ${hasHeld ? heldOf(rows, timerKind, lane) : rows}
      where ${isRequested(alias, mode)} and ${alias}.revision = r.revision_before returning r.nth`
    ),
    parts: parts.map(({ isNeeded, apart }) => ({
      isNeeded,
      statements: apart.map((text) => rowStatement<CommitRow<Entry>>(columns, text))
    }))
  }
}

/**
 * A transition was not written, so nothing of the batch was: the statement that writes them says so, or one that depends
 * on it fails first. A wallet cannot release what another transition has released.
 */
const isUnwritten = (error: SqlError.SqlError): boolean =>
  isRace(error) || error.reason._tag === "ConstraintError" || error.reason._tag === "UniqueViolation"

const WrittenRows = Schema.Array(Schema.Struct({ nth: Schema.Int }))

/**
 * Writes the transitions of many sends where the set-up is apart. All statements are sent together, as if each
 * transition will be written; if one is not, all is undone, and the others are written after it is known which.
 */
export const makeCommitsApart = <Entry extends CommitEntry>(
  kind: CommitKind<Entry>,
  newId: Effect.Effect<string>
) => {
  const parts: ReadonlyArray<OptionalPart<Entry>> = [...commitParts(kind.timerKind, kind.lane), ...kind.parts]
  const statementsOf = statementOfShape((hasHeld: boolean) => apartStatements(kind, hasHeld, parts))
  const outbox = outboxApart(kind.mode, kind.table)
  const writtenRows = decodedAs(WrittenRows)

  const eventsOf = ({ before, transition: { next, events }, now, idAt }: CommitRow<Entry>) =>
    events.map((type, index): ApartEvent => ({
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
      return Effect.catchIf(sql.withTransaction(together(rows)), isUnwritten, () =>
        retryRaces(sql.withTransaction(inTurn(rows)))
      )
    })
  }
}
