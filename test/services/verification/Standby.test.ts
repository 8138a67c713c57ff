import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { ProviderOutcome } from "../../../src/domain/ProviderOutcome.ts"
import { Accounts } from "../../../src/services/account/Accounts.ts"
import { Messages } from "../../../src/services/message/Messages.ts"
import { Workers } from "../../../src/services/concurrency/Workers.ts"
import { Verifications } from "../../../src/services/verification/Verifications.ts"
import {
  accepted,
  misconfigured,
  rejected,
  scriptProviders,
  throttled,
  unavailable,
  unknown,
  unreachable
} from "../../support/ScriptedProviders.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer, runDue, testProcess } from "../../support/TestGraph.ts"

/** A customer with an sms account, another that stands by for it, and bale. */
const withStandby = Effect.gen(function* () {
  const customerId = yield* makeCustomer(["sms", "bale"])
  const { connect, list, update } = yield* Accounts
  const sms = {
    channel: "sms" as const,
    provider: "simulator",
    label: "second",
    settings: {},
    isDefault: false
  }
  const standby = yield* Effect.orDie(connect(customerId, sms))
  const { items } = yield* list(customerId, { limit: 10, after: null })
  const first = items.find(({ channel }) => channel === "sms") ?? (yield* Effect.die("no sms account"))
  yield* Effect.orDie(update(customerId, first.id, { standby: [standby.id] }, null))
  return { customerId, first: first.id, standby: standby.id }
})

const sendTo = (customerId: number) =>
  Effect.flatMap(Verifications, ({ send }) => send({ customerId, phone: "09121234567" }))

const statusOf = (customerId: number, id: string) =>
  Effect.flatMap(Verifications, ({ status }) => status({ customerId, id }))

const shown = (status: Effect.Success<ReturnType<typeof statusOf>>) =>
  status.attempts.map(({ sequence, channel, errorCode }): ReadonlyArray<number | string | null> => [
    sequence,
    channel.credential_id,
    errorCode
  ])

const takesOver: ReadonlyArray<readonly [string, ProviderOutcome, string]> = [
  ["is misconfigured", misconfigured, "provider_misconfigured"],
  ["is throttled", throttled, "provider_rate_limited"],
  ["is unavailable", unavailable, "provider_unavailable"],
  ["refuses the request", rejected, "provider_rejected"]
]

const staysOut: ReadonlyArray<readonly [string, ProviderOutcome, string]> = [
  ["the recipient is refused", unreachable, "recipient_unreachable"],
  ["the outcome is unknown", unknown, "provider_outcome_unknown"]
]

