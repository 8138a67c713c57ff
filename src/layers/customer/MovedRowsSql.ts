import { Effect, Schedule, Schema } from "effect"
import { type SqlClient, SqlError } from "effect/sql"
import type { Instant } from "../../domain/Instant.ts"
import { rowsOf, timestamp } from "../postgres/SqlRows.ts"

/** Rows that one statement copies or deletes. */
const ROWS = 2000
/** The classid of the locks that writes of a moving customer share, as in the trigger. */
const MOVES = 28
/** The customer's writes wait so long for the switch at most; if it did not succeed by then, it is tried again. */
export const SWITCH_MILLIS = 800
/** Definitions of triggers wait for statements that run, and others behind them. */
export const TRIGGER_MILLIS = 500
const RETRY = { times: 40, schedule: Schedule.spaced("250 millis") } as const
/** A timer that stays in the former cell until it is deleted there. */
const LATER_MILLIS = 86_400_000

const CopiedRow = Schema.Struct({ count: Schema.Int, last: Schema.NullOr(Schema.Array(Schema.String)) })
const NotedRow = Schema.Struct({ id: Schema.BigInt, key: Schema.Array(Schema.String) })
export const CountRow = Schema.Struct({ count: Schema.Int })

/** A table of the former cell and of the new one, as they stand in statements. */
export interface MovedTable {
  readonly name: string
  readonly from: string
  readonly to: string
  readonly columns: ReadonlyArray<string>
  readonly keys: ReadonlyArray<{ readonly name: string; readonly type: string }>
}

export interface Move {
  readonly customerId: number
  /** The schemas, as they stand in statements. */
  readonly from: string
  readonly to: string
  /** Null: the store's own schema. */
  readonly fromCell: number | null
  readonly toCell: number | null
  readonly switchedAt: Instant | null
  readonly tables: ReadonlyArray<MovedTable>
}

/** How the rows of a customer get to its new cell. Each step can be repeated. */
export interface MovedRows {
  /** From then on, rows are noted that are written in the former cell. */
  readonly note: (move: Move) => Effect.Effect<void>
  /** Copies all rows but timers. */
  readonly copy: (move: Move) => Effect.Effect<void>
  /** Copies rows again that were noted; how many there were. */
  readonly copyNoted: (move: Move) => Effect.Effect<number>
  /** In the transaction of the switch: writes wait from here on, what is left is copied, and the former cell refuses writes. */
  readonly leave: (move: Move, now: Instant) => Effect.Effect<void, SqlError.SqlError>
  /** Deletes the former rows, and what the move needed. */
  readonly clear: (move: Move) => Effect.Effect<void>
}

/** Of timers in two cells, both would be run. */
export const isCopiedEarly = ({ name }: MovedTable): boolean => name !== "timers"

export const timersOf = ({ tables }: Move): Effect.Effect<MovedTable> => {
  const timers = tables.find((table) => !isCopiedEarly(table))
  return timers === undefined ? Effect.die("a cell has no timers") : Effect.succeed(timers)
}

export const keyOf = ({ keys }: MovedTable, alias: string): string =>
  keys.map(({ name }) => `${alias}.${name}`).join(", ")

/** The second parameter, an array of texts, as values of the key. */
export const givenKey = ({ keys }: MovedTable): string =>
  keys.map(({ type }, nth) => `(($2::text[])[${nth + 1}])::${type}`).join(", ")

/** Whether a row's key is among those of the first parameter, a JSON array. */
export const isNoted = (table: MovedTable): string => `(${keyOf(table, "t")}) in (
  select ${table.keys.map(({ type }, nth) => `(k ->> ${nth})::${type}`).join(", ")}
  from jsonb_array_elements($1::jsonb) k)`

/** Each once, as JSON. */
export const keysOf = (noted: ReadonlyArray<{ readonly key: ReadonlyArray<string> }>): string =>
  `[${[...new Set(noted.map(({ key }) => JSON.stringify(key)))].join(", ")}]`

export const isBusy = (error: unknown): boolean =>
  SqlError.isSqlError(error) &&
  ["LockTimeoutError", "StatementTimeoutError", "DeadlockError", "SerializationError"].includes(
    error.reason._tag
  )

