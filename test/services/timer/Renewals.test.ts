import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { TimerStore } from "../../../src/services/timer/TimerStore.ts"
import { Timers } from "../../../src/services/timer/Timers.ts"
import { scriptProviders } from "../../support/ScriptedProviders.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer, testProcess } from "../../support/TestGraph.ts"

layer(TestDatabase, { excludeTestServices: true })("renewing leases", (it) => {
  it.effect("waits for no timer that a transaction holds, and renews the others", () =>
    Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale"])
      const { claim, renew } = yield* TimerStore
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into timers (customer_id, kind, subject, claimable_at)
        select ${customerId}::int, 'message', gen_random_uuid(), 'epoch' from generate_series(1, 2)`
      const lease = yield* (yield* Timers).newLease
      const [held, other] = yield* claim({ groups: [{ kinds: ["message"], limit: 2 }], lease, now: 0 })
      assert.isDefined(held)
      assert.isDefined(other)
      const [isLocked, isOver] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
      const locking = yield* Effect.forkChild(
        sql.withTransaction(
          Effect.gen(function* () {
            yield* sql`select from timers where subject = ${held.subject}::uuid for update`
            yield* Deferred.succeed(isLocked, undefined)
            yield* Deferred.await(isOver)
          })
        )
      )
      yield* Deferred.await(isLocked)
      assert.deepStrictEqual(yield* renew([held, other], 60_000), [other])
      yield* Deferred.succeed(isOver, undefined)
      yield* Fiber.join(locking)
      assert.deepStrictEqual(yield* renew([held], 60_000), [held])
    }).pipe(Effect.provide(testProcess(scriptProviders().layer)))
  )
})
