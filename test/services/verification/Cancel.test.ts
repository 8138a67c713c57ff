import { assert, layer } from "@effect/vitest"
import { Deferred, Effect, Fiber, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { ProviderOutcome } from "../../../src/domain/ProviderOutcome.ts"
import { TimerRunner } from "../../../src/services/timer/TimerRunner.ts"
import { Verifications } from "../../../src/services/verification/Verifications.ts"
import { accepted, scriptProviders } from "../../support/ScriptedProviders.ts"
import { scriptSlots } from "../../support/ScriptedSlots.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer, testProcess } from "../../support/TestGraph.ts"

const PHONE = "09121234567"
const BALANCE = 1_000_000
const PRICES = { priceBale: 1000, priceEitaa: 3000 }
const ROUNDS = 20
const unbounded = { concurrency: "unbounded" } as const

/** One code over Bale, and then Eitaa, which costs more: 2000 rials stay held for it. */
const sendOne = Effect.fnUntraced(function* (customerId: number) {
  const verifications = yield* Verifications
  const { verificationId: id } = yield* verifications.send({ customerId, phone: PHONE })
  return {
    id,
    next: verifications.next({ customerId, id, fromSequence: undefined }),
    cancel: verifications.cancel({ customerId, id }),
    status: verifications.status({ customerId, id }),
    verify: (code: string) => verifications.verify({ customerId, id, code })
  }
})

const customer = makeCustomer(["bale", "eitaa"])

/** The wallet, and the timers that are left. */
const leftOf = Effect.fnUntraced(function* (customerId: number) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql`
    select (select sum(held)::int from wallets where customer_id = ${customerId}) as held,
      (select sum(balance)::int from wallets where customer_id = ${customerId}) as balance,
      (select sum(amount)::int from ledger where customer_id = ${customerId}) as ledger,
      (select count(*)::int from timers where customer_id = ${customerId} and kind = 'verification') as timers`
  return row
})

const left = (spent: number) => ({ held: 0, balance: BALANCE - spent, ledger: BALANCE - spent, timers: 0 })

const eventsOf = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const rows = yield* sql`select type from events where subject = ${id}::uuid order by sequence`
  return rows.map(({ type }) => type)
})

const wins = (results: ReadonlyArray<Result.Result<unknown, unknown>>) =>
  results.filter(Result.isSuccess).length

