import { assert, layer } from "@effect/vitest"
import { Array as Arr, Effect, Layer, Result } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { DAY_MILLIS, HOUR_MILLIS } from "../../../src/domain/Instant.ts"
import { Phone } from "../../../src/domain/Phone.ts"
import { PhoneCallCountsSql } from "../../../src/layers/verification/PhoneCallsSql.ts"
import { KEPT_CALLS, PhoneCallCounts } from "../../../src/services/verification/PhoneCalls.ts"
import { RoutingOrders } from "../../../src/services/routing/RoutingOrders.ts"
import { Wallets } from "../../../src/services/Wallets.ts"
import { TimerRunner } from "../../../src/services/timer/TimerRunner.ts"
import { Verifications } from "../../../src/services/verification/Verifications.ts"
import { customerWithRepeats } from "../../support/RepeatableAccounts.ts"
import { accepted, scriptProviders, unknown } from "../../support/ScriptedProviders.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { connectShared, makeCustomer, runDue, testProcess } from "../../support/TestGraph.ts"

const PHONE = "09121234567"
const NOON = Date.parse("2026-11-26T12:00:00+03:30")
const EVENING = Date.parse("2026-11-26T21:59:35+03:30")
const MIDNIGHT = Date.parse("2026-11-26T23:59:00+03:30")
const ROUNDS = 20
const unbounded = { concurrency: "unbounded" } as const

const send = Effect.fnUntraced(function* (customerId: number, phone = PHONE) {
  const verifications = yield* Verifications
  const { verificationId: id } = yield* verifications.send({ customerId, phone })
  return {
    next: (channel?: string) => verifications.next({ customerId, id, channel, fromSequence: 1 }),
    status: verifications.status({ customerId, id }),
    cancel: verifications.cancel({ customerId, id })
  }
})

const callsCounted = Effect.gen(function* () {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly calls: number }>`select calls from platform_phone_counters`
  return row?.calls ?? 0
})

const callsOf = ({ deliveries }: ReturnType<typeof scriptProviders>): number =>
  deliveries.filter(({ channel }) => channel === "voice").length

layer(TestDatabase, { excludeTestServices: true })("a call that is made again", (it) => {
  it.effect("is counted once, also if another code called the phone in between", () => {
    const providers = scriptProviders({ voice: [unknown, accepted] })
    return Effect.gen(function* () {
      const first = yield* send(yield* customerWithRepeats(["voice"], ["voice"]))
      const other = yield* makeCustomer(["voice"])
      yield* send(other)
      yield* runDue
      assert.deepStrictEqual([callsOf(providers), yield* callsCounted], [3, 2])
      assert.deepStrictEqual(
        (yield* first.status).attempts.map(({ status }) => status),
        ["sent"]
      )
      const third = yield* send(other)
      assert.deepStrictEqual([callsOf(providers), yield* callsCounted], [4, 3])
      assert.strictEqual((yield* third.status).status, "queued")
      yield* send(other)
      assert.deepStrictEqual([callsOf(providers), yield* callsCounted], [4, 3])
    }).pipe(Effect.provide(testProcess(providers.layer, { callPhoneHourLimit: 3 }, NOON)))
  })

  it.effect("is made where the hour is full", () => {
    const providers = scriptProviders({ voice: [unknown, accepted] })
    return Effect.gen(function* () {
      const first = yield* send(yield* customerWithRepeats(["voice"], ["voice"]))
      yield* send(yield* makeCustomer(["voice"]))
      yield* runDue
      assert.deepStrictEqual([callsOf(providers), yield* callsCounted], [3, 2])
      const { attempts } = yield* first.status
      assert.deepStrictEqual(
        attempts.map(({ status, skipReason }) => [status, skipReason ?? null]),
        [["sent", null]]
      )
    }).pipe(Effect.provide(testProcess(providers.layer, {}, NOON)))
  })

  it.effect(
    "is made after the evening's end, where it was asked for before it and others called meanwhile",
    () => {
      const providers = scriptProviders()
      return Effect.gen(function* () {
        const customer = yield* makeCustomer(["bale", "voice"])
        const earlier = yield* send(customer, "09121234568")
        yield* TestClock.adjust("20 seconds")
        const { next } = yield* send(customer)
        yield* earlier.next("voice")
        yield* next("voice")
        assert.strictEqual(callsOf(providers), 1)
        yield* (yield* send(yield* makeCustomer(["bale", "voice"]))).next("voice")
        assert.strictEqual(callsOf(providers), 2)
        yield* TestClock.adjust("10.1 seconds")
        yield* runDue
        assert.strictEqual(callsOf(providers), 3)
      }).pipe(Effect.provide(testProcess(providers.layer, { accountGapMillis: 10_000 }, EVENING)))
    }
  )
})