layer(TestDatabase, { excludeTestServices: true })("a standby account", (it) => {
  it.effect.each(takesOver)("sends at once when the first %s", ([, outcome, errorCode]) => {
    const providers = scriptProviders({ sms: [outcome, accepted] })
    return Effect.gen(function* () {
      const { customerId, first, standby } = yield* withStandby
      const { verificationId, status } = yield* sendTo(customerId)
      assert.strictEqual(status, "queued")
      yield* runDue
      const after = yield* statusOf(customerId, verificationId)
      assert.deepStrictEqual(shown(after), [
        [1, first, errorCode],
        [2, standby, null]
      ])
      assert.deepStrictEqual(
        providers.deliveries.map(({ accountId, at }) => [accountId, at]),
        [
          [first, 0],
          [standby, 0]
        ]
      )
      assert.strictEqual(after.remainingSeconds, 60)
      yield* TestClock.adjust("60 seconds")
      yield* runDue
      assert.deepStrictEqual(providers.channels(), ["sms", "sms", "bale"])
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect.each(staysOut)("stays out when %s, and the next channel follows", ([, outcome, errorCode]) => {
    const providers = scriptProviders({ sms: [outcome, accepted] })
    return Effect.gen(function* () {
      const { customerId, first } = yield* withStandby
      const { verificationId } = yield* sendTo(customerId)
      yield* runDue
      assert.deepStrictEqual(providers.channels(), ["sms", "bale"])
      const after = yield* statusOf(customerId, verificationId)
      assert.deepStrictEqual(shown(after)[0], [1, first, errorCode])
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("stays out when the first has sent the code: the channel is not used twice", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const { customerId } = yield* withStandby
      const { verificationId } = yield* sendTo(customerId)
      yield* TestClock.adjust("60 seconds")
      yield* runDue
      assert.deepStrictEqual(providers.channels(), ["sms", "bale"])
      const after = yield* statusOf(customerId, verificationId)
      assert.deepStrictEqual(
        after.attempts.map(({ sequence }) => sequence),
        [1, 3]
      )
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("sends in place of an account that cools down, which is not called", () => {
    const providers = scriptProviders({ sms: [throttled, accepted] })
    return Effect.gen(function* () {
      const { customerId, standby } = yield* withStandby
      yield* sendTo(customerId)
      yield* runDue
      const { verificationId, currentAttemptChannel } = yield* sendTo(customerId)
      assert.strictEqual(currentAttemptChannel.credential_id, standby)
      assert.deepStrictEqual(shown(yield* statusOf(customerId, verificationId)), [[2, standby, null]])
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("sends in place of an account that is at its rate", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const { customerId, first, standby } = yield* withStandby
      yield* Effect.orDie((yield* Accounts).update(customerId, first, { perMinute: 1 }, null))
      yield* sendTo(customerId)
      const { currentAttemptChannel } = yield* sendTo(customerId)
      assert.strictEqual(currentAttemptChannel.credential_id, standby)
      assert.deepStrictEqual(
        providers.deliveries.map(({ accountId }) => accountId),
        [first, standby]
      )
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect(
    "goes first while the account before it waits long for its gap, and then that one stays out",
    () => {
      const providers = scriptProviders()
      return Effect.gen(function* () {
        const { customerId, first, standby } = yield* withStandby
        yield* Effect.orDie((yield* Accounts).update(customerId, first, { gapMillis: 20_000 }, null))
        yield* sendTo(customerId)
        yield* sendTo(customerId)
        yield* TestClock.adjust("45 seconds")
        yield* runDue
        assert.deepStrictEqual(
          providers.deliveries.map(({ accountId }) => accountId),
          [first, standby]
        )
        yield* TestClock.adjust("15 seconds")
        yield* runDue
        assert.deepStrictEqual(providers.channels(), ["sms", "sms", "bale", "bale"])
      }).pipe(Effect.provide(testProcess(providers.layer)))
    }
  )

  it.effect("that fails too leaves the code to the next channel, and all failed is failed", () => {
    const providers = scriptProviders({ sms: misconfigured, bale: unreachable })
    return Effect.gen(function* () {
      const { customerId, first, standby } = yield* withStandby
      const { verificationId } = yield* sendTo(customerId)
      yield* runDue
      yield* runDue
      const after = yield* statusOf(customerId, verificationId)
      assert.strictEqual(after.status, "failed")
      assert.deepStrictEqual(shown(after).slice(0, 2), [
        [1, first, "provider_misconfigured"],
        [2, standby, "provider_misconfigured"]
      ])
      assert.deepStrictEqual(providers.channels(), ["sms", "sms", "bale"])
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("takes over no text", () => {
    const providers = scriptProviders({ sms: misconfigured })
    return Effect.gen(function* () {
      const { customerId } = yield* withStandby
      const { send } = yield* Messages
      yield* send({ customerId, to: "09121234567", message: "x", channels: [{ channel: "sms" }] })
      yield* (yield* Workers).idle
      yield* runDue
      assert.deepStrictEqual(providers.channels(), ["sms"])
    }).pipe(Effect.provide(testProcess(providers.layer)))
  })

  it.effect("is forgotten with its account", () =>
    Effect.gen(function* () {
      const { customerId, first, standby } = yield* withStandby
      const sql = yield* SqlClient.SqlClient
      yield* sql`delete from account_pace where account_id = ${standby}`
      yield* sql`delete from sending_accounts where id = ${standby}`
      const { standby: left } = yield* (yield* Accounts).find(customerId, first)
      assert.deepStrictEqual(left, [])
    }).pipe(Effect.provide(testProcess(scriptProviders().layer)))
  )
})
