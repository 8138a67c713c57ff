import { assert, layer } from "@effect/vitest"
import { Array as Arr, Clock, Deferred, Effect, Fiber } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { MessageDeliveries } from "../../../src/services/message/MessageDeliveries.ts"
import { Messages } from "../../../src/services/message/Messages.ts"
import { TimerRunner } from "../../../src/services/timer/TimerRunner.ts"
import type { DueTimer } from "../../../src/domain/Timer.ts"
import { Verifications } from "../../../src/services/verification/Verifications.ts"
import { Workers } from "../../../src/services/concurrency/Workers.ts"
import { accepted, scriptProviders, unreachable } from "../../support/ScriptedProviders.ts"
import { PHONE, sendMessage, settle, summary } from "../../support/SentMessages.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer, testProcess } from "../../support/TestGraph.ts"

const unbounded = { concurrency: "unbounded" } as const

const countOf = (table: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ readonly count: number }>`select count(*)::int as count from ${sql(table)}`
    return row?.count ?? 0
  })

/** Somebody claimed the message's timer and died: its lease ends in 30 seconds. */
const leaseToTheDead = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const until = (yield* Clock.currentTimeMillis) + 30_000
  yield* sql`update timers set lease_token = gen_random_uuid(), claimable_at = to_timestamp(${until / 1000})
    where subject = ${id}::uuid`
})

/** A message that is due, and its timer, which a dead process has leased. */
const dueAndLeased = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const customerId = yield* makeCustomer()
  const { id } = yield* sendMessage(customerId, ["bale"], { delay: "1m" })
  yield* TestClock.adjust("1 minute")
  yield* leaseToTheDead(id)
  const row = sql<{ lease_token: string }>`select * from timers where subject = ${id}::uuid`
  const [{ lease_token: leaseToken } = { lease_token: "" }] = yield* row
  const timer: DueTimer = {
    kind: "message",
    customerId,
    subject: id,
    lane: 0,
    leaseToken,
    leasedUntil: 90_000,
    dueAt: 60_000,
    wasAbandoned: false
  }
  return { row, timer }
})

const untilCalled = (providers: ReturnType<typeof scriptProviders>, times: number) =>
  Effect.yieldNow.pipe(Effect.repeat({ until: () => providers.deliveries.length === times }))

layer(TestDatabase, { excludeTestServices: true })("messages under parallelism", (it) => {
  it.effect("50 parallel identical requests make one message and send it once", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      const messages = yield* Messages
      const request = {
        customerId,
        to: PHONE,
        message: "one",
        channels: [{ channel: "bale" }],
        idempotency: { key: "same", body: { to: PHONE } }
      }
      const answers = yield* Effect.all(
        Arr.makeBy(50, () => messages.send(request)),
        unbounded
      )
      yield* (yield* Workers).idle
      assert.strictEqual(new Set(answers.map(({ messageId }) => messageId)).size, 1)
      assert.strictEqual(answers.filter(({ replayed }) => !replayed).length, 1)
      assert.strictEqual(yield* countOf("messages"), 1)
      assert.strictEqual(providers.deliveries.length, 1)
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("ten processes that look for due messages at once send each once on each of its routes", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      for (let n = 0; n < 20; n++) {
        yield* sendMessage(customerId, ["bale", "eitaa", "sms"], { strategy: "broadcast", delay: "1m" })
      }
      yield* TestClock.adjust("1 minute")
      const { runDue } = yield* TimerRunner
      const done = yield* Effect.all(
        Arr.makeBy(10, () => runDue),
        unbounded
      )
      assert.strictEqual(
        done.reduce((sum, count) => sum + count, 0),
        60
      )
      assert.strictEqual(providers.deliveries.length, 60)
      assert.strictEqual(new Set(providers.deliveries.map(({ attemptId }) => attemptId)).size, 60)
      assert.strictEqual(yield* countOf("timers"), 0)
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("what a busy process accepts is left to whoever has room, and sent once", () => {
    const gate = Deferred.makeUnsafe<void>()
    const providers = scriptProviders({ bale: Effect.as(Deferred.await(gate), accepted) })
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      const messages = yield* Messages
      const send = messages.send({ customerId, to: PHONE, message: "x", channels: [{ channel: "bale" }] })
      yield* send
      yield* untilCalled(providers, 1)
      const { messageId: id } = yield* send
      assert.strictEqual((yield* messages.status({ customerId, id })).status, "queued")
      yield* Deferred.succeed(gate, undefined)
      yield* settle
      assert.strictEqual((yield* messages.status({ customerId, id })).status, "sent")
      assert.strictEqual(providers.deliveries.length, 2)
    }).pipe(Effect.provide(testProcess(providers.layer, { timerConcurrency: 1 })))
  })
})