/** Calls of as many codes, to one phone. */
const countsOf = (limit: number) =>
  Effect.gen(function* () {
    const counts = yield* PhoneCallCounts
    const phone = Phone.make("+989121234567")
    const call = (nth: number) => ({
      id: `0199f000-0000-7000-8000-${String(nth).padStart(12, "0")}`,
      customerId: nth,
      phone
    })
    const count = (
      nth: number,
      now: number,
      given: { readonly isBegun?: boolean; readonly night?: number } = {}
    ) =>
      counts.count({
        ...call(nth),
        now,
        limit,
        hourEndsAt: now + HOUR_MILLIS,
        nightEndsAt: given.night ?? null,
        callersLimit: 0,
        isBegun: given.isBegun ?? false
      })
    return { ...counts, call, count }
  })

const counting = (
  limit: number,
  work: (
    counts: Effect.Success<ReturnType<typeof countsOf>>
  ) => Effect.Effect<void, never, SqlClient.SqlClient>
) =>
  Effect.flatMap(countsOf(limit), work).pipe(
    Effect.provide(Layer.provideMerge(PhoneCallCountsSql, testProcess(scriptProviders().layer)))
  )

layer(TestDatabase, { excludeTestServices: true })("a count of a call", (it) => {
  it.effect("is given back, whoever called after it", () =>
    counting(2, ({ count, giveBack, call }) =>
      Effect.gen(function* () {
        const { hourEndsAt, nightEndsAt } = yield* count(1, NOON)
        yield* count(2, NOON + 1, { isBegun: true })
        assert.isFalse((yield* count(3, NOON + 2)).isGranted)
        yield* giveBack({ ...call(1), hourEndsAt, nightEndsAt })
        yield* giveBack({ ...call(1), hourEndsAt, nightEndsAt })
        const third = yield* count(3, NOON + 3)
        assert.deepStrictEqual([third.isGranted, third.calls], [true, 2])
      })
    )
  )

  it.effect("stays where the call began", () =>
    counting(0, ({ count, begin, giveBack, call, isCounted }) =>
      Effect.gen(function* () {
        const ends = { hourEndsAt: NOON + HOUR_MILLIS, nightEndsAt: null }
        yield* count(1, NOON)
        yield* count(1, NOON + 1, { isBegun: true })
        yield* count(2, NOON + 2)
        assert.isTrue(yield* begin(call(2)))
        assert.isFalse(yield* begin(call(3)))
        for (const nth of [1, 2]) yield* giveBack({ ...call(nth), ...ends })
        const known = yield* Effect.forEach([1, 2, 3], (nth) => isCounted(call(nth)))
        assert.deepStrictEqual(known, [true, true, false])
        assert.strictEqual((yield* count(3, NOON + 3)).calls, 3)
      })
    )
  )

  it.effect("that is given back after its hour takes nothing from the next one", () =>
    counting(2, ({ count, giveBack, call }) =>
      Effect.gen(function* () {
        const { hourEndsAt, nightEndsAt } = yield* count(1, NOON)
        yield* count(2, NOON + HOUR_MILLIS, { isBegun: true })
        yield* giveBack({ ...call(1), hourEndsAt, nightEndsAt })
        assert.strictEqual((yield* count(3, NOON + HOUR_MILLIS + 1)).calls, 2)
        assert.isFalse((yield* count(4, NOON + HOUR_MILLIS + 2)).isGranted)
      })
    )
  )

  it.effect("of a night is given back with the night", () =>
    counting(0, ({ count, giveBack, call }) =>
      Effect.gen(function* () {
        const night = MIDNIGHT + HOUR_MILLIS
        const { hourEndsAt } = yield* count(1, MIDNIGHT, { night })
        assert.isFalse((yield* count(2, MIDNIGHT, { night })).isGranted)
        yield* giveBack({ ...call(1), hourEndsAt, nightEndsAt: night })
        assert.isTrue((yield* count(2, MIDNIGHT, { night })).isGranted)
        // Late, and of the night before.
        yield* giveBack({ ...call(2), hourEndsAt, nightEndsAt: night - DAY_MILLIS })
        assert.isFalse((yield* count(3, MIDNIGHT, { night })).isGranted)
      })
    )
  )

  it.effect("is remembered of the last calls only, however many there are", () =>
    counting(0, ({ count, isCounted, call }) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const all = Arr.range(1, 3 * KEPT_CALLS)
        for (const nth of all) yield* count(nth, NOON, { isBegun: true })
        const sizes = yield* Effect.orDie(sql`
          select calls, cardinality(counted_calls) as counted, cardinality(begun_calls) as begun
          from platform_phone_counters`)
        assert.deepStrictEqual(sizes, [{ calls: all.length, counted: KEPT_CALLS, begun: KEPT_CALLS }])
        const known = yield* Effect.filter(all, (nth) => isCounted(call(nth)))
        assert.deepStrictEqual(known, all.slice(-KEPT_CALLS))
      })
    )
  )
})

