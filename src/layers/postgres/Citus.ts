import { Effect, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { CELL_TABLES, createCell, hasCitus, PLATFORM_COUNTERS } from "./CellSchema.ts"
import { cellOfPhone } from "./batching/PlatformCountsSql.ts"
import { emptiestCell } from "../customer/CustomerPlacementSql.ts"
import { Cell, quotedName } from "./CellsSql.ts"
import { rowsOf } from "./SqlRows.ts"

/** Why cells cannot be made or moved here. */
export class NoCitus extends Schema.TaggedError<NoCitus>()("NoCitus", { message: Schema.String }) {}

const CountRow = Schema.Struct({ count: Schema.Int })
const HoldsRow = Schema.Struct({ holds: Schema.Boolean })
const CustomerRow = Schema.Struct({ id: Schema.Int })

/** Each worker has so many cells, so that a new worker can take some from the others. */
const CELLS_PER_WORKER = 4

const countOf = (rows: Effect.Effect<ReadonlyArray<typeof CountRow.Type>>) =>
  Effect.map(rows, ([row]) => row?.count ?? 0)

const requireCitus = Effect.gen(function* () {
  if (!(yield* hasCitus)) {
    return yield* new NoCitus({
      message: "this database has no Citus: run `create extension citus` in it first, of version 12 or newer"
    })
  }
})

/** Processes look for cells when they start only: they would go on writing to where the customers were. */
const requireQuiet = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const others = yield* countOf(
    rowsOf(CountRow)(sql`
      select count(*)::int as count from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid() and application_name like 'peyk%'
        and application_name not like '%migrations' and application_name <> 'peyk'
        and backend_type = 'client backend'`)
  )
  if (others > 0) {
    return yield* new NoCitus({
      message: `Peyk's processes have ${others} connections to this store: stop them first`
    })
  }
})

export const listCells = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  return yield* rowsOf(Cell)(sql`select id, name from cells order by id`)
})

/** Makes the next cell. */
export const addCell = Effect.gen(function* () {
  const id = Math.max(0, ...(yield* listCells).map((cell) => cell.id)) + 1
  const cell: Cell = { id, name: `cell_${id}` }
  yield* createCell(cell.id, cell.name)
  return cell
})

const findEmptiestCell = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [cell] = yield* rowsOf(Cell)(sql`
    select id, name from cells where id = ${emptiestCell(sql)}`)
  return cell ?? (yield* new NoCitus({ message: "this store has no cell" }))
})

/** Moves the rows of these customers from the store's own schema to a cell. */
const moveInto = (cell: Cell, customers: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const schema = quotedName(cell.name)
    for (const table of CELL_TABLES) {
      const own = sql`from ${sql(table)} where customer_id = any(${customers}::int[])`
      yield* sql`insert into ${sql.literal(schema)}.${sql(table)} select * ${own}`
      yield* sql`delete ${own}`
    }
    yield* sql`update customers set cell = ${cell.id} where id = any(${customers}::int[])`
  })

/**
 * Moves all customers that are in no cell, one transaction for each cell: what was stopped goes on where it was. So each
 * cell gets an equal part.
 */
const fillCells = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  let moved = 0
  const cells = (yield* listCells).length
  for (let left = cells; ; left -= 1) {
    const waiting = yield* rowsOf(CustomerRow)(sql`select id from customers where cell is null order by id`)
    if (waiting.length === 0) return moved
    const share = waiting.slice(0, Math.ceil(waiting.length / Math.max(1, left))).map(({ id }) => id)
    yield* sql.withTransaction(Effect.flatMap(findEmptiestCell, (cell) => moveInto(cell, share)))
    moved += share.length
  }
})

const PlacedCell = Schema.Struct({
  id: Schema.Int,
  name: Schema.String,
  customers: Schema.Int,
  node: Schema.NullOr(Schema.String)
})

/** The cells, with the node of each; null on one PostgreSQL. */
export const placedCells = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const node = (yield* hasCitus)
    ? sql`(select s.nodename || ':' || s.nodeport from citus_shards s
        where s.table_name = to_regclass(quote_ident(e.name) || '.verifications') limit 1)`
    : sql`null`
  return yield* rowsOf(PlacedCell)(sql`
    select e.id, e.name, (select count(*)::int from customers c where c.cell = e.id) as customers, ${node} as node
    from cells e order by e.id`)
})

