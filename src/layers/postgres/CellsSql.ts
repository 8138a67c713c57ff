import { type PgClient, PgConnection } from "@effect/sql-pg"
import { Array as Arr, type Cause, Context, Effect, Layer, Option, Predicate, Schema } from "effect"
import { SqlClient, SqlError } from "effect/sql"
import { NotFound } from "../../domain/Errors.ts"
import { PLATFORM } from "../../domain/customer/Customer.ts"
import {
  CustomerRows,
  type CustomerRowsShape,
  type RowGroup,
  together
} from "../../services/customer/CustomerRows.ts"
import { cachedLookup } from "./SetUpCache.ts"
import { pooled } from "./Hosts.ts"
import { decodedAs, rowsOf } from "./SqlRows.ts"

/** A schema that has the tables of sends, of some of the customers. */
export const Cell = Schema.Struct({ id: Schema.Int, name: Schema.String })
export type Cell = typeof Cell.Type

/** The store's own schema among the cells: what belongs to the platform is there. */
export const STORE_CELL = 0

/** The cells of a store, for what cannot leave them to `CustomerRows`. */
interface CellsShape extends CustomerRowsShape {
  /** Whether all rows are in one place. */
  readonly isOne: boolean
  /** The cells in their order, which begins with the store's own schema. */
  readonly ids: Effect.Effect<ReadonlyArray<number>>
  /** Does work on the rows of one cell. */
  readonly inCell: <A, E, R>(id: number, work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** The customer may have been moved; null: any of them. */
  readonly forget: (customerId: number | null) => Effect.Effect<void>
}

export const Cells = Context.Reference<CellsShape>("peyk/layers/postgres/CellsSql/Cells", {
  defaultValue: () => ({
    ...together,
    isOne: true,
    ids: Effect.succeed([STORE_CELL]),
    inCell: (_id, work) => work,
    forget: () => Effect.void
  })
})

/** The cell that a fiber works in; null: the store's own schema, which has the set-up of all customers. */
interface Place {
  readonly cell: Cell | null
  /** Where the fiber's customer is now, which can be moved meanwhile; absent where the work is about several customers. */
  readonly now?: Effect.Effect<Cell | null>
  /** Finds the customer's cell again. */
  readonly lookAgain?: Effect.Effect<unknown>
}

/** The cell of a fiber's next statement. */
export const cellOfPlace = ({ cell, now }: Place): Effect.Effect<Cell | null> => now ?? Effect.succeed(cell)

export const CurrentPlace = Context.Reference<Place>("peyk/layers/postgres/CellsSql/CurrentPlace", {
  defaultValue: () => ({ cell: null })
})

/** What the trigger of a moved customer's former tables says (`schema.sql`): nothing was stored. */
export const CUSTOMER_WAS_MOVED = "this customer was moved to another cell"

const wasMoved = (error: unknown): boolean =>
  SqlError.isSqlError(error) &&
  error.reason._tag === "SerializationError" &&
  String(Predicate.hasProperty(error.reason.cause, "message") ? error.reason.cause.message : "").includes(
    CUSTOMER_WAS_MOVED
  )

const isByMove = ({ reasons }: Cause.Cause<unknown>): boolean =>
  reasons.some(
    (reason) =>
      (reason._tag === "Fail" && wasMoved(reason.error)) || (reason._tag === "Die" && wasMoved(reason.defect))
  )

/** Each customer is moved once at a time, so a second look finds its cell; the third is for a move right after it. */
const MOST_LOOKS = 3

/** Does work where the fiber's customer is, and again if that customer has just been moved from there. */
export const followingMoves = <A, E, R>(
  { lookAgain }: Place,
  work: Effect.Effect<A, E, R>
): Effect.Effect<A, E, R> => {
  if (lookAgain === undefined) return work
  const from = (looksLeft: number): Effect.Effect<A, E, R> =>
    Effect.catchCauseIf(
      work,
      (cause) => looksLeft > 0 && isByMove(cause),
      () => Effect.andThen(lookAgain, from(looksLeft - 1))
    )
  return from(MOST_LOOKS)
}

export const quotedName = (name: string): string => `"${name.replaceAll('"', '""')}"`

/** Statements name tables alone: those of sends are found in the cell's schema, all others in the store's. */
export const pathOf = ({ name }: Cell, storePath: string): string => `${quotedName(name)}, ${storePath}`

/** What a connection sends at its start, so that its statements find tables by this path. */
export const beginningAt = ({ startupParameters }: PgClient.PgPoolConfig, path: string) => ({
  ...startupParameters,
  search_path: path
})

/** The cells of a store, and where it finds its own tables. */
export interface StoreCells {
  readonly all: ReadonlyArray<Cell>
  readonly searchPath: string
  /** Whether they are on nodes of a Citus cluster. */
  readonly areApart: boolean
}

export const NO_CELLS: StoreCells = { all: [], searchPath: "", areApart: false }

const HasCells = Schema.Tuple([
  Schema.Struct({ hasCells: Schema.Boolean, hasCitus: Schema.Boolean, searchPath: Schema.String })
])
const IsThere = Schema.Tuple([Schema.Struct({ isThere: Schema.Boolean })])
const CellRows = Schema.Array(Cell)

const HAS_DISTRIBUTED_CELLS = `select exists (select from cells c join pg_namespace n on n.nspname = c.name
  join pg_dist_schema d on d.schemaid = n.oid) as "isThere"`

/**
 * Reads them at the start, before there are pools. A role that may not read them is refused by what starts next: serve, or
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

const CurrentSchema = Schema.Tuple([Schema.Struct({ schema: Schema.NullOr(Schema.String) })])

/**
 * Whether a connection keeps the schema that it was begun with. A pooler may refuse that setting, or drop it: statements
 * about a cell would then write to the store's own schema.
 */
export const keepsSearchPath = (address: PgClient.PgPoolConfig, { all, searchPath }: StoreCells) =>
  Effect.gen(function* () {
    const [cell] = all
    if (cell === undefined) return true
    const startupParameters = beginningAt(address, pathOf(cell, searchPath))
    const connection = yield* PgConnection.make({ ...address, startupParameters, applicationName: "peyk" })
    const read = Effect.map(connection.query(`select current_schema() as "schema"`), ({ rows }) => rows)
    const [{ schema }] = yield* decodedAs(CurrentSchema)(read)
    return schema === cell.name
  }).pipe(
    Effect.scoped,
    Effect.orElseSucceed(() => false)
  )

const CustomerRow = Schema.Struct({ id: Schema.NullOr(Schema.Int), name: Schema.NullOr(Schema.String) })

/** Finds cells, and those of customers, in the store. They are looked up again after some seconds: customers can be moved. */
const makeLookups = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const customerRows = rowsOf(CustomerRow)
  const cellRows = rowsOf(Cell)
  const inStore = Effect.provideService(CurrentPlace, { cell: null })

