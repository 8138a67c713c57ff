import { Context, Effect } from "effect"

/** Rows that the store has together. */
export interface RowGroup {
  readonly id: number
  /** For work about these rows. */
  readonly contextFor: (context: Context.Context<never>) => Context.Context<never>
}

/**
 * Says whose rows work is about. A store can have the rows of some customers apart from those of others: it finds from
 * this where statements go. A store on one PostgreSQL has all rows together, and then this adds nothing to any work.
 */
export interface CustomerRowsShape {
  /** Does work about one customer. */
  readonly within: <A, E, R>(customerId: number, work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Does work again that stored nothing because its customer's rows had just been moved. */
  readonly following: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
  /** Does work about rows of many customers, separately for those that the store has together. */
  readonly split: <Row, A, E, R>(
    rows: ReadonlyArray<Row>,
    customerIdOf: (row: Row) => number,
    work: (rows: ReadonlyArray<Row>) => Effect.Effect<A, E, R>
  ) => Effect.Effect<ReadonlyArray<A>, E, R>
  /**
   * Gathers requests of many fibers: one time for the requests about rows that the store has together.
   *
   * @param make called when there is the first request about such rows
   */
  readonly gathered: <Request, Result>(
    make: (group: RowGroup) => (request: Request) => Effect.Effect<Result>
  ) => (request: Request) => Effect.Effect<Result>
  /** Does work about the rows of all customers: once for those that the store has together, one after the other. */
  readonly inEach: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<ReadonlyArray<A>, E, R>
}

/** The group of all rows that the store has together with the set-up. */
export const FIRST_GROUP = 0

export const together: CustomerRowsShape = {
  gathered: (make) => make({ id: FIRST_GROUP, contextFor: (context) => context }),
  within: (_customerId, work) => work,
  following: (work) => work,
  split: (rows, _customerIdOf, work) => Effect.map(work(rows), (done) => [done]),
  inEach: (work) => Effect.map(work, (done) => [done])
}

export const CustomerRows = Context.Reference<CustomerRowsShape>("peyk/services/customer/CustomerRows", {
  defaultValue: () => together
})
