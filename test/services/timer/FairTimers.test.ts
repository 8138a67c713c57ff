import { assert, layer } from "@effect/vitest"
import { Array as Arr, Clock, Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { Messages } from "../../../src/services/message/Messages.ts"
import { TimerRunner } from "../../../src/services/timer/TimerRunner.ts"
import { Timers } from "../../../src/services/timer/Timers.ts"
import { TimerStore } from "../../../src/services/timer/TimerStore.ts"
import { Verifications } from "../../../src/services/verification/Verifications.ts"
import { Workers } from "../../../src/services/concurrency/Workers.ts"
import { accepted, scriptProviders } from "../../support/ScriptedProviders.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer, testProcess } from "../../support/TestGraph.ts"

const PHONE = "09121234567"
const FLOOD = 60

/** Bale hangs until the gate is opened. */
const hangingBale = () => {
  const gate = Deferred.makeUnsafe<void>()
  return { gate, providers: scriptProviders({ bale: Effect.as(Deferred.await(gate), accepted) }) }
}

const callsOf = (providers: ReturnType<typeof scriptProviders>, channel: string) =>
  providers.channels().filter((called) => called === channel).length

/** Real time passes meanwhile: the store is a real one. */
const until = (isSo: () => boolean) => Effect.repeat(Effect.yieldNow, { until: isSo })

const countOf = Effect.fnUntraced(function* (condition: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ count: number }>`
    select count(*)::int as count from timers where ${sql.literal(condition)}`
  return row?.count ?? 0
})

layer(TestDatabase, { excludeTestServices: true })("a customer's flood over a provider that hangs", (it) => {
  it.effect("does not hold up another customer's message that is due after all of it", () => {
    const { gate, providers } = hangingBale()
    return Effect.gen(function* () {
      const [flooder, other] = [yield* makeCustomer(["bale"]), yield* makeCustomer(["sms"])]
      const { send } = yield* Messages
      const messageOf = (customerId: number, channel: string, delay: string) =>
        send({ customerId, to: PHONE, message: "x", channels: [{ channel }], delay })
      yield* Effect.all(
        Arr.makeBy(FLOOD, () => messageOf(flooder, "bale", "10s")),
        { concurrency: 10 }
      )
      yield* messageOf(other, "sms", "11s")
      yield* TestClock.adjust("12 seconds")
      yield* Effect.forkChild((yield* TimerRunner).loop)
      yield* until(() => callsOf(providers, "sms") === 1)
      yield* until(() => callsOf(providers, "bale") >= 4)
      assert.strictEqual(callsOf(providers, "bale"), 4)
      // Nothing of the flood is lost, and nothing is sent twice.
      yield* Deferred.succeed(gate, undefined)
      yield* until(() => callsOf(providers, "bale") === FLOOD)
      yield* (yield* Workers).idle
      assert.strictEqual(new Set(providers.deliveries.map(({ attemptId }) => attemptId)).size, FLOOD + 1)
      assert.strictEqual(yield* countOf("true"), 0)
    }).pipe(Effect.provide(testProcess(providers.layer, { timerConcurrency: 4 })))
  })

  it.effect("does not hold up what another customer sends now", () => {
    const { gate, providers } = hangingBale()
    return Effect.gen(function* () {
      const [flooder, other] = [yield* makeCustomer(["bale"]), yield* makeCustomer(["sms"])]
      const { send } = yield* Messages
      const messageOf = (customerId: number, channel: "bale" | "sms") =>
        send({ customerId, to: PHONE, message: "x", channels: [{ channel }] })
      yield* Effect.forkChild((yield* TimerRunner).loop)
      yield* Effect.all(
        Arr.makeBy(FLOOD, () => messageOf(flooder, "bale")),
        { concurrency: 10 }
      )
      yield* messageOf(other, "sms")
      yield* until(() => callsOf(providers, "sms") === 1)
      assert.isAtMost(callsOf(providers, "bale"), 4)
      yield* Deferred.succeed(gate, undefined)
      yield* until(() => callsOf(providers, "bale") === FLOOD)
    }).pipe(Effect.provide(testProcess(providers.layer, { timerConcurrency: 4 })))
  })

  it.effect("does not hold up the fallback of another customer's code", () => {
    const { gate, providers } = hangingBale()
    return Effect.gen(function* () {
      const [flooder, other] = [yield* makeCustomer(["eitaa", "bale"]), yield* makeCustomer(["eitaa", "sms"])]
      const { send } = yield* Verifications
      yield* Effect.all(
        Arr.makeBy(FLOOD, () => send({ customerId: flooder, phone: PHONE })),
        { concurrency: 10 }
      )
      yield* TestClock.adjust("1 second")
      yield* send({ customerId: other, phone: PHONE })
      yield* TestClock.adjust("61 seconds")
      yield* Effect.forkChild((yield* TimerRunner).loop)
      yield* until(() => callsOf(providers, "sms") === 1)
      assert.isAtMost(callsOf(providers, "bale"), 4)
      yield* Deferred.succeed(gate, undefined)
      yield* until(() => callsOf(providers, "bale") === FLOOD)
    }).pipe(Effect.provide(testProcess(providers.layer, { timerConcurrency: 4 })))
  })

  // A process with few permits always claims by shares; one with many looks for parked timers first.
  it.effect.each([4, 64])(
    "is gone on with by another process when the first one is gone: %i permits",
    (timerConcurrency) => {
      const { providers } = hangingBale()
      return Effect.gen(function* () {
        const flooder = yield* makeCustomer(["bale"])
        const sql = yield* SqlClient.SqlClient
        yield* sql`insert into timers (customer_id, kind, subject, claimable_at, parked)
          select ${flooder}::int, 'message', gen_random_uuid(), 'epoch', true from generate_series(1, ${FLOOD}::int)`
        // The process that claims a timer without a message removes it.
        yield* Effect.forkChild((yield* TimerRunner).loop)
        yield* Effect.repeat(countOf("true"), { until: (count) => count === 0 })
        yield* (yield* Workers).idle
        assert.deepStrictEqual(providers.channels(), [])
        assert.strictEqual(yield* countOf("true"), 0)
      }).pipe(Effect.provide(testProcess(providers.layer, { timerConcurrency })))
    }
  )
})

