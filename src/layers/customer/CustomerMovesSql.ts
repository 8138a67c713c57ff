import { Clock, Effect, Layer, Schedule, Schema } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { cutOf, erasingTasks, type RetentionPosition } from "../../domain/Retention.ts"
import { CustomerMoves, MoveRefused } from "../../services/customer/CustomerMoves.ts"
import { Settings } from "../../services/Settings.ts"
import { type RetentionBatch, RetentionStore } from "../../services/Retention.ts"
import { Cells, STORE_CELL } from "../../services/customer/Cells.ts"
import { CELL_TABLES } from "../postgres/CellSchema.ts"
import { quotedName } from "../postgres/CellsSql.ts"
import { InstantColumn, rowsOf, timestamp } from "../postgres/SqlRows.ts"

/** Rows that one statement copies or deletes. */
const ROWS = 2000
/** The classid of the locks that writes of a moving customer share, as in the trigger. */
const MOVES = 28
/** The customer's writes wait so long for the switch at most; if it did not succeed by then, it is tried again. */
const SWITCH_MILLIS = 800
/** Definitions of triggers wait for statements that run, and others behind them. */
const TRIGGER_MILLIS = 500
const RETRY = { times: 40, schedule: Schedule.spaced("250 millis") } as const
/** By then every process has looked the customer up again, and statements that began before have ended. */
const LOOKED_UP_MILLIS = 10_000
/** A timer that stays in the former cell until it is deleted there. */
const LATER_MILLIS = 86_400_000

const PlaceRow = Schema.Struct({ schema: Schema.String })
const MoveRow = Schema.Struct({
  from: Schema.NullOr(Schema.String),
  to: Schema.NullOr(Schema.String),
  fromCell: Schema.NullOr(Schema.Int),
  toCell: Schema.NullOr(Schema.Int),
  switchedAt: Schema.NullOr(InstantColumn)
})
const CustomerRow = Schema.Struct({ cell: Schema.Int, isCell: Schema.Boolean, isCluster: Schema.Boolean })
const ColumnRow = Schema.Struct({ name: Schema.String, type: Schema.String, nth: Schema.NullOr(Schema.Int) })
const CopiedRow = Schema.Struct({ count: Schema.Int, last: Schema.NullOr(Schema.Array(Schema.String)) })
const NotedRow = Schema.Struct({ id: Schema.BigInt, key: Schema.Array(Schema.String) })
const CountRow = Schema.Struct({ count: Schema.Int })

/** A table of the former cell and of the new one, as they stand in statements. */
interface MovedTable {
  readonly name: string
  readonly from: string
  readonly to: string
  readonly columns: string
  readonly keys: ReadonlyArray<{ readonly name: string; readonly type: string }>
}

const keyOf = ({ keys }: MovedTable, alias: string): string =>
  keys.map(({ name }) => `${alias}.${name}`).join(", ")

/** The second parameter, an array of texts, as values of the key. */
const givenKey = ({ keys }: MovedTable): string =>
  keys.map(({ type }, nth) => `(($2::text[])[${nth + 1}])::${type}`).join(", ")

/** Of timers in two cells, both would be run. */
const isCopiedEarly = ({ name }: MovedTable): boolean => name !== "timers"

export const isBusy = (error: unknown): boolean =>
  SqlError.isSqlError(error) &&
  ["LockTimeoutError", "StatementTimeoutError", "DeadlockError", "SerializationError"].includes(
    error.reason._tag
  )

/** The move of a customer, and its tables. */
const makeReads = (sql: SqlClient.SqlClient) => {
  const moveRows = rowsOf(MoveRow)
  const columnRows = rowsOf(ColumnRow)
  const placeRows = rowsOf(PlaceRow)

  const moveOf = Effect.fnUntraced(function* (customerId: number) {
    const [move] = yield* moveRows(sql`
      select f.name as from, t.name as to, m.from_cell as "fromCell", m.to_cell as "toCell",
        m.switched_at as "switchedAt"
      from customer_moves m left join cells f on f.id = m.from_cell left join cells t on t.id = m.to_cell
      where m.customer_id = ${customerId}`)
    const [place] = yield* placeRows(sql`
      select n.nspname as schema from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.oid = 'customers'::regclass`)
    if (move === undefined || place === undefined) return null
    const { from, to, ...rest } = move
    return { ...rest, from: quotedName(from ?? place.schema), to: quotedName(to ?? place.schema) }
  })

  const tablesOf = ({ from, to }: { readonly from: string; readonly to: string }) =>
    Effect.forEach(CELL_TABLES, (name) =>
      Effect.map(
        columnRows(sql`
          select a.attname as name, format_type(a.atttypid, a.atttypmod) as type,
            array_position(i.indkey::int2[], a.attnum)::int as nth
          from pg_attribute a join pg_index i on i.indrelid = a.attrelid and i.indisprimary
          where a.attrelid = ${`${from}.${name}`}::regclass and a.attnum > 0 and not a.attisdropped
          order by a.attnum`),
        (columns): MovedTable => ({
          name,
          from: `${from}.${name}`,
          to: `${to}.${name}`,
          columns: columns.map((column) => column.name).join(", "),
          keys: columns
            .filter(({ nth }) => nth !== null)
            .toSorted((one, other) => (one.nth ?? 0) - (other.nth ?? 0))
        })
      )
    )
  return { moveOf, tablesOf }
}

