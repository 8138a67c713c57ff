import { type PgClient, PgConnection } from "@effect/sql-pg"
import { Array as Arr, Context, Effect, Layer, Option, Schema } from "effect"
import { SqlClient, type SqlConnection, type SqlError } from "effect/sql"
import { NotFound } from "../../domain/Errors.ts"
import { PLATFORM } from "../../domain/customer/Customer.ts"
import { Cells } from "../../services/customer/Cells.ts"
import { cachedLookup } from "./SetUpCache.ts"
import { pooled } from "./Hosts.ts"
import { decodedAs, rowsOf } from "./SqlRows.ts"
import type { Connections } from "./WatchedSql.ts"

/** A schema that has the tables of sends, of some of the customers. */
export const Cell = Schema.Struct({ id: Schema.Int, name: Schema.String })
export type Cell = typeof Cell.Type

/**
 * The cell that a fiber works in; null: the store's own schema, which has the set-up of all customers, and the sends of
 * those that are in no cell.
 */
export const CurrentCell = Context.Reference<Cell | null>("peyk/layers/postgres/CellsSql/CurrentCell", {
  defaultValue: () => null
})

export const quotedName = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Statements name tables alone: those of sends are found in the cell's schema, all others in the store's. */
export const pathOf = ({ name }: Cell, storePath: string): string => `${quotedName(name)}, ${storePath}`

/** The cells of a store, and where it finds its own tables. */
export interface StoreCells {
  readonly all: ReadonlyArray<Cell>
  readonly searchPath: string
  /** Whether they are on nodes of a Citus cluster. */
  readonly areApart: boolean
}

export const NO_CELLS: StoreCells = { all: [], searchPath: "", areApart: false }

/**
 * Whether cells are on other nodes than the store's own schema. A statement is then about one cell or about the store:
 * to join both would cost several steps.
 */
export const CellsAreApart = Context.Reference<boolean>("peyk/layers/postgres/CellsSql/CellsAreApart", {
  defaultValue: () => false
})

const HasCells = Schema.Tuple([
  Schema.Struct({ hasCells: Schema.Boolean, hasCitus: Schema.Boolean, searchPath: Schema.String })
])
const IsThere = Schema.Tuple([Schema.Struct({ isThere: Schema.Boolean })])
const CellRows = Schema.Array(Cell)

const HAS_DISTRIBUTED_CELLS = `select exists (select from cells c join pg_namespace n on n.nspname = c.name
  join pg_dist_schema d on d.schemaid = n.oid) as "isThere"`

/**
 * Reads them at the start, before there are pools. A role that may not read them is told so by what starts next: serve, or
 * doctor, which names every table that the role may not use.
 */
export const readCells = (address: PgClient.PgPoolConfig): Effect.Effect<StoreCells, SqlError.SqlError> =>
  Effect.gen(function* () {
    const connection = yield* PgConnection.make({ ...address, ...pooled, applicationName: "peyk" })
    const rowsOf = (statement: string) => Effect.map(connection.query(statement), ({ rows }) => rows)
    const [{ hasCells, hasCitus, searchPath }] = yield* decodedAs(HasCells)(
      rowsOf(
        `select coalesce(has_table_privilege(to_regclass('cells'), 'select'), false) as "hasCells",
          to_regclass('pg_dist_schema') is not null as "hasCitus", current_setting('search_path') as "searchPath"`
      )
    )
    if (!hasCells) return NO_CELLS
    const all = yield* decodedAs(CellRows)(rowsOf("select id, name from cells order by id"))
    // Only Citus has the catalog.
    const [{ isThere: areApart }] = hasCitus
      ? yield* decodedAs(IsThere)(rowsOf(HAS_DISTRIBUTED_CELLS))
      : [{ isThere: false }]
    return { all, searchPath, areApart }
  }).pipe(Effect.scoped)

