import { Context, Effect, Layer, Semaphore } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import { ConnectionWatch } from "../../src/layers/postgres/ConnectionWatch.ts"
import { MaintenanceSql } from "../../src/layers/postgres/MaintenanceSql.ts"
import { BatchSql, MessageBatchSql } from "../../src/layers/postgres/Pools.ts"
import { StoreWrites } from "../../src/layers/postgres/StoreWrites.ts"
import { watchedPool } from "../../src/layers/postgres/WatchedPool.ts"
import { clientOver, type Connections } from "../../src/layers/postgres/WatchedSql.ts"
import { makeDatabase, placeOf, poolOptions } from "./TestDatabase.ts"

/** Fibers that were woken issue their next statement within as many turns of the event loop. */
const TURNS = 4

const turn = Effect.callback<void>((resume) => {
  const immediate = setImmediate(() => resume(Effect.void))
  return Effect.sync(() => clearImmediate(immediate))
})

/** Lets one statement, or transaction, run at a time, in the order in which they began. */
const makeOrder = () => {
  const permit = Semaphore.makeUnsafe(1)
  let unfinished = 0
  const begin = Effect.sync(() => (unfinished += 1))
  const end = Effect.sync(() => (unfinished -= 1))
  const held = Effect.acquireRelease(Effect.andThen(begin, permit.take(1)), () =>
    Effect.andThen(permit.release(1), end)
  )
  const quiet = Effect.gen(function* () {
    for (let turns = 0; turns < TURNS; turns = unfinished === 0 ? turns + 1 : 0) yield* turn
  })
  const ordered = ({ acquirer, borrower, transactionAcquirer }: Connections): Connections => ({
    acquirer: Effect.andThen(held, acquirer),
    borrower: (use) => Effect.andThen(begin, Effect.ensuring(permit.withPermit(borrower(use)), end)),
    transactionAcquirer: Effect.andThen(held, transactionAcquirer)
  })
  return { ordered, quiet }
}

/** Returns once no statement runs or is about to: what woke up has come to rest. */
export class StoreQuiet extends Context.Service<StoreQuiet, Effect.Effect<void>>()(
  "peyk/test/support/OrderedDatabase/StoreQuiet"
) {}

/**
 * A migrated database of its own, like `TestDatabase`, whose statements run one after the other. So the results of fibers
 * that run at the same time do not depend on which statement PostgreSQL finishes first, however busy the machine is.
 */
export const OrderedDatabase = Layer.unwrap(
  Effect.gen(function* () {
    const place = placeOf(yield* makeDatabase)
    const { ordered, quiet } = makeOrder()
    const pool = Effect.gen(function* () {
      const made = yield* watchedPool({ ...place, ...poolOptions, maxConnections: 4, patienceMillis: 60_000 })
      const sql = yield* Effect.provide(clientOver(ordered(made.connections)), Reactivity.layer)
      return { ...made, sql }
    })
    const clientOf = Effect.map(pool, ({ sql }) => sql)
    return Layer.mergeAll(
      Layer.effect(SqlClient.SqlClient, clientOf),
      Layer.effect(BatchSql, clientOf),
      Layer.effect(MessageBatchSql, clientOf),
      Layer.effect(
        MaintenanceSql,
        Effect.map(pool, (made) => ({ ...made, isPooled: false }))
      ),
      Layer.succeed(StoreQuiet, quiet)
    ).pipe(Layer.provide([ConnectionWatch.layer, StoreWrites.layer]), Layer.orDie)
  })
)
