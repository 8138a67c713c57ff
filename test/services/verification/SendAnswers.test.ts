import { assert, layer } from "@effect/vitest"
import { Effect, Layer, Struct } from "effect"
import { TestClock } from "effect/testing"
import type { Channel } from "../../../src/domain/routing/Channel.ts"
import { Verifications } from "../../../src/services/verification/Verifications.ts"
import { heldUpAt } from "../../support/HeldUp.ts"
import { liveFor, paced } from "../../support/PacedAccounts.ts"
import { customerWithRepeats } from "../../support/RepeatableAccounts.ts"
import { scriptProviders, unknown, unreachable } from "../../support/ScriptedProviders.ts"
import { scriptSlots } from "../../support/ScriptedSlots.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer, runDue, testProcess } from "../../support/TestGraph.ts"

/** A send that can be made again with the same idempotency key; without what distinguishes a replay from the first. */
const sendOf = (customerId: number, channels: ReadonlyArray<Channel>, key = "a key") => {
  const body = { phone: "09121234567", channels: channels.map((channel) => ({ channel })) }
  return Effect.flatMap(Verifications, ({ send }) =>
    Effect.map(send({ customerId, ...body, idempotency: { key, body } }), Struct.omit(["replayed"]))
  )
}

const statusOf = (customerId: number, id: string) =>
  Effect.flatMap(Verifications, ({ status }) => status({ customerId, id }))

layer(TestDatabase, { excludeTestServices: true })("the answer of send", (it) => {
  it.effect("names the channel that was called, and not one before it whose account is in a cooldown", () => {
    const providers = scriptProviders()
    const slots = scriptSlots({ bale: 600_000 })
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      const answer = yield* sendOf(customerId, ["bale", "eitaa", "sms"])
      assert.deepStrictEqual(providers.channels(), ["eitaa"])
      assert.deepStrictEqual([answer.status, answer.currentAttemptChannel.label], ["queued", "eitaa"])
    }).pipe(Effect.provide(testProcess(Layer.merge(providers.layer, slots.layer))))
  })

  it.effect("names the channel planned first, of those not skipped, while its slot is still to come", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale", "eitaa", "sms"])
      // If both accounts are within their gaps, the one that sent earlier has the earlier slot.
      yield* sendOf(customerId, ["eitaa"], "first")
      yield* TestClock.adjust("2 seconds")
      yield* sendOf(customerId, ["bale"], "second")
      const answer = yield* sendOf(customerId, ["bale", "eitaa"])
      const { status, attempts } = yield* statusOf(customerId, answer.verificationId)
      assert.deepStrictEqual([status, attempts], ["pending", []])
      assert.deepStrictEqual([answer.status, answer.currentAttemptChannel.label], ["queued", "eitaa"])
      yield* liveFor(10)
      assert.deepStrictEqual(providers.channels(), ["eitaa", "bale", "eitaa"])
    }).pipe(Effect.provide(paced(providers, { accountGapMillis: 10_000 })))
  })

  it.effect(
    "names the first channel when none could be called, and is failed, which the status explains",
    () => {
      const providers = scriptProviders()
      const slots = scriptSlots({ bale: 600_000, sms: 600_000 })
      return Effect.gen(function* () {
        const customerId = yield* makeCustomer()
        const answer = yield* sendOf(customerId, ["bale", "sms"])
        assert.deepStrictEqual(providers.channels(), [])
        assert.deepStrictEqual([answer.status, answer.currentAttemptChannel.label], ["failed", "bale"])
        const { attempts, currentChannel } = yield* statusOf(customerId, answer.verificationId)
        assert.deepStrictEqual(
          attempts.map(({ sequence, status, errorCode, dispatchedAt }) => [
            sequence,
            status,
            errorCode,
            dispatchedAt
          ]),
          [
            [1, "failed", "account_unavailable", null],
            [2, "failed", "account_unavailable", null]
          ]
        )
        assert.strictEqual(currentChannel.label, "bale")
      }).pipe(Effect.provide(testProcess(Layer.merge(providers.layer, slots.layer))))
    }
  )
})

layer(TestDatabase, { excludeTestServices: true })("the replay of a send is its first answer", (it) => {
  it.effect("though its one attempt was made after the answer, and failed", () => {
    const providers = scriptProviders({ bale: [unreachable] })
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale"])
      yield* sendOf(customerId, ["bale"], "the one before")
      const again = sendOf(customerId, ["bale"])
      const answer = yield* again
      assert.strictEqual(answer.status, "queued")
      assert.deepStrictEqual(yield* again, answer)
      yield* liveFor(11)
      assert.lengthOf(providers.deliveries, 2)
      assert.strictEqual((yield* statusOf(customerId, answer.verificationId)).status, "failed")
      assert.deepStrictEqual(yield* again, answer)
    }).pipe(Effect.provide(paced(providers, { accountGapMillis: 10_000 })))
  })

  it.effect("though its one attempt was repeated after the answer, and then refused", () => {
    const providers = scriptProviders({ bale: [unknown, unreachable] })
    return Effect.gen(function* () {
      const customerId = yield* customerWithRepeats(["bale"])
      const again = sendOf(customerId, ["bale"])
      const answer = yield* again
      assert.strictEqual(answer.status, "queued")
      yield* runDue
      assert.strictEqual((yield* statusOf(customerId, answer.verificationId)).status, "failed")
      assert.deepStrictEqual(yield* again, answer)
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("though the channel that was skipped before the answer may send again", () => {
    const providers = scriptProviders()
    const slots = scriptSlots({ bale: 600_000 })
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      const again = sendOf(customerId, ["bale", "sms"])
      const answer = yield* again
      delete slots.freeAt.bale
      yield* TestClock.adjust("60 seconds")
      yield* runDue
      assert.strictEqual(answer.currentAttemptChannel.label, "sms")
      assert.deepStrictEqual(yield* again, answer)
    }).pipe(Effect.provide(testProcess(Layer.merge(providers.layer, slots.layer))))
  })

  it.effect("though the lease ran out before the call, and the next process was refused", () => {
    const providers = scriptProviders({ bale: unreachable })
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale"])
      const again = sendOf(customerId, ["bale"])
      const answer = yield* heldUpAt("verifications", again, TestClock.adjust("1 minute"))
      assert.deepStrictEqual(providers.channels(), [])
      assert.strictEqual(answer.status, "queued")
      assert.deepStrictEqual(yield* again, answer)
      yield* runDue
      assert.deepStrictEqual(providers.channels(), ["bale"])
      assert.strictEqual((yield* statusOf(customerId, answer.verificationId)).status, "failed")
      assert.deepStrictEqual(yield* again, answer)
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })
})
