import { Clock, Effect, Layer, Schema } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { cutOf, erasingTasks, type RetentionPosition } from "../../domain/Retention.ts"
import { CustomerMoves, MoveRefused } from "../../services/customer/CustomerMoves.ts"
import { Settings } from "../../services/Settings.ts"
import { type RetentionBatch, RetentionStore } from "../../services/Retention.ts"
import { CELL_TABLES } from "../postgres/CellSchema.ts"
import { Cells, quotedName, STORE_CELL } from "../postgres/CellsSql.ts"
import { SetUpIsApart } from "../postgres/SetUpPlace.ts"
import { InstantColumn, rowsOf, timestamp } from "../postgres/SqlRows.ts"
import { makeMovedRowsApart } from "./MovedRowsApartSql.ts"
import { hurry, makeMovedRows, type Move, type MovedTable } from "./MovedRowsSql.ts"

/** By then every process has looked the customer up again, and statements that began before have ended. */
const LOOKED_UP_MILLIS = 10_000

const PlaceRow = Schema.Struct({ schema: Schema.String })
const MoveRow = Schema.Struct({
  from: Schema.NullOr(Schema.String),
  to: Schema.NullOr(Schema.String),
  fromCell: Schema.NullOr(Schema.Int),
  toCell: Schema.NullOr(Schema.Int),
  switchedAt: Schema.NullOr(InstantColumn)
})
const CustomerRow = Schema.Struct({ cell: Schema.Int, isCell: Schema.Boolean })
const ColumnRow = Schema.Struct({ name: Schema.String, type: Schema.String, nth: Schema.NullOr(Schema.Int) })

/** The move of a customer, and its tables. */
const makeReads = (sql: SqlClient.SqlClient) => {
  const moveRows = rowsOf(MoveRow)
  const columnRows = rowsOf(ColumnRow)
  const placeRows = rowsOf(PlaceRow)

  const tablesOf = (from: string, to: string) =>
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
          columns: columns.map((column) => column.name),
          keys: columns
            .filter(({ nth }) => nth !== null)
            .toSorted((one, other) => (one.nth ?? 0) - (other.nth ?? 0))
        })
      )
    )
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
    const from = quotedName(move.from ?? place.schema)
    const to = quotedName(move.to ?? place.schema)
    const found: Move = { ...move, customerId, from, to, tables: yield* tablesOf(from, to) }
    return found
  })
  return moveOf
}

const makeBegin = (sql: SqlClient.SqlClient, areApart: boolean) => {
  const customerRows = rowsOf(CustomerRow)
  return Effect.fnUntraced(function* (customerId: number, cell: number) {
    const [customer] = yield* customerRows(sql`
      select coalesce(c.cell, ${STORE_CELL}) as cell, (${cell} = ${STORE_CELL} or exists (
          select from cells where id = ${cell})) as "isCell"
      from customers c where c.id = ${customerId}`)
    if (customer === undefined)
      return yield* new MoveRefused({ message: `there is no customer ${customerId}` })
    if (!customer.isCell) return yield* new MoveRefused({ message: `there is no cell ${cell}` })
    if (areApart && [cell, customer.cell].includes(STORE_CELL)) {
      const message =
        "in a Citus cluster all customers are in cells: run `peyk migrate --citus` for those that are in none"
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
    const areApart = yield* SetUpIsApart
    const rows = areApart ? makeMovedRowsApart(sql) : makeMovedRows(sql)
    const moveOf = makeReads(sql)
    const begin = makeBegin(sql, areApart)

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
        yield* rows.note(move)
        yield* rows.copy(move)
        // Until little is left for the moment in which writes wait.
        for (let rounds = 0; rounds < 20 && (yield* rows.copyNoted(move)) > 100; rounds += 1) continue
        return "copied"
      }),

      switch: Effect.fnUntraced(
        function* (customerId) {
          const move = yield* known(customerId)
          if (move.switchedAt !== null) return
          const now = yield* Clock.currentTimeMillis
          yield* hurry(sql)
          yield* sql`select from customers where id = ${customerId} for update`
          yield* rows.leave(move, now)
          yield* sql`update customers set cell = ${move.toCell} where id = ${customerId}`
          yield* sql`update customer_moves set switched_at = ${timestamp(now)} where customer_id = ${customerId}`
        },
        Effect.catchIf(SqlError.isSqlError, (error) => Effect.die(error))
      ),

      clear: Effect.fnUntraced(function* (customerId) {
        const move = yield* moveOf(customerId)
        if (move === null || move.switchedAt === null) return
        const waited = (yield* Clock.currentTimeMillis) - move.switchedAt
        yield* Effect.sleep(Math.max(0, LOOKED_UP_MILLIS - waited))
        yield* eraseOld(customerId, move.toCell ?? STORE_CELL)
        yield* rows.clear(move)
        yield* Effect.orDie(sql`delete from customer_moves where customer_id = ${customerId}`)
      })
    })
  })
)