layer(TestDatabase, { excludeTestServices: true })("calls to one phone at once", (it) => {
  it.effect("of two processes, from routes and from requests: exactly as many as allowed are made", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const processes = yield* Effect.replicateEffect(
        Layer.build(Layer.fresh(testProcess(providers.layer, { callPhoneHourLimit: 3 }, NOON))),
        2
      )
      /** In the processes by turns, each with its clock. */
      const inTurn = <A, E>(nth: number, work: Effect.Effect<A, E, Verifications>) =>
        Effect.result(Effect.provide(work, processes[nth % 2] ?? assert.fail("no process")))
      const [byRoute, onRequest] = yield* Effect.provide(
        Effect.all([makeCustomer(["voice"]), makeCustomer(["bale", "voice"])]),
        processes[0] ?? assert.fail("no process")
      )
      for (let round = 0; round < 5; round++) {
        const phone = `0912123456${round}`
        providers.deliveries.length = 0
        const sending = (customerId: number) =>
          Verifications.use(({ send: sends }) => sends({ customerId, phone }))
        const waiting = yield* Effect.forEach(Arr.range(1, 8), (nth) => inTurn(nth, sending(onRequest)))
        const requests = Arr.getSuccesses(waiting).flatMap(({ verificationId: id }, nth) =>
          [nth, nth + 1].map((process) =>
            inTurn(
              process,
              Verifications.use(({ next }) => next({ customerId: onRequest, id, channel: "voice" }))
            )
          )
        )
        assert.lengthOf(requests, 16)
        const sends = Arr.makeBy(8, (nth) => inTurn(nth, sending(byRoute)))
        const [answers] = yield* Effect.all(
          [Effect.all(requests, unbounded), Effect.all(sends, unbounded)],
          unbounded
        )
        assert.strictEqual(callsOf(providers), 3)
        const refused = Arr.getFailures(answers).map(({ _tag }) => _tag)
        // The second request for a call that was made finds none left.
        assert.isEmpty(
          refused.filter((tag) => tag !== "too_many_requests_phone_hour" && tag !== "invalid_channel")
        )
      }
    })
  })

  it.effect("of one code, asked for at two processes: one is made, counted and paid for", () => {
    const providers = scriptProviders()
    const settings = { priceBale: 0, priceVoice: 1000, callPhoneHourLimit: 0 }
    return Effect.gen(function* () {
      const [one, other] = yield* Effect.replicateEffect(
        Layer.build(Layer.fresh(testProcess(providers.layer, settings, NOON))),
        2
      )
      if (one === undefined || other === undefined) return assert.fail("no process")
      const inOne = Effect.provide(one)
      yield* inOne(connectShared("voice"))
      for (let round = 0; round < ROUNDS; round++) {
        providers.deliveries.length = 0
        const customerId = yield* inOne(makeCustomer(["bale"]))
        const { topUp } = yield* inOne(Wallets)
        yield* inOne(topUp(customerId, 5000))
        const { save } = yield* inOne(RoutingOrders)
        const step = { channel: "voice", sender: "shared", on_request: true } as const
        yield* inOne(Effect.orDie(save(customerId, [{ channel: "bale" }, step], null)))
        const phone = `091212346${String(round).padStart(2, "0")}`
        const sent = yield* inOne(Verifications.use((codes) => codes.send({ customerId, phone })))
        const before = yield* inOne(Wallets.use(({ balance }) => balance(customerId)))
        const asked = Verifications.use(({ next }) =>
          next({ customerId, id: sent.verificationId, channel: "voice", fromSequence: 1 })
        )
        const answers = yield* Effect.all(
          [one, other, one, other].map((process) => Effect.result(Effect.provide(asked, process))),
          unbounded
        )
        assert.isTrue(answers.some(Result.isSuccess))
        assert.strictEqual(callsOf(providers), 1)
        const sql = yield* inOne(SqlClient.SqlClient)
        const counted = yield* inOne(
          sql`select calls from platform_phone_counters where calls > 0 and counted_calls @> ${[sent.verificationId]}::uuid[]`
        )
        assert.deepStrictEqual(counted, [{ calls: 1 }])
        const after = yield* inOne(Wallets.use(({ balance }) => balance(customerId)))
        assert.deepStrictEqual(after.balance - after.held, before.balance - before.held - 1000)
      }
    })
  })

  it.effect("of one code, and another channel: what is not called is not counted", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const customer = yield* makeCustomer(["bale", "sms", "voice"])
      const { runDue: due } = yield* TimerRunner
      for (let round = 0; round < ROUNDS; round++) {
        providers.deliveries.length = 0
        yield* sql`delete from platform_phone_counters`
        const { next, cancel } = yield* send(customer)
        const asked = ["sms", "voice", "sms", "voice"].map((channel) => Effect.result(next(channel)))
        const answers = yield* Effect.all(asked, unbounded)
        assert.isTrue(answers.every(Result.isSuccess))
        yield* due
        assert.strictEqual(providers.deliveries.length, 2)
        assert.strictEqual(yield* callsCounted, callsOf(providers))
        yield* cancel
      }
    }).pipe(Effect.provide(testProcess(providers.layer, {}, NOON)))
  })

  it.effect("that no account can make now is not counted", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const customer = yield* makeCustomer(["bale", "voice", "sms"])
      yield* sql`update account_pace set cooling_until = ${new Date(MIDNIGHT + HOUR_MILLIS)}
        where account_id in (select id from sending_accounts where customer_id = ${customer} and channel = 'voice')`
      const { next } = yield* send(customer)
      yield* next("voice")
      assert.deepStrictEqual(providers.channels(), ["bale", "sms"])
      assert.strictEqual(yield* callsCounted, 0)
      yield* (yield* send(yield* makeCustomer(["bale", "voice"]))).next("voice")
      assert.strictEqual(callsOf(providers), 1)
    }).pipe(Effect.provide(testProcess(providers.layer, {}, MIDNIGHT)))
  })
})
