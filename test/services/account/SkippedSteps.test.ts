import { assert, layer } from "@effect/vitest"
import { Array as Arr, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { AccountSkips, AccountSlots } from "../../../src/services/account/AccountSlots.ts"
import { AccountStates } from "../../../src/services/account/AccountHistories.ts"
import { Accounts } from "../../../src/services/account/Accounts.ts"
import { TimerRunner } from "../../../src/services/timer/TimerRunner.ts"
import { Verifications } from "../../../src/services/verification/Verifications.ts"
import { codeTo, gapsOf, liveFor, paced, slowDown } from "../../support/PacedAccounts.ts"
import { scriptProviders, unreachable } from "../../support/ScriptedProviders.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer, testProcess } from "../../support/TestGraph.ts"

const skipsOf = Effect.fnUntraced(function* (customerId: number, id: string) {
  const { attempts } = yield* (yield* Verifications).status({ customerId, id })
  return attempts.map(({ channel, dispatchedAt, errorCode, skipReason }) => [
    channel.provider,
    dispatchedAt,
    errorCode,
    skipReason
  ])
})

const coolDown = Effect.fnUntraced(function* (customerId: number, channel: string, millis: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`update account_pace set cooling_until = timestamptz 'epoch' + ${millis}::int * interval '1 millisecond'
    where account_id in (select id from sending_accounts where customer_id = ${customerId} and channel = ${channel})`
})

layer(TestDatabase, { excludeTestServices: true })("a burst of 60 codes over one account of SMS", (it) => {
  it.effect("is sent in the slots of the next 30 seconds, and the rest names the gap", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["sms"])
      const sent = yield* Effect.all(
        Arr.makeBy(60, () => codeTo(customerId, ["sms"])),
        { concurrency: "unbounded" }
      )
      // A slot every 1.1 seconds: a second, and a margin.
      const queued = sent.filter(({ status }) => status === "queued")
      assert.strictEqual(queued.length, 28)
      // A call that starts late moves the ones behind it.
      yield* liveFor(40)
      const refused = sent.filter(({ status }) => status === "failed")
      assert.strictEqual(providers.deliveries.length, 28)
      assert.strictEqual(refused.length, 32)
      assert.isTrue(gapsOf(providers.deliveries.map(({ at }) => at)).every((gap) => gap >= 1000))
      for (const { verificationId } of refused) {
        assert.deepStrictEqual(yield* skipsOf(customerId, verificationId), [
          ["simulator", null, "account_unavailable", "gap"]
        ])
      }
      yield* (yield* AccountSkips).flush
      const { items } = yield* (yield* Accounts).list(customerId, { limit: 10, after: null })
      const [account] = items
      const states = yield* (yield* AccountStates).read(customerId, [account?.id ?? 0], 40_000)
      assert.deepStrictEqual(states.get(account?.id ?? 0)?.skips, { gap: refused.length })
    }).pipe(Effect.provide(paced(providers, { accountGapMillis: 1000, slotWaitMillis: 0 })))
  })
})

layer(TestDatabase, { excludeTestServices: true })("a code of which no step could be called", (it) => {
  it.effect("says why of each step", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale", "eitaa", "sms"])
      yield* codeTo(customerId, ["bale"])
      yield* codeTo(customerId, ["sms"])
      yield* coolDown(customerId, "eitaa", 300_000)
      const { status, verificationId } = yield* codeTo(customerId, ["bale", "eitaa", "sms"])
      assert.strictEqual(status, "failed")
      assert.deepStrictEqual(yield* skipsOf(customerId, verificationId), [
        ["bale", null, "account_unavailable", "rate"],
        ["eitaa", null, "account_unavailable", "cooldown"],
        ["simulator", null, "account_unavailable", "gap"]
      ])
    }).pipe(Effect.provide(paced(providers, { accountRateBale: 1, accountGapMillis: 40_000 })))
  })

  it.effect("remembers why a step was skipped before the last one was", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale", "sms"])
      yield* codeTo(customerId, ["sms"])
      yield* coolDown(customerId, "bale", 300_000)
      const { status, verificationId: id } = yield* codeTo(customerId, ["bale", "sms"])
      assert.strictEqual(status, "queued")
      const waiting = yield* (yield* Verifications).status({ customerId, id })
      assert.deepStrictEqual([waiting.status, waiting.attempts], ["pending", []])
      assert.strictEqual(waiting.currentChannelStatus, null)
      yield* coolDown(customerId, "sms", 300_000)
      yield* TestClock.adjust("21 seconds")
      yield* (yield* TimerRunner).runDue
      assert.deepStrictEqual(yield* skipsOf(customerId, id), [
        ["bale", null, "account_unavailable", "cooldown"],
        ["simulator", null, "account_unavailable", "cooldown"]
      ])
    }).pipe(Effect.provide(paced(providers, { accountGapMillis: 20_000 })))
  })

  it.effect("shows nothing of what was skipped once a step is called", () => {
    const providers = scriptProviders({ sms: [unreachable] })
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale", "sms"])
      yield* coolDown(customerId, "bale", 300_000)
      const { verificationId } = yield* codeTo(customerId, ["bale", "sms"])
      assert.deepStrictEqual(yield* skipsOf(customerId, verificationId), [
        ["simulator", 0, "recipient_unreachable", null]
      ])
    }).pipe(Effect.provide(paced(providers, { accountGapMillis: 0 })))
  })

  it.effect("shows nothing of what was skipped once it is canceled", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale", "sms"])
      yield* codeTo(customerId, ["sms"])
      yield* coolDown(customerId, "bale", 300_000)
      const { verificationId: id } = yield* codeTo(customerId, ["bale", "sms"])
      yield* (yield* Verifications).cancel({ customerId, id })
      assert.deepStrictEqual(yield* skipsOf(customerId, id), [])
    }).pipe(Effect.provide(paced(providers, { accountGapMillis: 20_000 })))
  })
})