const makeCopies = (sql: SqlClient.SqlClient) => {
  const copiedRows = rowsOf(CopiedRow)
  const notedRows = rowsOf(NotedRow)
  const countRows = rowsOf(CountRow)

  /** Copies all rows of the customer, those again that were copied before a crash excepted. */
  const copyTable = Effect.fnUntraced(function* (customerId: number, table: MovedTable) {
    const key = keyOf(table, "t")
    let after: ReadonlyArray<string> | null = null
    for (;;) {
      const [page]: ReadonlyArray<typeof CopiedRow.Type> = yield* copiedRows(
        sql.unsafe(
          `with page as materialized (
            select ${table.columns} from ${table.from} t
            where t.customer_id = $1 and ($2::text[] is null or (${key}) > (${givenKey(table)}))
            order by ${key} limit ${ROWS}),
          copied as (insert into ${table.to} (${table.columns}) select ${table.columns} from page on conflict do nothing)
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
    const keys = JSON.stringify(
      [...new Set(noted.map(({ key }) => JSON.stringify(key)))].map((key) => JSON.parse(key))
    )
    const isNoted = `(${keyOf(table, "t")}) in (
      select ${table.keys.map(({ type }, nth) => `(k ->> ${nth})::${type}`).join(", ")}
      from jsonb_array_elements($1::jsonb) k)`
    yield* Effect.orDie(sql.unsafe(`delete from ${table.to} t where ${isNoted}`, [keys]))
    yield* Effect.orDie(
      sql.unsafe(
        `insert into ${table.to} (${table.columns}) select ${table.columns} from ${table.from} t where ${isNoted}`,
        [keys]
      )
    )
    yield* Effect.orDie(
      sql`delete from moved_rows where id = any(${noted.map(({ id }) => String(id))}::bigint[])`
    )
    return noted.length
  })

  const copyAllNoted = Effect.fnUntraced(function* (customerId: number, tables: ReadonlyArray<MovedTable>) {
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

/** The triggers on the former tables. Each definition waits for the table, and is given up and tried again soon. */
const makeTriggers = (sql: SqlClient.SqlClient) => {
  const define = (statements: ReadonlyArray<string>) =>
    sql
      .withTransaction(
        Effect.gen(function* () {
          yield* sql`select set_config('lock_timeout', ${`${TRIGGER_MILLIS}ms`}, true)`
          yield* Effect.forEach(statements, (statement) => sql.unsafe(statement).unprepared, {
            discard: true
          })
        })
      )
      .pipe(Effect.retry({ ...RETRY, while: isBusy }), Effect.orDie)

  const drops = (customerId: number, { from }: MovedTable) =>
    ["write", "delete"].map((kind) => `drop trigger if exists moving_${customerId}_${kind} on ${from}`)

  return {
    make: (customerId: number, fromCell: number | null, table: MovedTable) => {
      const given = [customerId, fromCell ?? "", ...table.keys.map(({ name }) => name)]
      const note = `execute function note_moved_row(${given.map((each) => `'${each}'`).join(", ")})`
      const { from } = table
      return define([
        ...drops(customerId, table),
        `create trigger moving_${customerId}_write before insert or update on ${from} for each row
          when (new.customer_id = ${customerId}) ${note}`,
        `create trigger moving_${customerId}_delete before delete on ${from} for each row
          when (old.customer_id = ${customerId}) ${note}`
      ])
    },
    drop: (customerId: number, table: MovedTable) => define(drops(customerId, table))
  }
}

const makeBegin = (sql: SqlClient.SqlClient) => {
  const customerRows = rowsOf(CustomerRow)
  return Effect.fnUntraced(function* (customerId: number, cell: number) {
    const [customer] = yield* customerRows(sql`
      select coalesce(c.cell, ${STORE_CELL}) as cell, (${cell} = ${STORE_CELL} or exists (
          select from cells where id = ${cell})) as "isCell", to_regclass('pg_dist_schema') is not null as "isCluster"
      from customers c where c.id = ${customerId}`)
    if (customer === undefined)
      return yield* new MoveRefused({ message: `there is no customer ${customerId}` })
    if (!customer.isCell) return yield* new MoveRefused({ message: `there is no cell ${cell}` })
    if (customer.isCluster) {
      const message = "in a Citus cluster a customer cannot be moved while it sends: move its cell instead"
      return yield* new MoveRefused({ message })
    }
    if (customer.cell === cell) return false
    yield* Effect.orDie(sql`
      insert into customer_moves (customer_id, from_cell, to_cell)
      values (${customerId}, nullif(${customer.cell}::int, ${STORE_CELL}), nullif(${cell}::int, ${STORE_CELL}))`)
    return true
  })
}

export const CustomerMovesSql = Layer.effect(
  CustomerMoves,
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const settings = yield* Settings
    const retention = yield* RetentionStore
    const { inCell } = yield* Cells
    const { moveOf, tablesOf } = makeReads(sql)
    const { copyTable, copyAllNoted, clearTable } = makeCopies(sql)
    const triggers = makeTriggers(sql)
    const begin = makeBegin(sql)

    const known = (customerId: number) =>
      Effect.flatMap(moveOf(customerId), (move) =>
        move === null ? Effect.die(`customer ${customerId} is not being moved`) : Effect.succeed(move)
      )

    /** Retention has passed the customer's old rows in the former cell only, if at all. */
    const eraseOld = Effect.fnUntraced(function* (customerId: number, cell: number) {
      for (const task of erasingTasks) {
        const until = cutOf(task, settings, yield* Clock.currentTimeMillis)
        if (until === null) continue
        let position: RetentionPosition | null = { at: customerId, after: null }
        while (position?.at === customerId) {
          const batch: RetentionBatch = yield* inCell(
            cell,
            retention.runBatch({ task, from: 0, until, doneUntil: 0, position })
          )
          position = batch.next
        }
      }
    })

    return CustomerMoves.of({
      copy: Effect.fnUntraced(function* (customerId, cell) {
        const before = yield* moveOf(customerId)
        if (before !== null && (before.toCell ?? STORE_CELL) !== cell) {
          const message = `customer ${customerId} is on its way to cell ${before.toCell ?? STORE_CELL}: finish that move first`
          return yield* new MoveRefused({ message })
        }
        if (before === null && !(yield* begin(customerId, cell))) return "there"
        const move = yield* known(customerId)
        if (move.switchedAt !== null) return "switched"
        const tables = yield* tablesOf(move)
        for (const table of tables) yield* triggers.make(customerId, move.fromCell, table)
        for (const table of tables.filter(isCopiedEarly)) yield* copyTable(customerId, table)
        const noted = Effect.orDie(
          sql
            .withTransaction(copyAllNoted(customerId, tables))
            .pipe(Effect.retry({ ...RETRY, while: isBusy }))
        )
        // Until little is left for the moment in which writes wait.
        for (let rounds = 0; rounds < 20 && (yield* noted) > 100; rounds += 1) continue
        return "copied"
      }),

      switch: Effect.fnUntraced(
        function* (customerId) {
          const move = yield* known(customerId)
          if (move.switchedAt !== null) return
          const now = yield* Clock.currentTimeMillis
          const tables = yield* tablesOf(move)
          const timers = tables.find((table) => !isCopiedEarly(table))
          if (timers === undefined) return yield* Effect.die("a cell has no timers")
          for (const name of ["lock_timeout", "statement_timeout"])
            yield* sql`select set_config(${name}, ${`${SWITCH_MILLIS}ms`}, true)`
          yield* sql`select from customers where id = ${customerId} for update`
          yield* sql`select pg_advisory_xact_lock(${MOVES}::int, ${customerId}::int)`
          yield* copyAllNoted(customerId, tables)
          yield* sql`select set_config('peyk.moving', ${String(customerId)}, true)`
          yield* sql.unsafe(
            `insert into ${move.to}.timers (${timers.columns}) select ${timers.columns} from ${move.from}.timers
            where customer_id = $1`,
            [customerId]
          )
          // They stay for processes that work on them, which learn of the move by their next write.
          yield* sql.unsafe(
            `update ${move.from}.timers t set claimable_at = $2, parked = false from (
              select kind, subject, lane from ${move.from}.timers where customer_id = $1
              for update skip locked) o
            where t.customer_id = $1 and t.kind = o.kind and t.subject = o.subject and t.lane = o.lane`,
            [customerId, timestamp(now + LATER_MILLIS)]
          )
          yield* sql`update customers set cell = ${move.toCell} where id = ${customerId}`
          yield* sql`update customer_moves set switched_at = ${timestamp(now)} where customer_id = ${customerId}`
        },
        Effect.catchIf(SqlError.isSqlError, (error) => Effect.die(error))
      ),

      clear: Effect.fnUntraced(function* (customerId) {
        const move = yield* moveOf(customerId)
        if (move === null || move.switchedAt === null) return
        const tables = yield* tablesOf(move)
        const waited = (yield* Clock.currentTimeMillis) - move.switchedAt
        yield* Effect.sleep(Math.max(0, LOOKED_UP_MILLIS - waited))
        yield* eraseOld(customerId, move.toCell ?? STORE_CELL)
        for (const table of tables) yield* clearTable(customerId, table.from)
        for (const table of tables) yield* triggers.drop(customerId, table)
        yield* Effect.orDie(sql`delete from moved_rows where customer_id = ${customerId}`)
        yield* Effect.orDie(sql`delete from customer_moves where customer_id = ${customerId}`)
      })
    })
  })
)
