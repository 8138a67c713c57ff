import { assert, layer } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber, Result } from "effect"
import { SqlClient } from "effect/sql"
import { MessageEnded } from "../../../src/domain/Errors.ts"
import type { ProviderOutcome } from "../../../src/domain/ProviderOutcome.ts"
import { Workers } from "../../../src/services/concurrency/Workers.ts"
import { Messages } from "../../../src/services/message/Messages.ts"
import {
  accepted,
  scriptProviders,
  throttled,
  unavailable,
  unknown,
  unreachable
} from "../../support/ScriptedProviders.ts"
import { arriveAt, PHONE, sendMessage, settle, summary } from "../../support/SentMessages.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer, testProcess } from "../../support/TestGraph.ts"

const cancel = Effect.fnUntraced(function* (customerId: number, id: string) {
  return yield* (yield* Messages).cancel({ customerId, id })
})

const refusalOf = <A, E, R>(effect: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.result(effect), (result) => (Result.isFailure(result) ? result.failure : undefined))

/** The wallet's holds and spendings, and the timers left. */
const leftOf = Effect.fnUntraced(function* (customerId: number) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql`
    select (select sum(held)::int from wallets where customer_id = ${customerId}) as held,
      (select sum(balance)::int from wallets where customer_id = ${customerId}) as balance,
      (select count(*)::int from timers where customer_id = ${customerId} and kind = 'message') as timers`
  return row
})

const UNTOUCHED = { held: 0, balance: 1_000_000, timers: 0 }

const eventsOf = (id: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) =>
    Effect.map(sql`select type from events where subject = ${id}::uuid order by sequence`, (rows) =>
      rows.map(({ type }) => type)
    )
  )

