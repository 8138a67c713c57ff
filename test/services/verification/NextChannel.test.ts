import { assert, layer } from "@effect/vitest"
import { Array as Arr, Deferred, Effect, Fiber, Result } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { ProviderOutcome } from "../../../src/domain/ProviderOutcome.ts"
import { TimerRunner } from "../../../src/services/timer/TimerRunner.ts"
import { Verifications } from "../../../src/services/verification/Verifications.ts"
import { accepted, rejected, scriptProviders } from "../../support/ScriptedProviders.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer, testProcess } from "../../support/TestGraph.ts"

const PHONE = "09121234567"
const BALANCE = 1_000_000
const PRICES = { priceBale: 1000, priceEitaa: 3000, priceSms: 0 }
const ROUNDS = 20
const unbounded = { concurrency: "unbounded" } as const

/** A code over Bale that waits a minute for Eitaa, and then another for SMS. */
const sendOne = Effect.fnUntraced(function* (customerId: number) {
  const verifications = yield* Verifications
  const { verificationId: id } = yield* verifications.send({ customerId, phone: PHONE })
  return {
    id,
    next: (fromSequence?: number) => verifications.next({ customerId, id, fromSequence }),
    cancel: verifications.cancel({ customerId, id }),
    status: verifications.status({ customerId, id }),
    verify: (code: string) => verifications.verify({ customerId, id, code })
  }
})

/** The wallet, and the outcomes of the codes. */
const moneyOf = Effect.fnUntraced(function* (customerId: number) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly balance: number; readonly ledger: number; readonly captured: number }>`
    select (select sum(balance)::int from wallets where customer_id = ${customerId}) as balance,
      (select sum(amount)::int from ledger where customer_id = ${customerId}) as ledger,
      (select coalesce(sum(captured), 0)::int from verifications where customer_id = ${customerId}) as captured`
  return row ?? { balance: 0, ledger: 0, captured: 0 }
})

const assertMoneyAddsUp = Effect.fnUntraced(function* (customerId: number) {
  const { balance, ledger, captured } = yield* moneyOf(customerId)
  assert.deepStrictEqual([balance, ledger], [BALANCE - captured, BALANCE - captured])
})