/** Taken alone: it waits for writes of the customer that are under way, and later ones wait for it. */
export const lockOf = (customerId: string): string => `pg_advisory_xact_lock(${MOVES}, ${customerId}::int)`

/** From now on, the statements of the transaction give up soon. */
export const hurry = (sql: SqlClient.SqlClient) =>
  Effect.forEach(
    ["lock_timeout", "statement_timeout"],
    (name) => sql`select set_config(${name}, ${`${SWITCH_MILLIS}ms`}, true)`,
    { discard: true }
  )

const makeCopies = (sql: SqlClient.SqlClient) => {
  const copiedRows = rowsOf(CopiedRow)
  const notedRows = rowsOf(NotedRow)
  const countRows = rowsOf(CountRow)

  /** Copies all rows of the customer, those again that were copied before a crash excepted. */
  const copyTable = Effect.fnUntraced(function* (customerId: number, table: MovedTable) {
    const key = keyOf(table, "t")
    const columns = table.columns.join(", ")
    let after: ReadonlyArray<string> | null = null
    for (;;) {
      const [page]: ReadonlyArray<typeof CopiedRow.Type> = yield* copiedRows(
        sql.unsafe(
          `with page as materialized (
            select ${columns} from ${table.from} t
            where t.customer_id = $1 and ($2::text[] is null or (${key}) > (${givenKey(table)}))
            order by ${key} limit ${ROWS}),
          copied as (insert into ${table.to} (${columns}) select ${columns} from page on conflict do nothing)
          select (select count(*)::int from page) as count,
            (select array[${table.keys.map(({ name }) => `t.${name}::text`).join(", ")}] from page t
              order by ${table.keys.map(({ name }) => `t.${name} desc`).join(", ")} limit 1) as last`,
          [customerId, after]
        )
      )
      if (page === undefined || page.count < ROWS) return
      after = page.last
    }
  })

  /** Copies rows again that were written since; in the caller's transaction. How many there were. */
  const copyNoted = Effect.fnUntraced(function* (customerId: number, table: MovedTable) {
    const noted = yield* notedRows(sql`
      select id, key from moved_rows where customer_id = ${customerId} and table_name = ${table.name}
      order by id limit ${ROWS}`)
    if (noted.length === 0) return 0
    const keys = keysOf(noted)
    const columns = table.columns.join(", ")
    yield* Effect.orDie(sql.unsafe(`delete from ${table.to} t where ${isNoted(table)}`, [keys]))
    yield* Effect.orDie(
      sql.unsafe(
        `insert into ${table.to} (${columns}) select ${columns} from ${table.from} t where ${isNoted(table)}`,
        [keys]
      )
    )
    yield* Effect.orDie(
      sql`delete from moved_rows where id = any(${noted.map(({ id }) => String(id))}::bigint[])`
    )
    return noted.length
  })

  const copyAllNoted = Effect.fnUntraced(function* ({ customerId, tables }: Move) {
    let copied = 0
    for (const table of tables) {
      for (;;) {
        const found = yield* copyNoted(customerId, table)
        copied += found
        if (found < ROWS) break
      }
    }
    return copied
  })

  /** Deletes the customer's rows of a table; of its former one, its trigger lets only this pass. */
  const clearTable = Effect.fnUntraced(function* (customerId: number, table: string) {
    for (;;) {
      const [page] = yield* countRows(
        sql.unsafe(
          `with quiet as materialized (select set_config('peyk.moving', $1::text, true)),
          gone as (
            delete from ${table} where ctid = any(array(
              select t.ctid from quiet, ${table} t where t.customer_id = $1::int limit ${ROWS})) returning true)
          select count(*)::int as count from gone`,
          [customerId]
        )
      )
      if (page === undefined || page.count < ROWS) return
    }
  })

  return { copyTable, copyAllNoted, clearTable }
}

const makeLeave = (sql: SqlClient.SqlClient, copyAllNoted: (move: Move) => Effect.Effect<number>) =>
  Effect.fnUntraced(function* (move: Move, now: Instant) {
    const { customerId, from, to } = move
    const timers = yield* timersOf(move)
    const columns = timers.columns.join(", ")
    yield* sql.unsafe(`select ${lockOf("$1")}`, [customerId])
    yield* copyAllNoted(move)
    yield* sql`select set_config('peyk.moving', ${String(customerId)}, true)`
    yield* sql.unsafe(
      `insert into ${to}.timers (${columns}) select ${columns} from ${from}.timers where customer_id = $1`,
      [customerId]
    )
    yield* putOff(sql, move, now)
  })