layer(TestDatabase, { excludeTestServices: true })("an account at its rate", (it) => {
  it.effect("sends a code of a single step when its minute has room, if that is soon enough", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale"])
      yield* codeTo(customerId, ["bale"])
      yield* TestClock.adjust("40 seconds")
      const { status, verificationId: id } = yield* codeTo(customerId, ["bale"])
      assert.strictEqual(status, "queued")
      yield* liveFor(22)
      assert.strictEqual(providers.deliveries.length, 2)
      assert.isAtLeast(providers.deliveries[1]?.at ?? 0, 60_000)
      assert.strictEqual((yield* (yield* Verifications).status({ customerId, id })).status, "queued")
    }).pipe(Effect.provide(paced(providers, { accountRateBale: 1 })))
  })

  it.effect("is skipped if another step has a slot, be it later", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale", "sms"])
      yield* codeTo(customerId, ["bale"])
      yield* TestClock.adjust("50 seconds")
      yield* codeTo(customerId, ["sms"])
      yield* codeTo(customerId, ["bale", "sms"])
      yield* liveFor(22)
      assert.deepStrictEqual(providers.channels(), ["bale", "sms", "sms"])
    }).pipe(Effect.provide(paced(providers, { accountRateBale: 1, accountGapMillis: 20_000 })))
  })
})

layer(TestDatabase, { excludeTestServices: true })("an account that its provider refuses", (it) => {
  it.effect("shows the last error, and not one of a recipient", () => {
    const providers = scriptProviders({ bale: [unreachable, slowDown] })
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale"])
      const errorOf = Effect.map(
        Effect.flatMap(Accounts, ({ list }) => list(customerId, { limit: 10, after: null })),
        ({ items }) => items[0]?.lastError
      )
      yield* codeTo(customerId, ["bale"])
      assert.strictEqual(yield* errorOf, null)
      yield* TestClock.adjust("1 second")
      yield* codeTo(customerId, ["bale"])
      assert.deepStrictEqual(yield* errorOf, { code: "provider_rate_limited", message: "429", at: 1000 })
    }).pipe(Effect.provide(paced(providers, { accountGapMillis: 0 })))
  })
})

const COOLING = { _tag: "FreeAt", at: 3_600_000, blocked: [0], reasons: ["cooldown"] } as const

/** No account may send; `meanwhile` happens to every code before that is known. */
const coolingSlots = (meanwhile: Effect.Effect<unknown>) =>
  Layer.succeed(
    AccountSlots,
    AccountSlots.of({
      take: () => Effect.as(meanwhile, COOLING),
      start: (_account, { now }) => Effect.succeed({ hasStart: true, at: now }),
      isCooling: () => Effect.succeed(true),
      report: () => Effect.void
    })
  )

const skipsCounted = Effect.fnUntraced(function* (meanwhile: string) {
  const sql = yield* SqlClient.SqlClient
  const slots = coolingSlots(Effect.orDie(sql.unsafe(meanwhile)))
  return yield* Effect.gen(function* () {
    const customerId = yield* makeCustomer(["sms"])
    yield* codeTo(customerId, ["sms"])
    yield* (yield* AccountSkips).flush
    const { items } = yield* (yield* Accounts).list(customerId, { limit: 10, after: null })
    const id = items[0]?.id ?? 0
    return (yield* (yield* AccountStates).read(customerId, [id], 0)).get(id)?.skips
  }).pipe(Effect.provide(testProcess(Layer.merge(scriptProviders().layer, slots))))
})

layer(TestDatabase, { excludeTestServices: true })("a skipped step", (it) => {
  it.effect("is counted once it is recorded", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* skipsCounted("select 1"), { cooldown: 1 })
    })
  )

  it.effect("is counted once although the code has changed meanwhile", () =>
    Effect.gen(function* () {
      const meanwhile = "update verifications set revision = revision + 1"
      assert.deepStrictEqual(yield* skipsCounted(meanwhile), { cooldown: 1 })
    })
  )

  it.effect("is not counted of a code that was canceled before", () =>
    Effect.gen(function* () {
      const meanwhile = "update verifications set revision = revision + 1, status = 'canceled'"
      assert.deepStrictEqual(yield* skipsCounted(meanwhile), {})
    })
  )
})
