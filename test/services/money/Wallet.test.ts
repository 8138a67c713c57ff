import { assert, layer } from "@effect/vitest"
import { Array as Arr, Deferred, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { ProviderOutcome } from "../../../src/domain/ProviderOutcome.ts"
import type { Channel } from "../../../src/domain/routing/Channel.ts"
import { Workers } from "../../../src/services/concurrency/Workers.ts"
import { Messages } from "../../../src/services/message/Messages.ts"
import { Wallets } from "../../../src/services/Wallets.ts"
import { TimerRunner } from "../../../src/services/timer/TimerRunner.ts"
import { Verifications } from "../../../src/services/verification/Verifications.ts"
import { scriptProviders, unknown, unreachable } from "../../support/ScriptedProviders.ts"
import { PHONE } from "../../support/SentMessages.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer, testProcess } from "../../support/TestGraph.ts"

const unbounded = { concurrency: "unbounded" } as const

/** A customer whose wallet has this many rials. */
const customerWith = Effect.fnUntraced(function* (
  rials: number,
  channels: ReadonlyArray<Channel> = ["bale", "eitaa", "sms"]
) {
  const customerId = yield* makeCustomer(channels)
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from wallets where customer_id = ${customerId}`
  yield* sql`delete from ledger where customer_id = ${customerId}`
  if (rials > 0) yield* (yield* Wallets).topUp(customerId, rials)
  return customerId
})

const codeTo = (customerId: number, channels?: ReadonlyArray<Channel>) =>
  Effect.flatMap(Verifications, ({ send }) =>
    send({ customerId, phone: PHONE, channels: channels?.map((channel) => ({ channel })) })
  )

const messageTo = (customerId: number, channels: ReadonlyArray<Channel>, strategy = "failover") =>
  Effect.flatMap(Messages, ({ send }) =>
    send({
      customerId,
      to: PHONE,
      message: "x",
      channels: channels.map((channel) => ({ channel })),
      strategy
    })
  )

const walletOf = (customerId: number) => Effect.flatMap(Wallets, ({ balance }) => balance(customerId))

/** Everything adds up, and nothing is held. */
const settled = Effect.fnUntraced(function* (customerId: number) {
  const { differences } = yield* Wallets
  assert.deepStrictEqual(yield* differences, [])
  const { balance, held } = yield* walletOf(customerId)
  assert.strictEqual(held, 0)
  return balance
})

const finish = Effect.gen(function* () {
  yield* (yield* Workers).idle
  yield* (yield* TimerRunner).runDue
  yield* TestClock.adjust("20 minutes")
  yield* (yield* TimerRunner).runDue
})

layer(TestDatabase, { excludeTestServices: true })("a wallet", (it) => {
  it.effect(
    "that covers 7 sends accepts exactly 7 codes of 70 at once, and is spent to the last rial",
    () => {
      const providers = scriptProviders()
      return Effect.gen(function* () {
        const customerId = yield* customerWith(7500, ["bale"])
        const results = yield* Effect.all(
          Arr.makeBy(70, () => Effect.result(codeTo(customerId))),
          unbounded
        )
        assert.strictEqual(Arr.getSuccesses(results).length, 7)
        assert.deepStrictEqual(
          [...new Set(Arr.getFailures(results).map(({ _tag }) => _tag))],
          ["insufficient_balance"]
        )
        assert.strictEqual(providers.deliveries.length, 7)
        yield* finish
        assert.strictEqual(yield* settled(customerId), 500)
      }).pipe(Effect.provide(testProcess(providers.layer)))
    }
  )

  it.effect("that covers 5 sends accepts exactly 5 messages of 50 at once", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* customerWith(5000)
      const results = yield* Effect.all(
        Arr.makeBy(50, () => Effect.result(messageTo(customerId, ["bale"]))),
        unbounded
      )
      assert.strictEqual(Arr.getSuccesses(results).length, 5)
      yield* finish
      assert.strictEqual(yield* settled(customerId), 0)
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("that does not add up is found, with what it should be", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { differences } = yield* Wallets
      const customerId = yield* customerWith(5000)
      const addToFirstStripe = (balance: number, held: number) => sql`
        update wallets set balance = balance + ${balance}, held = held + ${held}
        where customer_id = ${customerId} and stripe = 0`
      yield* addToFirstStripe(7, 0)
      assert.deepStrictEqual(yield* differences, [
        { customerId, balance: 5007, ledger: 5000, held: 0, holds: 0 }
      ])
      yield* addToFirstStripe(-7, 9)
      assert.deepStrictEqual(yield* differences, [
        { customerId, balance: 5000, ledger: 5000, held: 9, holds: 0 }
      ])
      yield* addToFirstStripe(0, -9)
      assert.deepStrictEqual(yield* differences, [])
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("without a top-up covers sms, which costs nothing, and no messenger", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* customerWith(0)
      yield* codeTo(customerId, ["sms"])
      yield* messageTo(customerId, ["sms"])
      assert.strictEqual(
        (yield* Effect.flip(codeTo(customerId, ["sms", "bale"])))._tag,
        "insufficient_balance"
      )
      yield* finish
      assert.strictEqual(yield* settled(customerId), 0)
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("holds the dearest messenger of a route, and captures the one that was used", () => {
    const providers = scriptProviders({ bale: unreachable })
    return Effect.gen(function* () {
      const customerId = yield* customerWith(10_000)
      yield* codeTo(customerId, ["bale", "eitaa", "sms"])
      assert.deepStrictEqual(yield* walletOf(customerId), { balance: 10_000, held: 700 })
      yield* (yield* TimerRunner).runDue
      assert.deepStrictEqual(yield* walletOf(customerId), { balance: 9300, held: 0 })
      yield* finish
      assert.strictEqual(yield* settled(customerId), 9300)
    }).pipe(Effect.provide(testProcess(providers.layer, { priceBale: 500, priceEitaa: 700 })))
  })

  it.effect("is charged once for a code, however many messengers it goes over", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* customerWith(10_000)
      yield* codeTo(customerId, ["bale", "eitaa"])
      assert.deepStrictEqual(yield* walletOf(customerId), { balance: 9500, held: 200 })
      yield* TestClock.adjust("60 seconds")
      yield* (yield* TimerRunner).runDue
      assert.deepStrictEqual(yield* walletOf(customerId), { balance: 9300, held: 0 })
      yield* finish
      assert.strictEqual(yield* settled(customerId), 9300)
    }).pipe(Effect.provide(testProcess(providers.layer, { priceBale: 500, priceEitaa: 700 })))
  })

  it.effect("gets back what is still held when the code is verified, or locked", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* customerWith(10_000)
      const { verify } = yield* Verifications
      const first = yield* codeTo(customerId, ["sms", "bale"])
      const second = yield* codeTo(customerId, ["sms", "bale"])
      assert.strictEqual((yield* walletOf(customerId)).held, 2000)
      const code = providers.deliveries[0]?.code ?? ""
      yield* verify({ customerId, id: first.verificationId, code })
      assert.strictEqual((yield* walletOf(customerId)).held, 1000)
      const wrong = providers.deliveries[1]?.code === "000000" ? "111111" : "000000"
      for (let n = 0; n < 5; n++) yield* verify({ customerId, id: second.verificationId, code: wrong })
      assert.strictEqual(yield* settled(customerId), 10_000)
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("is not charged for what failed, or may have", () => {
    const providers = scriptProviders({ bale: unreachable, eitaa: unknown })
    return Effect.gen(function* () {
      const customerId = yield* customerWith(10_000)
      yield* codeTo(customerId, ["bale", "eitaa"])
      yield* messageTo(customerId, ["bale", "eitaa"], "broadcast")
      yield* finish
      assert.strictEqual(yield* settled(customerId), 10_000)
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("holds the sum of a broadcast, and captures each route that was sent", () => {
    const answer = Deferred.makeUnsafe<ProviderOutcome>()
    const providers = scriptProviders({ eitaa: Deferred.await(answer) })
    return Effect.gen(function* () {
      const customerId = yield* customerWith(2000)
      assert.strictEqual(
        (yield* Effect.flip(messageTo(customerId, ["bale", "eitaa", "soroushplus"], "broadcast")))._tag,
        "channel_unavailable"
      )
      yield* messageTo(customerId, ["bale", "eitaa", "sms"], "broadcast")
      assert.strictEqual((yield* Effect.flip(messageTo(customerId, ["bale"])))._tag, "insufficient_balance")
      yield* Deferred.succeed(answer, unreachable)
      yield* finish
      assert.strictEqual(yield* settled(customerId), 1000)
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("holds for a scheduled message from its acceptance", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* customerWith(1500)
      yield* (yield* Messages).send({
        customerId,
        to: PHONE,
        message: "x",
        channels: [{ channel: "bale" }],
        delay: "10m"
      })
      assert.deepStrictEqual(yield* walletOf(customerId), { balance: 1500, held: 1000 })
      assert.strictEqual((yield* Effect.flip(codeTo(customerId, ["bale"])))._tag, "insufficient_balance")
      yield* finish
      assert.strictEqual(yield* settled(customerId), 500)
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("of a customer on the free plan is not asked", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale"], "free")
      const before = yield* walletOf(customerId)
      yield* codeTo(customerId)
      yield* finish
      assert.deepStrictEqual(yield* walletOf(customerId), before)
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("adds up while sends, verifications and top-ups happen at once", () => {
    const providers = scriptProviders({ eitaa: unreachable })
    return Effect.gen(function* () {
      const customerId = yield* customerWith(3000)
      const { topUp } = yield* Wallets
      yield* Effect.all(
        [
          ...Arr.makeBy(30, () => Effect.result(codeTo(customerId, ["eitaa", "bale", "sms"]))),
          ...Arr.makeBy(30, () => Effect.result(messageTo(customerId, ["bale", "eitaa"], "broadcast"))),
          ...Arr.makeBy(10, () => Effect.result(topUp(customerId, 777)))
        ],
        unbounded
      )
      yield* finish
      const balance = yield* settled(customerId)
      const sent = providers.deliveries.filter(({ channel }) => channel === "bale").length
      assert.strictEqual(balance, 3000 + 7770 - sent * 1000)
      assert.isAtLeast(balance, 0)
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })
})
