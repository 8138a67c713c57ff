import { assert, layer } from "@effect/vitest"
import { Array as Arr, Clock, Effect, Fiber, Latch } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { RetentionStore } from "../../../src/services/Retention.ts"
import { TimerRunner } from "../../../src/services/timer/TimerRunner.ts"
import { Verifications } from "../../../src/services/verification/Verifications.ts"
import { codes, countOf, events, plantRound, wholeRound, whileTimePasses } from "../../support/OldRows.ts"
import { scriptProviders } from "../../support/ScriptedProviders.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer } from "../../support/TestGraph.ts"
import { daysAgo, passOf, retentionProcess } from "../../support/RetentionProcess.ts"

const PHONE = "09121234567"

const process = retentionProcess

layer(TestDatabase, { excludeTestServices: true })("a round of retention", (it) => {
  it.effect("takes at most 1000 rows at a time, and goes on where it was", () =>
    Effect.gen(function* () {
      const store = yield* RetentionStore
      const customers = [yield* makeCustomer(), yield* makeCustomer()]
      for (const customerId of customers) yield* codes(daysAgo(500), 1300, customerId, "verified", 0)
      let pass = { ...passOf("verifications", 400), position: { at: 0, after: null as string | null } }
      const gone: Array<number> = []
      for (;;) {
        const batch = yield* store.runBatch(pass)
        gone.push(batch.gone)
        if (batch.next === null) break
        pass = { ...pass, position: batch.next }
      }
      assert.deepStrictEqual(gone, [1000, 1000, 600])
    }).pipe(Effect.provide(process()))
  )

  it.effect("by several processes at once takes every row once, and waits for nobody", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const store = yield* RetentionStore
      const customerId = yield* makeCustomer()
      yield* codes(daysAgo(500), 3000, customerId, "verified", 0)
      const held = yield* codes(daysAgo(501), 1, customerId, "verified", 0)
      const isLocked = Latch.makeUnsafe(false)
      const isDone = Latch.makeUnsafe(false)
      const somebody = yield* Effect.forkChild(
        sql.withTransaction(
          sql`select from verifications where customer_id = ${customerId} and id = ${held}::uuid for update`.pipe(
            Effect.andThen(isLocked.open),
            Effect.andThen(isDone.await)
          )
        )
      )
      yield* isLocked.await
      const batches = yield* Effect.all(
        Arr.makeBy(5, () => store.runBatch(passOf("verifications", 400))),
        { concurrency: "unbounded" }
      )
      yield* isDone.open
      yield* Fiber.join(somebody)
      const gone = batches.reduce((sum, batch) => sum + batch.gone, 0)
      assert.strictEqual(gone, 3001 - (yield* countOf("verifications")))
      assert.lengthOf(yield* sql`select from verifications where id = ${held}::uuid`, 1)
    }).pipe(Effect.provide(process()))
  )

  it.effect("goes on after a process died between two batches", () =>
    Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      yield* codes(daysAgo(500), 5000, customerId, "verified", 0)
      yield* plantRound
      const { runDue } = yield* TimerRunner
      const sql = yield* SqlClient.SqlClient
      const dying = yield* Effect.forkChild(runDue)
      while ((yield* countOf("verifications")) > 3000) {
        yield* TestClock.adjust(100)
        yield* sql`select 1`
      }
      yield* Fiber.interrupt(dying)
      assert.isAbove(yield* countOf("verifications"), 0)
      yield* TestClock.adjust("1 minute")
      yield* whileTimePasses(runDue)
      assert.strictEqual(yield* countOf("verifications"), 0)
    }).pipe(Effect.provide(process()))
  )

  it.effect("comes again at once after a round that took over an hour", () =>
    Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      const sql = yield* SqlClient.SqlClient
      const { runDue } = yield* TimerRunner
      yield* wholeRound
      const late = {
        pass: { ...passOf("verifications", 400), task: "messages" },
        beganAt: (yield* Clock.currentTimeMillis) - 2 * 3_600_000,
        erasedUntil: { verification_phones: 0, message_phones: 0 }
      }
      yield* sql`update retention set progress = ${JSON.stringify(late)}::jsonb`
      yield* codes(daysAgo(500), 1, customerId, "verified", 0)
      yield* sql`update timers set claimable_at = 'epoch' where kind = 'retention'`
      // the rest of the late round, and the next one
      for (let round = 0; round < 2; round += 1) yield* whileTimePasses(runDue)
      assert.strictEqual(yield* countOf("verifications"), 0)
    }).pipe(Effect.provide(process()))
  )

  it.effect("comes again an hour after a round began", () =>
    Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      const { runDue } = yield* TimerRunner
      yield* wholeRound
      const ended = yield* Clock.currentTimeMillis
      yield* codes(daysAgo(500), 1, customerId, "verified", 0)
      assert.strictEqual(yield* runDue, 0)
      yield* TestClock.setTime(ended + 3_600_000)
      yield* whileTimePasses(runDue)
      assert.strictEqual(yield* countOf("verifications"), 0)
    }).pipe(Effect.provide(process()))
  )

  it.effect("refuses no send, and holds none up, while many rows leave", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      yield* codes(daysAgo(500), 5000, customerId, "verified", 0)
      yield* events(daysAgo(100), 5000, customerId)
      const verifications = yield* Verifications
      yield* plantRound
      const { runDue } = yield* TimerRunner
      const leaving = yield* Effect.forkChild(whileTimePasses(runDue))
      const sent = yield* Effect.forEach(
        Arr.range(1, 300),
        () => verifications.send({ customerId, phone: PHONE }),
        {
          concurrency: 20
        }
      )
      yield* Fiber.join(leaving)
      assert.isTrue(sent.every(({ status }) => status === "queued"))
      assert.strictEqual(yield* countOf("verifications"), 300)
    }).pipe(Effect.provide(process({}, providers)))
  })
})