const phoneCell = (cells: ReadonlyArray<Cell>, phone: string): number =>
  cellOfPhone(
    cells.map(({ id }) => id),
    phone
  )

const CounterRow = Schema.Struct({ phone: Schema.String })
const COUNTERS = 1000

/** Moves the platform's counters of phones to the cells that count them from now on. */
const moveCounters = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const cells = yield* listCells
  const columns = sql.literal("phone, day_ends_at, day_used, callers, callers_until")
  const movePage = Effect.gen(function* () {
    const page = yield* rowsOf(CounterRow)(
      sql`select phone from ${sql(PLATFORM_COUNTERS)} limit ${COUNTERS} for update`
    )
    for (const { id, name } of cells) {
      const own = page.filter(({ phone }) => phoneCell(cells, phone) === id).map(({ phone }) => phone)
      yield* sql`insert into ${sql.literal(quotedName(name))}.${sql(PLATFORM_COUNTERS)} (${columns})
        select ${columns} from ${sql(PLATFORM_COUNTERS)} where phone = any(${own}::text[])`
    }
    yield* sql`delete from ${sql(PLATFORM_COUNTERS)} where phone = any(${page.map(({ phone }) => phone)}::text[])`
    return page.length
  })
  while ((yield* sql.withTransaction(movePage)) === COUNTERS) continue
})

/**
 * Citus places cells in turn, and counts those whose making was stopped: then a node has more of them. Nobody writes now,
 * so writes are blocked while cells are moved.
 */
const evenOut = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const nodes = yield* rowsOf(Schema.Struct({ host: Schema.String, port: Schema.Int }))(sql`
    select nodename as host, nodeport as port from pg_dist_node
    where noderole = 'primary' and isactive and shouldhaveshards order by nodeid`)
  for (;;) {
    const cells = yield* placedCells
    const [least, ...others] = nodes
      .map((node) => ({ ...node, cells: cells.filter((cell) => cell.node === `${node.host}:${node.port}`) }))
      .toSorted((one, other) => one.cells.length - other.cells.length)
    const most = others.at(-1)
    if (least === undefined || most === undefined || most.cells.length - least.cells.length < 2) return
    const [moved] = most.cells.toSorted((one, other) => one.customers - other.customers)
    if (moved === undefined) return
    yield* sql`select citus_schema_move(${quotedName(moved.name)}::regnamespace, ${least.host}, ${least.port}::int,
      'block_writes')`
  }
})

/** Makes the cells that are missing, and moves the customers of a filled store into them. */
export const makeCells = Effect.fnUntraced(function* (wanted: number | null) {
  const sql = yield* SqlClient.SqlClient
  yield* requireCitus
  yield* requireQuiet
  const workers = yield* countOf(
    rowsOf(CountRow)(sql`
      select count(*)::int as count from pg_dist_node where noderole = 'primary' and isactive and shouldhaveshards`)
  )
  if (workers === 0) {
    return yield* new NoCitus({
      message: "this cluster has no worker: run `select citus_add_node(…)` on the coordinator first"
    })
  }
  const count = wanted ?? workers * CELLS_PER_WORKER
  for (let made = (yield* listCells).length; made < count; made += 1) yield* addCell
  yield* evenOut
  yield* moveCounters
  return { cells: (yield* listCells).length, moved: yield* fillCells }
})

/** Moves a cell with all its rows to another node, while it is used: Citus blocks its writes for a moment at the end. */
export const moveCell = Effect.fnUntraced(function* (name: string, host: string, port: number) {
  const sql = yield* SqlClient.SqlClient
  if (!(yield* hasCitus)) {
    return yield* new NoCitus({
      message:
        "this store is on one PostgreSQL, so its cells have no other node to move to: see docs/operations.md"
    })
  }
  const [known] = yield* rowsOf(HoldsRow)(
    sql`select exists (select from cells where name = ${name}) as holds`
  )
  if (known?.holds !== true) return yield* new NoCitus({ message: `there is no cell ${name}` })
  yield* sql`select citus_schema_move(${quotedName(name)}::regnamespace, ${host}, ${port}::int)`
})
