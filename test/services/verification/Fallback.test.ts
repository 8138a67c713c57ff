import { assert, layer } from "@effect/vitest"
import { Clock, Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import type { StepRequest } from "../../../src/domain/routing/RouteRequest.ts"
import { foldDigits } from "../../../src/domain/text/PastedText.ts"
import { Verifications } from "../../../src/services/verification/Verifications.ts"
import { accepted, scriptProviders, unknown, unreachable } from "../../support/ScriptedProviders.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer, runDue, testProcess } from "../../support/TestGraph.ts"

const PHONE = "09121234567"

const send = Effect.fnUntraced(function* (
  customerId: number,
  options: { readonly channels?: ReadonlyArray<StepRequest>; readonly channelTimeout?: number } = {}
) {
  const answer = yield* (yield* Verifications).send({ customerId, phone: PHONE, ...options })
  const id = answer.verificationId
  return {
    answer,
    id,
    status: Effect.flatMap(Verifications, (verifications) => verifications.status({ customerId, id })),
    verify: (code: string) =>
      Effect.flatMap(Verifications, (verifications) => verifications.verify({ customerId, id, code }))
  }
})

/** Jumps to `seconds` after `start` and does what is due then. */
const arriveAt = Effect.fnUntraced(function* (start: number, seconds: number) {
  const now = yield* Clock.currentTimeMillis
  yield* TestClock.adjust(start + seconds * 1000 - now)
  return yield* runDue
})

layer(TestDatabase, { excludeTestServices: true })("fallback", (it) => {
  it.effect(
    "three channels are tried at exactly the planned instants, and the rest of the time nothing is",
    () => {
      const providers = scriptProviders()
      return Effect.gen(function* () {
        const customer = yield* makeCustomer()
        const start = yield* Clock.currentTimeMillis
        yield* send(customer, {
          channels: [{ channel: "bale", wait: 45 }, { channel: "eitaa", wait: 120 }, { channel: "sms" }]
        })
        assert.strictEqual(yield* arriveAt(start, 44), 0)
        assert.strictEqual(yield* arriveAt(start, 45), 1)
        assert.strictEqual(yield* arriveAt(start, 164), 0)
        assert.strictEqual(yield* arriveAt(start, 165), 1)
        assert.strictEqual(yield* arriveAt(start, 299), 0)
        const tried = providers.deliveries.map(({ channel, at }) => [channel, (at - start) / 1000])
        assert.deepStrictEqual(tried, [
          ["bale", 0],
          ["eitaa", 45],
          ["sms", 165]
        ])
      }).pipe(Effect.provide(testProcess(providers.layer)))
    }
  )

  it.effect("every channel sends the same code, and every attempt has an id of its own", () => {
    const providers = scriptProviders({ bale: unreachable, eitaa: unreachable })
    return Effect.gen(function* () {
      yield* send(yield* makeCustomer())
      yield* runDue
      assert.strictEqual(providers.deliveries.length, 3)
      assert.strictEqual(new Set(providers.deliveries.map(({ code }) => code)).size, 1)
      assert.strictEqual(new Set(providers.deliveries.map(({ attemptId }) => attemptId)).size, 3)
      assert.isTrue(
        providers.deliveries.every(
          ({ code, text }) => /^\d{6}$/.test(code ?? "") && foldDigits(text).includes(code ?? "?")
        )
      )
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("the wait is the step's own, else the request's, else 60 seconds", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customer = yield* makeCustomer()
      const remaining = (verification: Effect.Success<ReturnType<typeof send>>) =>
        Effect.map(verification.status, ({ remainingSeconds }) => remainingSeconds)
      const bare = [{ channel: "bale" }, { channel: "sms" }]
      const own = [{ channel: "bale", wait: 47 }, { channel: "sms" }]
      assert.strictEqual(yield* remaining(yield* send(customer)), 60)
      assert.strictEqual(yield* remaining(yield* send(customer, { channels: bare, channelTimeout: 90 })), 90)
      assert.strictEqual(yield* remaining(yield* send(customer, { channels: own, channelTimeout: 90 })), 47)
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("remaining_seconds is rounded up, counts down, and is null on the last channel", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const { status } = yield* send(yield* makeCustomer(["bale", "sms"]))
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* status).remainingSeconds, 60)
      yield* TestClock.adjust("59 seconds")
      assert.strictEqual((yield* status).remainingSeconds, 1)
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual((yield* status).remainingSeconds, 0)
      yield* runDue
      assert.strictEqual((yield* status).remainingSeconds, null)
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("a definite failure moves on at once, and the waits of later steps count from there", () => {
    const providers = scriptProviders({ bale: unreachable })
    return Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis
      const { status, answer } = yield* send(yield* makeCustomer())
      assert.strictEqual(answer.status, "queued")
      assert.strictEqual(answer.currentAttemptChannel.provider, "bale")
      assert.strictEqual(yield* runDue, 1)
      assert.deepStrictEqual(providers.channels(), ["bale", "eitaa"])
      yield* arriveAt(start, 60)
      const { attempts, currentChannelStatus } = yield* status
      assert.deepStrictEqual(
        attempts.map(({ sequence, status: outcome, transitionReason }) => [
          sequence,
          outcome,
          transitionReason
        ]),
        [
          [1, "failed", "failed"],
          [2, "sent", "timed_out"],
          [3, "sent", null]
        ]
      )
      assert.strictEqual(currentChannelStatus, "sent")
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("when every channel definitely failed the verification failed", () => {
    const providers = scriptProviders({ bale: unreachable, eitaa: unreachable, sms: unreachable })
    return Effect.gen(function* () {
      const { status, verify } = yield* send(yield* makeCustomer())
      yield* runDue
      assert.strictEqual((yield* status).status, "failed")
      assert.deepStrictEqual(yield* verify("123456"), { verified: false, reason: "failed", triesLeft: null })
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("the only channel's definite failure is the answer of send itself", () => {
    const providers = scriptProviders({ bale: unreachable })
    return Effect.gen(function* () {
      const { answer } = yield* send(yield* makeCustomer(["bale"]))
      assert.strictEqual(answer.status, "failed")
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("a code that may have arrived keeps the verification queued though every attempt failed", () => {
    const providers = scriptProviders({ bale: unknown, sms: unreachable })
    return Effect.gen(function* () {
      const { status, verify } = yield* send(yield* makeCustomer(["bale", "sms"]))
      yield* runDue
      const { status: state, attempts } = yield* status
      assert.strictEqual(state, "queued")
      assert.deepStrictEqual(
        attempts.map(({ status: outcome }) => outcome),
        ["failed", "failed"]
      )
      assert.deepStrictEqual(providers.channels(), ["bale", "sms"])
      const code = providers.deliveries[0]?.code ?? ""
      assert.deepStrictEqual(yield* verify(code), { verified: true, reason: "ok", triesLeft: null })
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect(
    "a provider that does not answer within the time-out leaves an unknown outcome, and the route goes on",
    () => {
      const providers = scriptProviders({ bale: Effect.never })
      return Effect.gen(function* () {
        const customer = yield* makeCustomer(["bale", "sms"])
        const sending = yield* Effect.forkChild(send(customer))
        yield* Effect.yieldNow.pipe(Effect.repeat({ until: () => providers.deliveries.length === 1 }))
        yield* TestClock.adjust("10 seconds")
        const { status } = yield* Fiber.join(sending)
        yield* runDue
        assert.deepStrictEqual(providers.channels(), ["bale", "sms"])
        assert.deepStrictEqual(
          (yield* status).attempts.map(({ status: outcome }) => outcome),
          ["failed", "sent"]
        )
      }).pipe(Effect.provide(testProcess(providers.layer)))
    }
  )

  it.effect("when some were sent and the last failed it stays queued until it expires", () => {
    const providers = scriptProviders({ sms: unreachable })
    return Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis
      const { status, verify, answer } = yield* send(yield* makeCustomer(["bale", "sms"]))
      assert.strictEqual(answer.expiresIn, 300)
      yield* arriveAt(start, 60)
      assert.strictEqual((yield* status).status, "queued")
      yield* TestClock.adjust("240 seconds")
      assert.strictEqual((yield* status).status, "expired", "effective on read, before the background work")
      assert.deepStrictEqual(yield* verify("000000"), { verified: false, reason: "expired", triesLeft: null })
      assert.strictEqual(yield* runDue, 1)
      assert.strictEqual((yield* status).status, "expired")
      assert.strictEqual(yield* runDue, 0)
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("once verified, no later channel is tried", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis
      const { verify, status } = yield* send(yield* makeCustomer())
      assert.deepStrictEqual(yield* verify(providers.deliveries[0]?.code ?? ""), {
        verified: true,
        reason: "ok",
        triesLeft: null
      })
      assert.strictEqual(yield* arriveAt(start, 600), 0)
      assert.deepStrictEqual(providers.channels(), ["bale"])
      const view = yield* status
      assert.strictEqual(view.status, "verified")
      assert.strictEqual(view.verifiedAt, start)
      assert.strictEqual(view.remainingSeconds, null)
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("once locked, no later channel is tried", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis
      const { verify } = yield* send(yield* makeCustomer())
      const right = providers.deliveries[0]?.code ?? ""
      const wrong = right === "000000" ? "111111" : "000000"
      for (let n = 1; n <= 5; n++) assert.strictEqual((yield* verify(wrong)).reason, "invalid_code")
      assert.strictEqual((yield* verify(right)).reason, "locked")
      assert.strictEqual(yield* arriveAt(start, 600), 0)
      assert.deepStrictEqual(providers.channels(), ["bale"])
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect(
    "verified while the provider was still being called, it stays verified, and the attempt is in its history",
    () => {
      const gate = Deferred.makeUnsafe<void>()
      const providers = scriptProviders({ bale: Effect.as(Deferred.await(gate), accepted) })
      return Effect.gen(function* () {
        const customerId = yield* makeCustomer(["bale", "sms"])
        const verifications = yield* Verifications
        const sending = yield* Effect.forkChild(
          verifications.send({ customerId, phone: PHONE, idempotency: { key: "k", body: {} } })
        )
        yield* Effect.yieldNow.pipe(Effect.repeat({ until: () => providers.deliveries.length === 1 }))
        const id = providers.deliveries[0]?.attemptId.slice(0, 36) ?? ""
        const code = providers.deliveries[0]?.code ?? ""
        assert.strictEqual((yield* verifications.status({ customerId, id })).status, "pending")
        assert.strictEqual((yield* verifications.verify({ customerId, id, code })).reason, "ok")
        yield* Deferred.succeed(gate, undefined)
        assert.strictEqual((yield* Fiber.join(sending)).status, "queued")
        const view = yield* verifications.status({ customerId, id })
        assert.strictEqual(view.status, "verified")
        assert.deepStrictEqual(
          view.attempts.map(({ status }) => status),
          ["sent"]
        )
        yield* TestClock.adjust("10 minutes")
        assert.strictEqual(yield* runDue, 0)
      }).pipe(Effect.provide(testProcess(providers.layer)))
    }
  )

  it.effect(
    "after an outage the next channel goes out at once, and the one after it still waits its time",
    () => {
      const providers = scriptProviders()
      return Effect.gen(function* () {
        const start = yield* Clock.currentTimeMillis
        yield* send(yield* makeCustomer())
        yield* arriveAt(start, 150)
        assert.deepStrictEqual(providers.channels(), ["bale", "eitaa"])
        yield* arriveAt(start, 209)
        assert.deepStrictEqual(providers.channels(), ["bale", "eitaa"])
        yield* arriveAt(start, 210)
        assert.deepStrictEqual(providers.channels(), ["bale", "eitaa", "sms"])
      }).pipe(Effect.provide(testProcess(providers.layer)))
    }
  )
})