layer(TestDatabase, { excludeTestServices: true })("trying the next channel", (it) => {
  it.effect("calls it before the response, and the one after it waits from then on", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const { next } = yield* sendOne(yield* makeCustomer())
      yield* TestClock.adjust("10 seconds")
      const { attempts, remainingSeconds, currentChannel } = yield* next(1)
      assert.deepStrictEqual(providers.channels(), ["bale", "eitaa"])
      assert.deepStrictEqual(
        attempts.map(({ sequence, transitionReason }) => [sequence, transitionReason]),
        [
          [1, "timed_out"],
          [2, null]
        ]
      )
      assert.deepStrictEqual([remainingSeconds, currentChannel.provider], [60, "eitaa"])
      yield* TestClock.adjust("50 seconds")
      yield* (yield* TimerRunner).runDue
      assert.deepStrictEqual(providers.channels(), ["bale", "eitaa"])
      yield* TestClock.adjust("10 seconds")
      yield* (yield* TimerRunner).runDue
      assert.deepStrictEqual(providers.channels(), ["bale", "eitaa", "sms"])
    }).pipe(Effect.provide(testProcess(providers.layer, PRICES)))
  })

  it.effect("sends the same code, and it verifies", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const { next, verify } = yield* sendOne(yield* makeCustomer())
      yield* next()
      const [first, second] = providers.deliveries.map(({ code }) => code ?? "")
      assert.strictEqual(second, first)
      assert.deepStrictEqual(yield* verify(first ?? ""), { verified: true, reason: "ok", triesLeft: null })
    }).pipe(Effect.provide(testProcess(providers.layer, PRICES)))
  })

  it.effect("goes on along the route where the channel refuses", () => {
    const providers = scriptProviders({ eitaa: rejected })
    return Effect.gen(function* () {
      const { next, status } = yield* sendOne(yield* makeCustomer())
      yield* next(1)
      yield* (yield* TimerRunner).runDue
      assert.deepStrictEqual(providers.channels(), ["bale", "eitaa", "sms"])
      assert.deepStrictEqual(
        (yield* status).attempts.map((attempt) => attempt.status),
        ["sent", "failed", "sent"]
      )
    }).pipe(Effect.provide(testProcess(providers.layer, PRICES)))
  })

  it.effect("is refused after the last channel and after the end", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const { next, cancel } = yield* sendOne(yield* makeCustomer(["bale", "eitaa"]))
      yield* next()
      const left = yield* Effect.flip(next())
      yield* cancel
      const ended = yield* Effect.flip(next())
      assert.deepStrictEqual([left._tag, ended._tag], ["no_next_channel", "verification_ended"])
    }).pipe(Effect.provide(testProcess(providers.layer, PRICES)))
  })

  it.effect("50 times at once, from one attempt, tries exactly one channel", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      for (let round = 0; round < ROUNDS; round++) {
        providers.deliveries.length = 0
        const { next, status, cancel } = yield* sendOne(customerId)
        yield* Effect.all(
          Arr.makeBy(50, () => next(1)),
          unbounded
        )
        assert.deepStrictEqual(providers.channels(), ["bale", "eitaa"])
        assert.strictEqual((yield* status).attempts.length, 2)
        yield* cancel
      }
      yield* assertMoneyAddsUp(customerId)
    }).pipe(Effect.provide(testProcess(providers.layer, PRICES)))
  })

  it.effect("while a channel is being called leaves it to that call", () => {
    const answer = Deferred.makeUnsafe<ProviderOutcome>()
    const providers = scriptProviders({ eitaa: Deferred.await(answer) })
    return Effect.gen(function* () {
      const { next, status } = yield* sendOne(yield* makeCustomer())
      yield* TestClock.adjust("60 seconds")
      const due = yield* Effect.forkChild((yield* TimerRunner).runDue)
      yield* Effect.repeat(Effect.yieldNow, { until: () => providers.deliveries.length === 2 })
      for (const sequence of [undefined, 1]) assert.strictEqual((yield* next(sequence)).attempts.length, 1)
      yield* Deferred.succeed(answer, accepted)
      yield* Fiber.join(due)
      assert.deepStrictEqual(providers.channels(), ["bale", "eitaa"])
      assert.strictEqual((yield* status).attempts.length, 2)
    }).pipe(Effect.provide(testProcess(providers.layer, PRICES)))
  })

  it.effect("and a due timer at once call the channel once", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      const { runDue } = yield* TimerRunner
      for (let round = 0; round < ROUNDS; round++) {
        providers.deliveries.length = 0
        const { next, status, cancel } = yield* sendOne(customerId)
        yield* TestClock.adjust("60 seconds")
        yield* Effect.all([runDue, next(1), runDue, next(1)], unbounded)
        yield* runDue
        assert.deepStrictEqual(providers.channels(), ["bale", "eitaa"])
        assert.strictEqual((yield* status).attempts.length, 2)
        yield* cancel
      }
      yield* assertMoneyAddsUp(customerId)
    }).pipe(Effect.provide(testProcess(providers.layer, PRICES)))
  })

  it.effect("where a process leased the timer early leaves the channel to it", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { next, id } = yield* sendOne(yield* makeCustomer())
      yield* sql`update timers set lease_token = gen_random_uuid() where subject = ${id}::uuid`
      assert.strictEqual((yield* next(1)).attempts.length, 1)
      assert.deepStrictEqual(providers.channels(), ["bale"])
    }).pipe(Effect.provide(testProcess(providers.layer, PRICES)))
  })

  it.effect("and the right code at once: it ends verified, and each channel is called at most once", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      for (let round = 0; round < ROUNDS; round++) {
        providers.deliveries.length = 0
        const { next, verify, status } = yield* sendOne(customerId)
        const right = providers.deliveries[0]?.code ?? ""
        const asked = [Effect.result(next(1)), Effect.result(verify(right)), Effect.result(next(1))] as const
        const [first, verified, second] = yield* Effect.all(asked, unbounded)
        assert.isTrue(Result.getOrThrow(verified).verified)
        for (const result of [first, second]) {
          if (Result.isFailure(result)) assert.strictEqual(result.failure._tag, "verification_ended")
        }
        assert.strictEqual((yield* status).status, "verified")
        assert.isTrue(providers.deliveries.length <= 2)
      }
      yield* assertMoneyAddsUp(customerId)
    }).pipe(Effect.provide(testProcess(providers.layer, PRICES)))
  })
})