layer(TestDatabase, { excludeTestServices: true })("a timer that was parked while its work went on", (it) => {
  const park = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`update timers set parked = true`)

  it.effect("is found in the order of time once that work has set when it is due next", () => {
    const { gate, providers } = hangingBale()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale", "sms"])
      const { send } = yield* Verifications
      const sending = yield* Effect.forkChild(send({ customerId, phone: PHONE }))
      yield* until(() => callsOf(providers, "bale") === 1)
      // As another process does that has no room for it, once the lease has lapsed.
      yield* park
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(sending)
      assert.deepStrictEqual([yield* countOf("not parked"), yield* countOf("parked")], [1, 0])
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("or has given its lease back, or renewed it", () =>
    Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale"])
      const { claim, release, renew } = yield* TimerStore
      const sql = yield* SqlClient.SqlClient
      yield* sql`insert into timers (customer_id, kind, subject, claimable_at)
        values (${customerId}::int, 'message', gen_random_uuid(), 'epoch')`
      const lease = yield* (yield* Timers).newLease
      const [timer] = yield* claim({ groups: [{ kinds: ["message"], limit: 1 }], lease, now: 0 })
      assert.isDefined(timer)
      yield* park
      yield* renew([timer], 60_000)
      assert.strictEqual(yield* countOf("parked"), 0)
      yield* park
      yield* release(timer, 60_000)
      assert.strictEqual(yield* countOf("parked"), 0)
    }).pipe(Effect.provide(testProcess(scriptProviders().layer)))
  )
})

layer(TestDatabase, { excludeTestServices: true })("a backlog of one customer", (it) => {
  const rowsRead = Effect.fnUntraced(function* (work: Effect.Effect<unknown>) {
    const sql = yield* SqlClient.SqlClient
    const read = Effect.map(
      sql<{ rows: number }>`select (seq_tup_read + idx_tup_fetch)::int as rows
        from pg_stat_xact_user_tables where relname = 'timers'`,
      ([seen]) => seen?.rows ?? 0
    )
    return yield* sql.withTransaction(
      Effect.gen(function* () {
        const before = yield* read
        yield* work
        return (yield* read) - before
      })
    )
  })

  it.effect("is parked once, and then read through by no claim", () =>
    Effect.gen(function* () {
      const [flooder, other] = [yield* makeCustomer(["bale"]), yield* makeCustomer(["sms"])]
      const sql = yield* SqlClient.SqlClient
      const { newLease } = yield* Timers
      const { claimFairly } = yield* TimerStore
      const timersOf = (customerId: number, count: number, at: string) =>
        sql`insert into timers (customer_id, kind, subject, claimable_at)
          select ${customerId}::int, 'message', gen_random_uuid(), ${at}::timestamptz
          from generate_series(1, ${count}::int)`
      yield* timersOf(flooder, 5000, "1970-01-01T00:00:00Z")
      yield* timersOf(other, 1, "1970-01-01T00:00:01Z")
      yield* TestClock.adjust("1 minute")
      const claimed: Array<number> = []
      const places = new Map<number, number>()
      const claim = Effect.gen(function* () {
        const held = [...places.values()].reduce((sum, count) => sum + count, 0)
        const { due } = yield* claimFairly({
          kinds: ["message"],
          free: 64 - held,
          holders: [...places],
          lease: yield* newLease,
          now: yield* Clock.currentTimeMillis
        })
        for (const { customerId } of due) places.set(customerId, (places.get(customerId) ?? 0) + 1)
        claimed.push(...due.map(({ customerId }) => customerId))
      })
      yield* Effect.repeat(claim, { until: () => claimed.includes(other) })
      assert.strictEqual(claimed.filter((customerId) => customerId === flooder).length, 32)
      assert.strictEqual(yield* countOf("parked"), 5000 - 32)
      yield* timersOf(other, 1, "1970-01-01T00:00:02Z")
      assert.isBelow(yield* rowsRead(claim), 20)
      assert.strictEqual(claimed.filter((customerId) => customerId === other).length, 2)
    }).pipe(Effect.provide(testProcess(scriptProviders().layer)))
  )
})