/** The connections of the cell that the fiber works in. */
export const connectionsOfCells = (
  store: Connections,
  cells: ReadonlyMap<number, Connections>
): Connections => {
  const chosen = Effect.flatMap(CurrentCell, (cell) => {
    const connections = cell === null ? store : cells.get(cell.id)
    return connections === undefined
      ? Effect.die(`no connections to cell ${cell?.id}`)
      : Effect.succeed(connections)
  })
  const borrower: SqlConnection.Borrower = (use) => Effect.flatMap(chosen, (found) => found.borrower(use))
  return {
    acquirer: Effect.flatMap(chosen, ({ acquirer }) => acquirer),
    borrower,
    transactionAcquirer: Effect.flatMap(chosen, ({ transactionAcquirer }) => transactionAcquirer)
  }
}

const PlaceRow = Schema.Struct({ cell: Schema.NullOr(Schema.Int) })

const enter = (cell: Cell | null) => Effect.provideService(CurrentCell, cell)

/** Finds the cells of customers in the store. A customer is looked up again after some seconds: it can be moved. */
const makeCells = Effect.fnUntraced(function* ({ all, searchPath }: StoreCells) {
  const sql = yield* SqlClient.SqlClient
  const placeRows = rowsOf(PlaceRow)
  const byId = new Map(all.map((cell) => [cell.id, cell]))

  /** Fails without such a customer: that is not cached, because it may be created at any moment. */
  const readCell = Effect.fnUntraced(function* (customerId: number) {
    const [row] = yield* placeRows(sql`select cell from customers where id = ${customerId}`)
    if (row === undefined) return yield* new NotFound()
    if (row.cell === null) return null
    return byId.get(row.cell) ?? (yield* Effect.die(`this process does not know cell ${row.cell}`))
  })
  const cached = yield* cachedLookup((customerId: number) => enter(null)(readCell(customerId)))
  const orNone = (found: Effect.Effect<Cell | null, NotFound>) =>
    Effect.catch(found, () => Effect.succeed(null))
  const cellOf = (customerId: number) =>
    customerId === PLATFORM ? Effect.succeed(null) : orNone(cached.get(customerId))

  /** An open transaction keeps its connection, so it takes the cell's tables from there. */
  const inTransaction = <A, E, R>(customerId: number, work: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const before = yield* CurrentCell
      const cell = customerId === PLATFORM ? null : yield* orNone(readCell(customerId))
      if (cell?.id === before?.id) return yield* work
      const look = (at: Cell | null) => {
        const path = at === null ? searchPath : pathOf(at, searchPath)
        return Effect.orDie(sql`select set_config('search_path', ${path}, true)`)
      }
      yield* look(cell)
      const done = yield* enter(cell)(work)
      yield* look(before)
      return done
    })

  return Cells.of({
    isOne: false,
    within: (customerId, work) =>
      Effect.flatMap(Effect.serviceOption(sql.transactionService), (transaction) =>
        Option.isSome(transaction)
          ? inTransaction(customerId, work)
          : Effect.flatMap(cellOf(customerId), (cell) => enter(cell)(work))
      ),
    split: Effect.fnUntraced(function* (rows, customerIdOf, work) {
      const placed = yield* Effect.forEach(rows, (row) =>
        Effect.map(cellOf(customerIdOf(row)), (cell) => ({ row, cell }))
      )
      const groups = Object.values(Arr.groupBy(placed, ({ cell }) => String(cell?.id)))
      return yield* Effect.forEach(groups, (group) => enter(group[0].cell)(work(group.map(({ row }) => row))))
    }),
    inEach: (work) => Effect.forEach([null, ...all], (cell) => enter(cell)(work))
  })
})

/** The cells of this store; without any, it is one cell itself. */
export const cellsLayer = (cells: StoreCells) =>
  Layer.effect(
    Cells,
    Effect.gen(function* () {
      return cells.all.length === 0 ? yield* Cells : yield* makeCells(cells)
    })
  )