layer(TestDatabase, { excludeTestServices: true })("canceling a message", (it) => {
  it.effect("for later releases its money, announces it, and nothing is sent at its time", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      const { id } = yield* sendMessage(customerId, ["bale", "sms"], { delay: "60s" })
      const view = yield* cancel(customerId, id)
      assert.deepStrictEqual([view.status, view.completedAt, view.attempts], ["canceled", 0, []])
      assert.deepStrictEqual(yield* leftOf(customerId), UNTOUCHED)
      assert.deepStrictEqual(yield* eventsOf(id), ["message.queued", "message.canceled"])
      assert.strictEqual(yield* arriveAt(0, 120), 0)
      assert.deepStrictEqual(providers.channels(), [])
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("again returns the same, and announces nothing", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      const { id } = yield* sendMessage(customerId, ["bale"], { delay: "60s" })
      const first = yield* cancel(customerId, id)
      assert.deepStrictEqual(yield* cancel(customerId, id), first)
      assert.lengthOf(yield* eventsOf(id), 2)
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("stops the retries of an unavailable provider, and the routes after it", () => {
    const providers = scriptProviders({ bale: unavailable })
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      const start = yield* Clock.currentTimeMillis
      const { id } = yield* sendMessage(customerId, ["bale", "sms"])
      const { status, attempts } = yield* cancel(customerId, id)
      assert.strictEqual(status, "canceled")
      assert.deepStrictEqual(summary(attempts), [[1, "failed", "provider_unavailable"]])
      assert.strictEqual(yield* arriveAt(start, 60), 0)
      assert.deepStrictEqual(providers.channels(), ["bale"])
      assert.deepStrictEqual(yield* leftOf(customerId), UNTOUCHED)
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("over all channels removes the timer of each", () => {
    const providers = scriptProviders({ bale: unreachable, eitaa: unavailable, sms: unavailable })
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      const { id } = yield* sendMessage(customerId, ["bale", "eitaa", "sms"], { strategy: "broadcast" })
      yield* cancel(customerId, id)
      assert.deepStrictEqual(yield* leftOf(customerId), UNTOUCHED)
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("of which a route was sent stops the others, keeps that one, and leaves no timer", () => {
    const providers = scriptProviders({ eitaa: unavailable })
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      const start = yield* Clock.currentTimeMillis
      const { id } = yield* sendMessage(customerId, ["bale", "eitaa"], { strategy: "broadcast" })
      const { status, attempts } = yield* (yield* Messages).stop({ customerId, id })
      assert.strictEqual(status, "partial_failed")
      assert.deepStrictEqual(summary(attempts), [
        [1, "sent", null],
        [2, "failed", "provider_unavailable"]
      ])
      const { held, timers } = { held: null, timers: null, ...(yield* leftOf(customerId)) }
      assert.deepStrictEqual([held, timers], [0, 0])
      assert.strictEqual(yield* arriveAt(start, 60), 0)
      assert.deepStrictEqual(providers.channels(), ["bale", "eitaa"])
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("that may have arrived is stopped without an attempt over the channels that are left", () => {
    const providers = scriptProviders({ eitaa: unknown, sms: throttled })
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      yield* sendMessage(customerId, ["sms"])
      const { id } = yield* sendMessage(customerId, ["eitaa", "sms"])
      const stopped = yield* (yield* Messages).stop({ customerId, id })
      assert.deepStrictEqual(
        [stopped.status, stopped.failedAttempts, stopped.unknownAttempts],
        ["failed", 1, 1]
      )
      assert.deepStrictEqual(summary(stopped.attempts), [[1, "failed", "provider_outcome_unknown"]])
      const { held, timers } = { held: null, timers: null, ...(yield* leftOf(customerId)) }
      assert.deepStrictEqual([held, timers], [0, 0])
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("is refused once a route of a broadcast was sent", () => {
    const providers = scriptProviders({ bale: accepted, eitaa: unavailable })
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      const { id } = yield* sendMessage(customerId, ["bale", "eitaa"], { strategy: "broadcast" })
      assert.deepStrictEqual(
        yield* refusalOf(cancel(customerId, id)),
        new MessageEnded({ details: { status: "sending" } })
      )
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("is refused while a provider is being called, and possible when that call has failed", () => {
    const answer = Deferred.makeUnsafe<ProviderOutcome>()
    const providers = scriptProviders({ bale: Deferred.await(answer) })
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      const messages = yield* Messages
      const channels = [{ channel: "bale" }]
      const { messageId: id } = yield* messages.send({ customerId, to: PHONE, message: "m", channels })
      yield* Effect.repeat(Effect.yieldNow, { until: () => providers.deliveries.length === 1 })
      assert.isDefined(yield* refusalOf(cancel(customerId, id)))
      yield* Deferred.succeed(answer, unavailable)
      yield* (yield* Workers).idle
      assert.strictEqual((yield* cancel(customerId, id)).status, "canceled")
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("of another customer is not found", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const { id } = yield* sendMessage(yield* makeCustomer(), ["bale"], { delay: "60s" })
      const refusal = yield* refusalOf(cancel(yield* makeCustomer(), id))
      assert.strictEqual(refusal?._tag, "not_found")
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("or sending it: exactly one of them wins, and the money adds up", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale"])
      let canceled = 0
      for (let n = 0; n < 20; n++) {
        const start = yield* Clock.currentTimeMillis
        const { id, status } = yield* sendMessage(customerId, ["bale"], { delay: "1s" })
        const sentBefore = providers.deliveries.length
        const due = yield* Effect.forkChild(arriveAt(start, 1))
        const canceling = yield* Effect.forEach([1, 2, 3], () => Effect.result(cancel(customerId, id)), {
          concurrency: "unbounded"
        })
        yield* Fiber.join(due)
        yield* settle
        const { status: ended } = yield* status
        const wasSent = providers.deliveries.length > sentBefore
        assert.strictEqual(ended, wasSent ? "sent" : "canceled")
        const wins = canceling.filter(Result.isSuccess).length
        assert.strictEqual(wins, wasSent ? 0 : 3)
        if (!wasSent) canceled++
      }
      const spent = (20 - canceled) * 1000
      assert.deepStrictEqual(yield* leftOf(customerId), { held: 0, balance: 1_000_000 - spent, timers: 0 })
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })
})
