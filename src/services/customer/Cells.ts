import { Context, Effect } from "effect"

/**
 * Where the rows of customers' sends are: each customer's are in one cell. A store on one PostgreSQL is one cell, and
 * then this adds nothing to any work.
 */
interface CellsShape {
  /** Whether all rows are in one place. */
  readonly isOne: boolean
  /** Does work about one customer where its rows are. */
  readonly within: <A, E, R>(customerId: number, work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Does work about rows of many customers, separately for those of each cell. */
  readonly split: <Row, A, E, R>(
    rows: ReadonlyArray<Row>,
    customerIdOf: (row: Row) => number,
    work: (rows: ReadonlyArray<Row>) => Effect.Effect<A, E, R>
  ) => Effect.Effect<ReadonlyArray<A>, E, R>
  /** Does work about all customers in one cell after the other, the platform's rows first. */
  readonly inEach: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<ReadonlyArray<A>, E, R>
}

const oneCell: CellsShape = {
  isOne: true,
  within: (_customerId, work) => work,
  split: (rows, _customerIdOf, work) => Effect.map(work(rows), (done) => [done]),
  inEach: (work) => Effect.map(work, (done) => [done])
}

export const Cells = Context.Reference<CellsShape>("peyk/services/customer/Cells", {
  defaultValue: () => oneCell
})