/** They stay for processes that work on them, which learn of the move by their next write. */
export const putOff = (sql: SqlClient.SqlClient, { customerId, from }: Move, now: Instant) =>
  sql.unsafe(
    `update ${from}.timers t set claimable_at = $2, parked = false from (
      select kind, subject, lane from ${from}.timers where customer_id = $1
      for update skip locked) o
    where t.customer_id = $1 and t.kind = o.kind and t.subject = o.subject and t.lane = o.lane`,
    [customerId, timestamp(now + LATER_MILLIS)]
  )

const dropsOf = (customerId: number, { from }: MovedTable): ReadonlyArray<string> =>
  ["write", "delete"].map((kind) => `drop trigger if exists moving_${customerId}_${kind} on ${from}`)

/** @param note what the triggers execute */
const triggersOf = (customerId: number, { from }: MovedTable, note: string): ReadonlyArray<string> => [
  `create trigger moving_${customerId}_write before insert or update on ${from} for each row
    when (new.customer_id = ${customerId}) execute function ${note}`,
  `create trigger moving_${customerId}_delete before delete on ${from} for each row
    when (old.customer_id = ${customerId}) execute function ${note}`
]

/** The triggers on the former tables. Each definition waits for the table, and is given up and tried again soon. */
export const makeTriggers = (sql: SqlClient.SqlClient, settings: ReadonlyArray<string> = []) => {
  const countRows = rowsOf(CountRow)
  const define = (statements: ReadonlyArray<string>) => {
    const all = [`set local lock_timeout = '${TRIGGER_MILLIS}ms'`, ...settings, ...statements]
    return sql
      .withTransaction(
        Effect.forEach(all, (statement) => sql.unsafe(statement).unprepared, { discard: true })
      )
      .pipe(Effect.retry({ ...RETRY, while: isBusy }), Effect.orDie)
  }
  return {
    /** Those of a table are made together, so a move that goes on finds all of them or none. */
    make: Effect.fnUntraced(function* (customerId: number, table: MovedTable, note: string) {
      const [made] = yield* countRows(sql`
        select count(*)::int as count from pg_trigger
        where tgrelid = ${table.from}::regclass and tgname = ${`moving_${customerId}_write`}`)
      if (made?.count !== 1) yield* define(triggersOf(customerId, table, note))
    }),
    drop: (customerId: number, table: MovedTable) => define(dropsOf(customerId, table))
  }
}

/** A call of the function of a trigger. */
export const callOf = (name: string, given: ReadonlyArray<string | number>): string =>
  `${name}(${given.map((each) => `'${each}'`).join(", ")})`

/** On one PostgreSQL. The triggers on the former tables ask the customer's row where it is. */
export const makeMovedRows = (sql: SqlClient.SqlClient): MovedRows => {
  const { copyTable, copyAllNoted, clearTable } = makeCopies(sql)
  const triggers = makeTriggers(sql)
  return {
    note: ({ customerId, fromCell, tables }) =>
      Effect.forEach(
        tables,
        (table) => {
          const given = [customerId, fromCell ?? "", ...table.keys.map(({ name }) => name)]
          return triggers.make(customerId, table, callOf("note_moved_row", given))
        },
        { discard: true }
      ),
    copy: ({ customerId, tables }) =>
      Effect.forEach(tables.filter(isCopiedEarly), (table) => copyTable(customerId, table), {
        discard: true
      }),
    copyNoted: (move) =>
      Effect.orDie(sql.withTransaction(copyAllNoted(move)).pipe(Effect.retry({ ...RETRY, while: isBusy }))),
    leave: makeLeave(sql, copyAllNoted),
    clear: Effect.fnUntraced(function* ({ customerId, tables }) {
      for (const table of tables) yield* clearTable(customerId, table.from)
      for (const table of tables) yield* triggers.drop(customerId, table)
      yield* Effect.orDie(sql`delete from moved_rows where customer_id = ${customerId}`)
    })
  }
}
