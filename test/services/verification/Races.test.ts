import { assert, layer } from "@effect/vitest"
import { Array as Arr, Deferred, Effect, Fiber, Result } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { TimerRunner } from "../../../src/services/timer/TimerRunner.ts"
import { Verifications } from "../../../src/services/verification/Verifications.ts"
import { accepted, scriptProviders } from "../../support/ScriptedProviders.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer, testProcess } from "../../support/TestGraph.ts"

const PHONE = "09121234567"
const unbounded = { concurrency: "unbounded" } as const

const countOf = (table: string) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ readonly count: number }>`select count(*)::int as count from ${sql(table)}`
    return row?.count ?? 0
  })

/** A verification, and the code it was sent and one that it was not. */
const sendOne = Effect.fnUntraced(function* (providers: ReturnType<typeof scriptProviders>) {
  const customerId = yield* makeCustomer()
  const verifications = yield* Verifications
  const { verificationId: id } = yield* verifications.send({ customerId, phone: PHONE })
  const right = providers.deliveries[0]?.code ?? ""
  const verify = (code: string) => verifications.verify({ customerId, id, code })
  const status = verifications.status({ customerId, id })
  return { right, wrong: right === "000000" ? "111111" : "000000", verify, status }
})

layer(TestDatabase, { excludeTestServices: true })("under parallelism", (it) => {
  it.effect(
    "of 200 parallel wrong codes never more than 5 are compared, and the verification is locked",
    () => {
      const providers = scriptProviders()
      return Effect.gen(function* () {
        const { right, wrong, verify } = yield* sendOne(providers)
        const results = yield* Effect.all(
          Arr.makeBy(200, () => verify(wrong)),
          unbounded
        )
        const reasons = Arr.groupBy(results, ({ reason }) => reason)
        assert.strictEqual(reasons["invalid_code"]?.length, 5)
        assert.strictEqual(reasons["locked"]?.length, 195)
        assert.deepStrictEqual(yield* verify(right), {
          verified: false,
          reason: "locked",
          triesLeft: null
        })
      }).pipe(Effect.provide(testProcess(providers.layer)))
    }
  )

  it.effect("of 100 parallel right codes exactly one is ok", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const { right: code, verify } = yield* sendOne(providers)
      const results = yield* Effect.all(
        Arr.makeBy(100, () => verify(code)),
        unbounded
      )
      const reasons = Arr.groupBy(results, ({ reason }) => reason)
      assert.strictEqual(reasons["ok"]?.length, 1)
      assert.strictEqual(reasons["already_verified"]?.length, 99)
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect(
    "one right code among 99 parallel wrong ones is accepted once or not at all, and the state agrees",
    () => {
      const providers = scriptProviders()
      return Effect.gen(function* () {
        const { right, wrong, verify, status: statusNow } = yield* sendOne(providers)
        const codes = Arr.makeBy(100, (n) => (n === 50 ? right : wrong))
        const results = yield* Effect.forEach(codes, (code) => verify(code), unbounded)
        const accepted = results.filter(({ verified }) => verified).length
        const { status } = yield* statusNow
        assert.isTrue(results.filter(({ reason }) => reason === "invalid_code").length <= 5)
        assert.deepStrictEqual([accepted, status], accepted === 1 ? [1, "verified"] : [0, "locked"])
      }).pipe(Effect.provide(testProcess(providers.layer)))
    }
  )

  it.effect("50 parallel identical sends make one verification and send one code", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      const verifications = yield* Verifications
      const request = { customerId, phone: PHONE, idempotency: { key: "same", body: { phone: PHONE } } }
      const results = yield* Effect.all(
        Arr.makeBy(50, () => Effect.result(verifications.send(request))),
        unbounded
      )
      const answers = Arr.getSuccesses(results)
      const refusals = Arr.getFailures(results)
      assert.strictEqual(new Set(answers.map(({ verificationId }) => verificationId)).size, 1)
      assert.strictEqual(answers.filter(({ replayed }) => !replayed).length, 1)
      assert.isTrue(refusals.every(({ _tag }) => _tag === "idempotency_key_in_progress"))
      assert.strictEqual(providers.deliveries.length, 1)
      assert.strictEqual(yield* countOf("verifications"), 1)
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("an idempotency key stands for its request for 24 hours, and is free again after them", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      const verifications = yield* Verifications
      const send = (body: unknown) =>
        Effect.result(verifications.send({ customerId, phone: PHONE, idempotency: { key: "k", body } }))
      const first = Result.getOrThrow(yield* send({ phone: PHONE }))
      yield* TestClock.adjust("23 hours")
      const again = Result.getOrThrow(yield* send({ phone: PHONE }))
      assert.deepStrictEqual([again.verificationId, again.replayed], [first.verificationId, true])
      const other = yield* send({ phone: "other" })
      assert.isTrue(Result.isFailure(other) && other.failure._tag === "idempotency_key_conflict")
      yield* TestClock.adjust("1 hour")
      const later = Result.getOrThrow(yield* send({ phone: "other" }))
      assert.notStrictEqual(later.verificationId, first.verificationId)
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect(
    "a refused request does not use its idempotency key up, and an accepted one replays even when it would now be refused",
    () => {
      const providers = scriptProviders()
      return Effect.gen(function* () {
        const customerId = yield* makeCustomer()
        const verifications = yield* Verifications
        const send = (phone: string) =>
          Effect.result(
            verifications.send({
              customerId,
              phone,
              idempotency: { key: "k", body: { channels: "bale" } },
              channels: [{ channel: "bale" }]
            })
          )
        const refused = yield* send("123")
        assert.isTrue(Result.isFailure(refused) && refused.failure._tag === "invalid_phone")
        const sent = Result.getOrThrow(yield* send(PHONE))
        const replayed = Result.getOrThrow(yield* send("123"))
        assert.deepStrictEqual([replayed.verificationId, replayed.replayed], [sent.verificationId, true])
      }).pipe(Effect.provide(testProcess(providers.layer)))
    }
  )

  it.effect("ten processes that look for due work at once try each step once", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      const verifications = yield* Verifications
      yield* Effect.all(
        Arr.makeBy(30, () => verifications.send({ customerId, phone: PHONE })),
        unbounded
      )
      yield* TestClock.adjust("60 seconds")
      const { runDue } = yield* TimerRunner
      const done = yield* Effect.all(
        Arr.makeBy(10, () => runDue),
        unbounded
      )
      assert.strictEqual(
        done.reduce((sum, count) => sum + count, 0),
        30
      )
      assert.strictEqual(new Set(providers.deliveries.map(({ attemptId }) => attemptId)).size, 60)
      assert.strictEqual(providers.deliveries.length, 60)
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("a client that hangs up after acceptance does not undo the send", () => {
    const gate = Deferred.makeUnsafe<void>()
    const providers = scriptProviders({ bale: Effect.as(Deferred.await(gate), accepted) })
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      const verifications = yield* Verifications
      const request = { customerId, phone: PHONE, idempotency: { key: "k", body: {} } }
      const sending = yield* Effect.forkChild(verifications.send(request))
      yield* Effect.yieldNow.pipe(Effect.repeat({ until: () => providers.deliveries.length === 1 }))
      yield* Fiber.interrupt(sending)
      assert.strictEqual(
        (yield* Effect.flip(verifications.send(request)))._tag,
        "idempotency_key_in_progress"
      )
      yield* Deferred.succeed(gate, undefined)
      const replayed = yield* verifications
        .send(request)
        .pipe(Effect.retry({ while: ({ _tag }) => _tag === "idempotency_key_in_progress" }))
      assert.isTrue(replayed.replayed)
      assert.strictEqual(providers.deliveries.length, 1)
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("a state change and its events are written together, in order, without the code", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const customerId = yield* makeCustomer()
      const verifications = yield* Verifications
      const { verificationId: id } = yield* verifications.send({ customerId, phone: PHONE })
      const code = providers.deliveries[0]?.code ?? ""
      yield* TestClock.adjust("60 seconds")
      yield* (yield* TimerRunner).runDue
      yield* verifications.verify({ customerId, id, code })
      const events = yield* sql<{ type: string; sequence: number; data: unknown }>`
        select type, sequence, data from events where subject = ${id}::uuid order by sequence`
      assert.deepStrictEqual(
        events.map(({ type, sequence }) => [sequence, type]),
        [
          [1, "verification.queued"],
          [2, "verification.attempt_sent"],
          [3, "verification.attempt_sent"],
          [4, "verification.verified"]
        ]
      )
      assert.isFalse(JSON.stringify(events.map(({ data }) => data)).includes(code))
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("the encrypted code is gone as soon as no channel can still need it", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const customerId = yield* makeCustomer(["bale", "sms"])
      const verifications = yield* Verifications
      const { verificationId: id } = yield* verifications.send({ customerId, phone: PHONE })
      const isKept = Effect.map(
        sql<{
          kept: boolean
        }>`select sealed_code is not null as kept from verifications where id = ${id}::uuid`,
        ([row]) => row?.kept
      )
      assert.isTrue(yield* isKept)
      yield* TestClock.adjust("60 seconds")
      yield* (yield* TimerRunner).runDue
      assert.isFalse(yield* isKept)
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })
})
