import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
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

  it.effect("goes on while the work on a timer lasts, also on the first one after an idle hour", () =>
    Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale"])
      const { claim } = yield* TimerStore
      const { holding, newLease } = yield* Timers
      const sql = yield* SqlClient.SqlClient
      for (const now of [0, 3_660_000]) {
        yield* TestClock.setTime(now)
        yield* sql`insert into timers (customer_id, kind, subject, claimable_at)
          values (${customerId}, 'message', gen_random_uuid(), 'epoch')`
        const groups = [{ kinds: ["message"], limit: 1 }] as const
        const [timer] = yield* claim({ groups, lease: yield* newLease, now })
        assert.isDefined(timer)
        const work = yield* Effect.forkChild(holding(timer, Effect.never))
        for (let renewals = 1; renewals <= 6; renewals++) {
          yield* TestClock.adjust("10 seconds")
          // the store works in real time
          yield* Effect.repeat(Effect.yieldNow, {
            until: () => timer.leasedUntil === now + 30_000 + renewals * 10_000
          })
        }
        yield* Fiber.interrupt(work)
      }
    }).pipe(Effect.provide(testProcess(scriptProviders().layer)))
  )

  it.effect("comes before the work if the lease is half over already", () =>
    Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale"])
      const { claim } = yield* TimerStore
      const { holding, newLease } = yield* Timers
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into timers (customer_id, kind, subject, claimable_at)
        values (${customerId}, 'message', gen_random_uuid(), 'epoch')`
      const groups = [{ kinds: ["message"], limit: 1 }] as const
      const [timer] = yield* claim({ groups, lease: yield* newLease, now: 0 })
      assert.isDefined(timer)
      yield* TestClock.setTime(29_999)
      const leftWhileHolding = yield* holding(
        timer,
        Effect.sync(() => timer.leasedUntil)
      )
      assert.strictEqual(leftWhileHolding, 59_999)
    }).pipe(Effect.provide(testProcess(scriptProviders().layer)))
  )
})