layer(TestDatabase, { excludeTestServices: true })("canceling a code", (it) => {
  it.effect("releases its money, announces it once, and no further channel is tried", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* customer
      const { id, cancel } = yield* sendOne(customerId)
      const canceled = yield* cancel
      assert.deepStrictEqual([canceled.status, canceled.remainingSeconds], ["canceled", null])
      assert.deepStrictEqual(yield* cancel, canceled)
      assert.deepStrictEqual(yield* eventsOf(id), [
        "verification.queued",
        "verification.attempt_sent",
        "verification.canceled"
      ])
      assert.deepStrictEqual(yield* leftOf(customerId), left(1000))
      yield* TestClock.adjust("10 minutes")
      yield* (yield* TimerRunner).runDue
      assert.deepStrictEqual(providers.channels(), ["bale"])
    }).pipe(Effect.provide(testProcess(providers.layer, PRICES)))
  })

  it.effect("keeps nothing of the code, and makes the right one verify nothing", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { id, cancel, verify } = yield* sendOne(yield* customer)
      yield* cancel
      assert.deepStrictEqual(
        [...(yield* sql`select code_hash, sealed_code from verifications where id = ${id}::uuid`)],
        [{ code_hash: null, sealed_code: null }]
      )
      const right = providers.deliveries[0]?.code ?? ""
      assert.deepStrictEqual(yield* verify(right), { verified: false, reason: "canceled", triesLeft: null })
    }).pipe(Effect.provide(testProcess(providers.layer, PRICES)))
  })

  it.effect(
    "while its provider is being called keeps that call in the history, and is not charged for it",
    () => {
      const answer = Deferred.makeUnsafe<ProviderOutcome>()
      const providers = scriptProviders({ eitaa: Deferred.await(answer) })
      return Effect.gen(function* () {
        const customerId = yield* customer
        const { id, cancel, status } = yield* sendOne(customerId)
        yield* TestClock.adjust("60 seconds")
        const due = yield* Effect.forkChild((yield* TimerRunner).runDue)
        yield* Effect.repeat(Effect.yieldNow, { until: () => providers.deliveries.length === 2 })
        assert.strictEqual((yield* cancel).status, "canceled")
        yield* Deferred.succeed(answer, accepted)
        yield* Fiber.join(due)
        const { status: ended, attempts } = yield* status
        assert.deepStrictEqual(
          [ended, attempts.map((attempt) => attempt.status)],
          ["canceled", ["sent", "sent"]]
        )
        assert.deepStrictEqual((yield* eventsOf(id)).slice(-2), [
          "verification.canceled",
          "verification.attempt_sent"
        ])
        assert.deepStrictEqual(yield* leftOf(customerId), left(1000))
      }).pipe(Effect.provide(testProcess(providers.layer, PRICES)))
    }
  )

  it.effect.each<["slotMillis" | "startMillis"]>([["slotMillis"], ["startMillis"]])(
    "while a request waits for its account (%s) sends nothing more",
    ([delay]) => {
      const providers = scriptProviders()
      const slots = scriptSlots()
      return Effect.gen(function* () {
        const { next, cancel, status } = yield* sendOne(yield* customer)
        slots.delays[delay] = 4000
        const waiting = yield* Effect.forkChild(next)
        yield* Effect.repeat(Effect.yieldNow, { until: () => slots.delays.asked === 1 })
        yield* cancel
        yield* TestClock.adjust("5 seconds")
        assert.strictEqual((yield* Fiber.join(waiting)).status, "canceled")
        assert.deepStrictEqual(providers.channels(), ["bale"])
        assert.strictEqual((yield* status).attempts.length, 1)
      }).pipe(Effect.provide(testProcess(Layer.merge(providers.layer, slots.layer), PRICES)))
    }
  )

  it.effect("and entering the right code at once: exactly one of them wins, and the money adds up", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* customer
      for (let round = 0; round < ROUNDS; round++) {
        const { id, cancel, verify, status } = yield* sendOne(customerId)
        const right = providers.deliveries.at(-1)?.code ?? ""
        const both = [Effect.result(cancel), Effect.result(verify(right)), Effect.result(cancel)] as const
        const [first, verified, second] = yield* Effect.all(both, unbounded)
        const { status: ended } = yield* status
        const isVerified = Result.getOrThrow(verified).verified
        assert.strictEqual(ended, isVerified ? "verified" : "canceled")
        assert.strictEqual(wins([first, second]), isVerified ? 0 : 2)
        assert.strictEqual((yield* eventsOf(id)).at(-1), `verification.${ended}`)
      }
      assert.deepStrictEqual(yield* leftOf(customerId), left(ROUNDS * 1000))
    }).pipe(Effect.provide(testProcess(providers.layer, PRICES)))
  })

  it.effect(
    "and a due timer at once: it ends canceled, is charged for one channel, and leaves no timer",
    () => {
      const providers = scriptProviders()
      return Effect.gen(function* () {
        const customerId = yield* customer
        const { runDue } = yield* TimerRunner
        let spent = 0
        for (let round = 0; round < ROUNDS; round++) {
          const { cancel, status } = yield* sendOne(customerId)
          yield* TestClock.adjust("60 seconds")
          yield* Effect.all([runDue, cancel, Effect.result(cancel)], unbounded)
          const { status: ended, attempts } = yield* status
          assert.strictEqual(ended, "canceled")
          assert.strictEqual(attempts.length, providers.deliveries.length)
          const sql = yield* SqlClient.SqlClient
          const [row] = yield* sql<{ readonly captured: number }>`
          select sum(captured)::int as captured from verifications where customer_id = ${customerId}`
          spent = row?.captured ?? 0
          providers.deliveries.length = 0
        }
        assert.deepStrictEqual(yield* leftOf(customerId), left(spent))
      }).pipe(Effect.provide(testProcess(providers.layer, PRICES)))
    }
  )

  it.effect("and its expiry at once: exactly one of them ends it", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* customer
      const { id, cancel, status } = yield* sendOne(customerId)
      yield* TestClock.adjust("300 seconds")
      const results = yield* Effect.all(
        [Effect.result(cancel), Effect.result((yield* TimerRunner).runDue)],
        unbounded
      )
      assert.isTrue(Result.isFailure(results[0]))
      assert.strictEqual((yield* status).status, "expired")
      assert.strictEqual((yield* eventsOf(id)).at(-1), "verification.expired")
    }).pipe(Effect.provide(testProcess(providers.layer, PRICES)))
  })
})
