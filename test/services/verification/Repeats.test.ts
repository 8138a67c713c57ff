import { assert, layer } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { Channel } from "../../../src/domain/routing/Channel.ts"
import { Verifications } from "../../../src/services/verification/Verifications.ts"
import {
  accepted,
  scriptProviders,
  throttled,
  unavailable,
  unknown,
  unreachable
} from "../../support/ScriptedProviders.ts"
import { scriptSlots } from "../../support/ScriptedSlots.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { runDue, testProcess } from "../../support/TestGraph.ts"
import {
  customerWithRepeats,
  eventsOf,
  leaseToTheDead,
  timersOf,
  UNKNOWN
} from "../../support/RepeatableAccounts.ts"

const PHONE = "09121234567"

const send = Effect.fnUntraced(function* (customerId: number, channels: ReadonlyArray<Channel>) {
  const verifications = yield* Verifications
  const answer = yield* verifications.send({
    customerId,
    phone: PHONE,
    channels: channels.map((channel) => ({ channel }))
  })
  const id = answer.verificationId
  return {
    answer,
    id,
    status: verifications.status({ customerId, id }),
    verify: (code: string) => verifications.verify({ customerId, id, code })
  }
})

/** The stored parts of a verification that its view does not show. */
const stored = Effect.fnUntraced(function* (id: string) {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{
    readonly repeating: boolean
    readonly hasCode: boolean
    readonly errors: ReadonlyArray<string | null>
  }>`select repeating, sealed_code is not null as "hasCode",
      coalesce((select jsonb_agg(a ->> 'error_code' order by n) from jsonb_array_elements(attempts)
        with ordinality as x (a, n)), '[]') as errors
    from verifications where id = ${id}::uuid`
  return row
})

