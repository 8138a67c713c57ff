import { Context, Effect } from "effect"

/** The store's own schema among the cells: what belongs to the platform is there. */
export const STORE_CELL = 0

/**
 * Where the rows of customers' sends are: each customer's are in one cell. A store on one PostgreSQL is one cell, and
 * then this adds nothing to any work.
 */
interface CellsShape {
  /** Whether all rows are in one place. */
  readonly isOne: boolean
  /** Does work about one customer where its rows are. */
  readonly within: <A, E, R>(customerId: number, work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Does work again that stored nothing because its customer had just been moved to another cell. */
  readonly following: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Does work about rows of many customers, separately for those of each cell. */
  readonly split: <Row, A, E, R>(
    rows: ReadonlyArray<Row>,
    customerIdOf: (row: Row) => number,
    work: (rows: ReadonlyArray<Row>) => Effect.Effect<A, E, R>
  ) => Effect.Effect<ReadonlyArray<A>, E, R>
  /** The cells in their order, which begins with the store's own schema. */
  readonly ids: Effect.Effect<ReadonlyArray<number>>
  /** Does work on the rows of one cell. */
  readonly inCell: <A, E, R>(id: number, work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Does work about all customers in one cell after the other. */
  readonly inEach: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<ReadonlyArray<A>, E, R>
  /** The customer may have been moved; null: any of them. */
  readonly forget: (customerId: number | null) => Effect.Effect<void>
}

const oneCell: CellsShape = {
  isOne: true,
  within: (_customerId, work) => work,
  following: (work) => work,
  split: (rows, _customerIdOf, work) => Effect.map(work(rows), (done) => [done]),
  ids: Effect.succeed([STORE_CELL]),
  inCell: (_id, work) => work,
  inEach: (work) => Effect.map(work, (done) => [done]),
  forget: () => Effect.void
}

export const Cells = Context.Reference<CellsShape>("peyk/services/customer/Cells", {
  defaultValue: () => oneCell
})