layer(TestDatabase, { excludeTestServices: true })("a message whose process died", (it) => {
  it.effect("before it called the provider is sent by another, once", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const { id, status } = yield* sendMessage(yield* makeCustomer(), ["bale", "sms"], { delay: "1m" })
      yield* TestClock.adjust("1 minute")
      yield* leaseToTheDead(id)
      yield* TestClock.adjust("29 seconds")
      assert.strictEqual(yield* settle, 0)
      yield* TestClock.adjust("1 second")
      assert.strictEqual(yield* settle, 1)
      assert.deepStrictEqual(summary((yield* status).attempts), [[1, "sent", null]])
      assert.deepStrictEqual(providers.channels(), ["bale"])
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("while it called the provider goes on to the next route, and never repeats that one", () => {
    const providers = scriptProviders({ bale: Effect.never })
    return Effect.gen(function* () {
      const { status } = yield* sendMessage(yield* makeCustomer(), ["bale", "sms"], { delay: "1m" })
      yield* TestClock.adjust("1 minute")
      const process = yield* Effect.forkChild((yield* TimerRunner).runDue)
      yield* untilCalled(providers, 1)
      assert.deepStrictEqual(summary((yield* status).attempts), [[1, "sending", null]])
      yield* Fiber.interrupt(process)
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(yield* settle, 2)
      const { status: now, attempts } = yield* status
      assert.strictEqual(now, "sent")
      assert.deepStrictEqual(summary(attempts), [
        [1, "failed", "provider_outcome_unknown"],
        [2, "sent", null]
      ])
      assert.deepStrictEqual(providers.channels(), ["bale", "sms"])
    }).pipe(Effect.provide(testProcess(providers.layer, { providerTimeoutMillis: 120_000 })))
  })

  it.effect("during a broadcast loses only the routes that were being called", () => {
    const providers = scriptProviders({ eitaa: Effect.never })
    return Effect.gen(function* () {
      const broadcast = { strategy: "broadcast", delay: "1m" }
      const { status } = yield* sendMessage(yield* makeCustomer(), ["bale", "eitaa", "sms"], broadcast)
      yield* TestClock.adjust("1 minute")
      const process = yield* Effect.forkChild((yield* TimerRunner).runDue)
      yield* status.pipe(Effect.repeat({ until: ({ successfulAttempts }) => successfulAttempts === 2 }))
      yield* untilCalled(providers, 3)
      yield* Fiber.interrupt(process)
      yield* TestClock.adjust("30 seconds")
      yield* settle
      const { status: now, attempts } = yield* status
      assert.strictEqual(now, "partial_failed")
      assert.deepStrictEqual(
        attempts
          .filter(({ status }) => status === "failed")
          .map(({ sequence, errorCode }) => [sequence, errorCode]),
        [[2, "provider_outcome_unknown"]]
      )
      assert.strictEqual(providers.deliveries.length, 3)
    }).pipe(Effect.provide(testProcess(providers.layer, { providerTimeoutMillis: 120_000 })))
  })

  it.effect("or was taken for dead changes nothing with its late answer", () => {
    const gate = Deferred.makeUnsafe<void>()
    const providers = scriptProviders({ bale: Effect.as(Deferred.await(gate), accepted) })
    return Effect.gen(function* () {
      const { id, status } = yield* sendMessage(yield* makeCustomer(), ["bale", "sms"], { delay: "1m" })
      yield* TestClock.adjust("1 minute")
      const { runDue } = yield* TimerRunner
      const paused = yield* Effect.forkChild(runDue)
      yield* untilCalled(providers, 1)
      const sql = yield* SqlClient.SqlClient
      yield* sql`update timers set claimable_at = 'epoch' where subject = ${id}::uuid`
      assert.strictEqual(yield* runDue, 2)
      const before = yield* status
      yield* Deferred.succeed(gate, undefined)
      yield* Fiber.join(paused)
      assert.deepStrictEqual(yield* status, before)
      assert.deepStrictEqual(summary(before.attempts), [
        [1, "failed", "provider_outcome_unknown"],
        [2, "sent", null]
      ])
      assert.deepStrictEqual(providers.channels(), ["bale", "sms"])
    }).pipe(Effect.provide(testProcess(providers.layer, { providerTimeoutMillis: 120_000 })))
  })

  it.effect("and lost its lease before it could begin sends nothing", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const { row, timer } = yield* dueAndLeased
      const before = [...(yield* row)]
      const leaseToken = "00000000-0000-4000-8000-000000000000"
      yield* (yield* MessageDeliveries).runTimer({ ...timer, leaseToken })
      assert.deepStrictEqual(providers.channels(), [])
      assert.deepStrictEqual([...(yield* row)], before)
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("and whose lease has run out by the time of the call sends nothing", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const { timer } = yield* dueAndLeased
      yield* (yield* MessageDeliveries).runTimer({ ...timer, leasedUntil: 60_000 })
      assert.deepStrictEqual(providers.channels(), [])
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })
})

layer(TestDatabase, { excludeTestServices: true })("many messages", (it) => {
  it.effect("do not take the room of codes: a fallback does not wait for them", () => {
    const gate = Deferred.makeUnsafe<void>()
    const providers = scriptProviders({ bale: Effect.as(Deferred.await(gate), accepted), eitaa: unreachable })
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      const messages = yield* Messages
      const send = messages.send({ customerId, to: PHONE, message: "x", channels: [{ channel: "bale" }] })
      yield* Effect.all(
        Arr.makeBy(10, () => send),
        unbounded
      )
      yield* Effect.forkChild((yield* TimerRunner).loop)
      yield* untilCalled(providers, 2)
      const channels = [{ channel: "eitaa" }, { channel: "sms" }]
      yield* (yield* Verifications).send({ customerId, phone: PHONE, channels })
      yield* untilCalled(providers, 4)
      assert.deepStrictEqual(providers.channels(), ["bale", "bale", "eitaa", "sms"])
      yield* Deferred.succeed(gate, undefined)
    }).pipe(Effect.provide(testProcess(providers.layer, { timerConcurrency: 2 })))
  })

  it.effect("are never sent more at once than the process may work on", () => {
    const gate = Deferred.makeUnsafe<void>()
    const providers = scriptProviders({ bale: Effect.as(Deferred.await(gate), accepted) })
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      const messages = yield* Messages
      const request = { customerId, to: PHONE, message: "x", channels: [{ channel: "bale" }] }
      const answers = yield* Effect.all(
        Arr.makeBy(20, () => messages.send(request)),
        unbounded
      )
      yield* untilCalled(providers, 3)
      const statuses = yield* Effect.forEach(answers, ({ messageId: id }) =>
        messages.status({ customerId, id })
      )
      assert.strictEqual(statuses.filter(({ status }) => status === "sending").length, 3)
      yield* Deferred.succeed(gate, undefined)
      yield* settle
      assert.strictEqual(providers.deliveries.length, 20)
    }).pipe(Effect.provide(testProcess(providers.layer, { timerConcurrency: 3 })))
  })

  it.effect("over six routes at once are changed twelve times: each route begins and ends once", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale", "eitaa", "soroushplus", "rubika", "telegram", "sms"])
      const channels = ["bale", "eitaa", "soroushplus", "rubika", "telegram", "sms"] as const
      const { id } = yield* sendMessage(customerId, channels, { strategy: "broadcast" })
      const [row] = yield* (yield* SqlClient.SqlClient)<{ readonly revision: number }>`
        select revision from messages where id = ${id}::uuid`
      assert.strictEqual(row?.revision, 12)
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })
})