layer(TestDatabase, { excludeTestServices: true })("a code whose answer was lost", (it) => {
  it.effect(
    "is answered as queued at once, and sent again with the same id, which takes the place of the first",
    () => {
      const providers = scriptProviders({ bale: [unknown, accepted] })
      return Effect.gen(function* () {
        const { answer, id, status } = yield* send(yield* customerWithRepeats(["bale"]), ["bale", "sms"])
        assert.strictEqual(answer.status, "queued")
        assert.strictEqual(answer.currentAttemptChannel.provider, "bale")
        const before = yield* status
        assert.deepStrictEqual(
          [before.status, before.remainingSeconds, before.attempts.map((attempt) => attempt.status)],
          ["queued", null, ["failed"]]
        )
        assert.lengthOf(providers.deliveries, 1)
        assert.deepStrictEqual(yield* stored(id), { repeating: true, hasCode: true, errors: [UNKNOWN] })
        yield* runDue
        const [first, second, ...more] = providers.deliveries
        assert.deepStrictEqual(more, [])
        assert.strictEqual(first?.attemptId, `${id}-1`)
        assert.deepStrictEqual(
          [second?.attemptId, second?.code, second?.channel],
          [first?.attemptId, first?.code, "bale"]
        )
        const { attempts, status: now, remainingSeconds } = yield* status
        assert.deepStrictEqual(
          [now, remainingSeconds, attempts.map((attempt) => attempt.status)],
          ["queued", 60, ["sent"]]
        )
        assert.deepStrictEqual(
          (yield* eventsOf(id)).map(({ type, sequence }) => [sequence, type]),
          [
            [1, "verification.queued"],
            [2, "verification.attempt_unknown"],
            [3, "verification.attempt_sent"]
          ]
        )
      }).pipe(Effect.provide(testProcess(providers.layer)))
    }
  )

  it.effect("twice goes on to the next channel, with one failed attempt in the history", () => {
    const providers = scriptProviders({ bale: unknown })
    return Effect.gen(function* () {
      const { id, status } = yield* send(yield* customerWithRepeats(["bale"]), ["bale", "sms"])
      yield* runDue
      assert.deepStrictEqual(providers.channels(), ["bale", "bale", "sms"])
      const { attempts } = yield* status
      assert.deepStrictEqual(
        attempts.map(({ sequence, status: outcome }) => [sequence, outcome]),
        [
          [1, "failed"],
          [2, "sent"]
        ]
      )
      assert.deepStrictEqual((yield* stored(id))?.errors, [UNKNOWN, null])
      assert.deepStrictEqual(
        (yield* eventsOf(id)).map(({ type }) => type),
        ["verification.queued", "verification.attempt_unknown", "verification.attempt_sent"]
      )
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  for (const [name, outcome] of Object.entries({ throttled, unavailable, unknown })) {
    it.effect(`may have arrived though its repeat was ${name}: the verification stays queued`, () => {
      const providers = scriptProviders({ bale: [unknown, outcome] })
      return Effect.gen(function* () {
        const { id, status, verify } = yield* send(yield* customerWithRepeats(["bale"]), ["bale"])
        yield* runDue
        assert.strictEqual((yield* status).status, "queued")
        assert.deepStrictEqual(yield* stored(id), { repeating: false, hasCode: false, errors: [UNKNOWN] })
        assert.strictEqual((yield* verify(providers.deliveries[0]?.code ?? "")).reason, "ok")
        assert.lengthOf(providers.deliveries, 2)
      }).pipe(Effect.provide(testProcess(providers.layer)))
    })
  }

  it.effect("and whose repeat was refused definitely failed, and the code is erased", () => {
    const providers = scriptProviders({ bale: [unknown, unreachable] })
    return Effect.gen(function* () {
      const { id, status } = yield* send(yield* customerWithRepeats(["bale"]), ["bale"])
      yield* runDue
      assert.strictEqual((yield* status).status, "failed")
      assert.deepStrictEqual(yield* stored(id), {
        repeating: false,
        hasCode: false,
        errors: ["recipient_unreachable"]
      })
      assert.strictEqual(yield* timersOf(id), 0)
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("by an account that does not de-duplicate is not sent again", () => {
    const providers = scriptProviders({ bale: unknown })
    return Effect.gen(function* () {
      const { status } = yield* send(yield* customerWithRepeats(["sms"]), ["bale", "sms"])
      yield* runDue
      assert.deepStrictEqual(providers.channels(), ["bale", "sms"])
      assert.lengthOf((yield* status).attempts, 2)
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("in the time-out is sent again as well", () => {
    const providers = scriptProviders({ bale: [Effect.never, accepted] })
    return Effect.gen(function* () {
      const customerId = yield* customerWithRepeats(["bale"])
      const sending = yield* Effect.forkChild(send(customerId, ["bale", "sms"]))
      yield* Effect.yieldNow.pipe(Effect.repeat({ until: () => providers.deliveries.length === 1 }))
      yield* TestClock.adjust("10 seconds")
      const { answer, id } = yield* Fiber.join(sending)
      assert.strictEqual(answer.status, "queued")
      yield* runDue
      assert.deepStrictEqual(
        providers.deliveries.map(({ attemptId, at }) => [attemptId, at]),
        [
          [`${id}-1`, 0],
          [`${id}-1`, 10_000]
        ]
      )
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("with its process is sent again once its lease has run out", () => {
    const providers = scriptProviders({ bale: unreachable })
    return Effect.gen(function* () {
      const customerId = yield* customerWithRepeats(["eitaa"])
      const { id, status } = yield* send(customerId, ["bale", "eitaa", "sms"])
      yield* leaseToTheDead(id, yield* Clock.currentTimeMillis)
      const { claimed, repeated } = yield* Effect.gen(function* () {
        yield* TestClock.adjust("30 seconds")
        const claimed = yield* runDue
        return { claimed, repeated: providers.channels() }
      })
      assert.strictEqual(claimed, 2, "the abandoned step, and its repeat")
      assert.deepStrictEqual(repeated, ["bale", "eitaa"])
      assert.deepStrictEqual(
        (yield* status).attempts.map(({ sequence, status: outcome }) => [sequence, outcome]),
        [
          [1, "failed"],
          [2, "sent"]
        ]
      )
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("with the process that repeated it, too, is not sent a third time", () => {
    const providers = scriptProviders({ bale: unknown })
    return Effect.gen(function* () {
      const customerId = yield* customerWithRepeats(["bale"])
      const { id } = yield* send(customerId, ["bale", "sms"])
      yield* leaseToTheDead(id, yield* Clock.currentTimeMillis)
      yield* TestClock.adjust("30 seconds")
      yield* runDue
      assert.deepStrictEqual(providers.channels(), ["bale", "sms"])
      assert.deepStrictEqual((yield* stored(id))?.errors, [UNKNOWN, null])
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("by an account in a cooldown then is not sent again, and the route goes on", () => {
    const providers = scriptProviders({ bale: unknown })
    const slots = scriptSlots()
    return Effect.gen(function* () {
      const { id } = yield* send(yield* customerWithRepeats(["bale"]), ["bale", "sms"])
      assert.isTrue((yield* stored(id))?.repeating)
      slots.freeAt.bale = 9e9
      yield* runDue
      assert.deepStrictEqual(providers.channels(), ["bale", "sms"])
      assert.deepStrictEqual((yield* stored(id))?.errors, [UNKNOWN, null])
      assert.deepStrictEqual(slots.reports, [
        ["bale", "Unknown"],
        ["sms", "Accepted"]
      ])
    }).pipe(Effect.provide(testProcess(Layer.merge(providers.layer, slots.layer))))
  })

  it.effect("waits within its account's gap for the repeat, and other channels wait for that", () => {
    const providers = scriptProviders({ bale: [unknown, accepted] })
    return Effect.gen(function* () {
      const { id, status } = yield* send(yield* customerWithRepeats(["bale"]), ["bale", "sms"])
      yield* runDue
      assert.deepStrictEqual(providers.channels(), ["bale"])
      assert.deepStrictEqual(yield* stored(id), { repeating: true, hasCode: true, errors: [UNKNOWN] })
      yield* TestClock.adjust("10 seconds")
      yield* runDue
      yield* TestClock.adjust("200 millis")
      yield* runDue
      assert.deepStrictEqual(providers.channels(), ["bale", "bale"])
      assert.isAtLeast((providers.deliveries[1]?.at ?? 0) - (providers.deliveries[0]?.at ?? 0), 10_000)
      assert.strictEqual((yield* status).status, "queued")
    }).pipe(Effect.provide(testProcess(providers.layer, { accountGapMillis: 10_000 })))
  })

  it.effect("keeps the code until the repeat is done, and not longer than a channel needs it", () => {
    const providers = scriptProviders({ bale: [unknown, accepted] })
    return Effect.gen(function* () {
      const { id } = yield* send(yield* customerWithRepeats(["bale"]), ["bale"])
      assert.isTrue((yield* stored(id))?.hasCode)
      yield* runDue
      assert.isFalse((yield* stored(id))?.hasCode)
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("is not sent again when it was verified during the first call", () => {
    const gate = Deferred.makeUnsafe<void>()
    const providers = scriptProviders({ bale: Effect.as(Deferred.await(gate), unknown) })
    return Effect.gen(function* () {
      const customerId = yield* customerWithRepeats(["bale"])
      const sending = yield* Effect.forkChild(send(customerId, ["bale", "sms"]))
      yield* Effect.yieldNow.pipe(Effect.repeat({ until: () => providers.deliveries.length === 1 }))
      const { attemptId = "", code = "" } = providers.deliveries[0] ?? {}
      const id = attemptId.slice(0, 36)
      assert.strictEqual(
        (yield* (yield* Verifications).verify({ customerId, id, code: code ?? "" })).reason,
        "ok"
      )
      yield* Deferred.succeed(gate, undefined)
      const { status } = yield* Fiber.join(sending)
      yield* TestClock.adjust("10 minutes")
      assert.strictEqual(yield* runDue, 0)
      assert.deepStrictEqual(providers.channels(), ["bale"])
      const view = yield* status
      assert.deepStrictEqual(
        [view.status, view.attempts.map((attempt) => attempt.status)],
        ["verified", ["failed"]]
      )
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("and is verified before its repeat is not sent again, and its one call is in the history", () => {
    const providers = scriptProviders({ bale: unknown })
    return Effect.gen(function* () {
      const { status, verify } = yield* send(yield* customerWithRepeats(["bale"]), ["bale", "sms"])
      assert.strictEqual((yield* verify(providers.deliveries[0]?.code ?? "")).reason, "ok")
      yield* TestClock.adjust("10 minutes")
      yield* runDue
      assert.deepStrictEqual(providers.channels(), ["bale"])
      const view = yield* status
      assert.strictEqual(view.status, "verified")
      assert.deepStrictEqual(
        view.attempts.map(({ sequence, status: outcome }) => [sequence, outcome]),
        [[1, "failed"]]
      )
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("and expires before its repeat is not sent again, and its one call is in the history", () => {
    const providers = scriptProviders({ bale: unknown })
    return Effect.gen(function* () {
      const { id, status } = yield* send(yield* customerWithRepeats(["bale"]), ["bale", "sms"])
      yield* TestClock.adjust("10 minutes")
      yield* runDue
      assert.deepStrictEqual(providers.channels(), ["bale"])
      const view = yield* status
      assert.strictEqual(view.status, "expired")
      assert.isFalse((yield* stored(id))?.hasCode)
      assert.deepStrictEqual(
        view.attempts.map(({ sequence, status: outcome }) => [sequence, outcome]),
        [[1, "failed"]]
      )
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })
})