  /** Fails without such a customer: that is not cached, because it may be created at any moment. */
  const read = Effect.fnUntraced(function* (customerId: number) {
    const [row] = yield* customerRows(sql`
      select e.id, e.name from customers c left join cells e on e.id = c.cell where c.id = ${customerId}`)
    if (row === undefined) return yield* new NotFound()
    return row.id === null || row.name === null ? null : { id: row.id, name: row.name }
  })
  const cached = yield* cachedLookup((customerId: number) => inStore(read(customerId)))
  const list = yield* cachedLookup(() => inStore(cellRows(sql`select id, name from cells order by id`)))
  const orNone = (found: Effect.Effect<Cell | null, NotFound>) =>
    Effect.catch(found, () => Effect.succeed(null))
  const ofCustomer =
    (find: (customerId: number) => Effect.Effect<Cell | null, NotFound>) => (customerId: number) =>
      customerId === PLATFORM ? Effect.succeed(null) : orNone(find(customerId))
  return {
    cellOf: ofCustomer(cached.get),
    cellNow: ofCustomer(read),
    cellAgain: ofCustomer(cached.refresh),
    forget: (customerId: number | null) =>
      customerId === null ? cached.invalidateAll : cached.invalidate(customerId),
    all: list.get("all")
  }
})

/** An open transaction keeps its connection, so it takes the cell's tables from there. */
const transactionIn = (sql: SqlClient.SqlClient, searchPath: string) => {
  const look = (at: Cell | null) => {
    const path = at === null ? searchPath : pathOf(at, searchPath)
    return Effect.orDie(sql`select set_config('search_path', ${path}, true)`)
  }
  return <A, E, R>(cell: Cell | null, work: Effect.Effect<A, E, R>) =>
    Effect.gen(function* () {
      const before = yield* cellOfPlace(yield* CurrentPlace)
      if (cell?.id === before?.id) return yield* work
      yield* look(cell)
      const done = yield* Effect.provideService(work, CurrentPlace, { cell })
      yield* look(before)
      return done
    })
}

/** Where one customer of a group has been moved, the group stored nothing: all of it is looked up and split again. */
const makeSplit = ({
  cellOf,
  cellAgain,
  inCell
}: {
  readonly cellOf: (customerId: number) => Effect.Effect<Cell | null>
  readonly cellAgain: (customerId: number) => Effect.Effect<Cell | null>
  readonly inCell: <A, E, R>(cell: Cell | null, work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}): CustomerRowsShape["split"] => {
  const split = <Row, A, E, R>(
    rows: ReadonlyArray<Row>,
    customerIdOf: (row: Row) => number,
    work: (rows: ReadonlyArray<Row>) => Effect.Effect<A, E, R>,
    looksLeft = MOST_LOOKS
  ): Effect.Effect<ReadonlyArray<A>, E, R> =>
    Effect.gen(function* () {
      const placed = yield* Effect.forEach(rows, (row) =>
        Effect.map(cellOf(customerIdOf(row)), (cell) => ({ row, cell }))
      )
      const groups = Object.values(Arr.groupBy(placed, ({ cell }) => String(cell?.id)))
      const done = yield* Effect.forEach(groups, (group) => {
        const own = group.map(({ row }) => row)
        const together = Effect.map(inCell(group[0].cell, work(own)), (made): ReadonlyArray<A> => [made])
        return Effect.catchCauseIf(
          together,
          (cause) => looksLeft > 0 && isByMove(cause),
          () =>
            Effect.andThen(
              Effect.forEach(new Set(own.map(customerIdOf)), cellAgain, { discard: true }),
              split(own, customerIdOf, work, looksLeft - 1)
            )
        )
      })
      return done.flat()
    })
  return (rows, customerIdOf, work) => split(rows, customerIdOf, work)
}

const gatheredInCells = <Request, Result>(
  make: (group: RowGroup) => (request: Request) => Effect.Effect<Result>
) => {
  const made = new Map<number, (request: Request) => Effect.Effect<Result>>()
  const makeIn = (cell: Cell | null, id: number) => {
    const gather = make({ id, contextFor: (context) => Context.add(context, CurrentPlace, { cell }) })
    made.set(id, gather)
    return gather
  }
  const at = (cell: Cell | null) => {
    const id = cell?.id ?? STORE_CELL
    return made.get(id) ?? makeIn(cell, id)
  }
  return (request: Request) =>
    Effect.flatMap(CurrentPlace, (place) =>
      followingMoves(
        place,
        Effect.flatMap(cellOfPlace(place), (cell) => at(cell)(request))
      )
    )
}

const makeCells = Effect.fnUntraced(function* ({ searchPath }: StoreCells) {
  const sql = yield* SqlClient.SqlClient
  const { cellOf, cellNow, cellAgain, forget, all } = yield* makeLookups
  const inTransaction = transactionIn(sql, searchPath)
  const isOpen = Effect.map(Effect.serviceOption(sql.transactionService), Option.isSome)

  const inCell = <A, E, R>(cell: Cell | null, work: Effect.Effect<A, E, R>) =>
    Effect.flatMap(isOpen, (open) =>
      open ? inTransaction(cell, work) : Effect.provideService(work, CurrentPlace, { cell })
    )
  const within = <A, E, R>(customerId: number, work: Effect.Effect<A, E, R>) =>
    Effect.flatMap(isOpen, (open) => {
      if (open) return Effect.flatMap(cellNow(customerId), (cell) => inTransaction(cell, work))
      if (customerId === PLATFORM) return Effect.provideService(work, CurrentPlace, { cell: null })
      const place = { cell: null, now: cellOf(customerId), lookAgain: cellAgain(customerId) }
      return Effect.provideService(work, CurrentPlace, place)
    })
  const places = Effect.map(all, (cells): ReadonlyArray<Cell | null> => [null, ...cells])

  return Cells.of({
    isOne: false,
    within,
    gathered: gatheredInCells,
    following: (work) => Effect.flatMap(CurrentPlace, (place) => followingMoves(place, work)),
    split: makeSplit({ cellOf, cellAgain, inCell }),
    ids: Effect.map(all, (cells) => [STORE_CELL, ...cells.map(({ id }) => id)]),
    inCell: (id, work) =>
      Effect.flatMap(places, (cells) => {
        const found = cells.find((cell) => (cell?.id ?? STORE_CELL) === id)
        return found === undefined ? Effect.die(`there is no cell ${id}`) : inCell(found, work)
      }),
    inEach: (work) => Effect.flatMap(places, (cells) => Effect.forEach(cells, (cell) => inCell(cell, work))),
    forget
  })
})

/** The cells of this store; without any, it is one cell itself. */
export const cellsLayer = (cells: StoreCells) =>
  Layer.effectContext(
    Effect.gen(function* () {
      if (cells.all.length === 0) return Context.empty()
      const made = yield* makeCells(cells)
      return Context.make(Cells, made).pipe(Context.add(CustomerRows, made))
    })
  )
