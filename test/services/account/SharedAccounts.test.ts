import { assert, layer } from "@effect/vitest"
import { Array as Arr, Effect } from "effect"
import { TestClock } from "effect/testing"
import { Accounts } from "../../../src/services/account/Accounts.ts"
import { Verifications } from "../../../src/services/verification/Verifications.ts"
import { liveFor, paced } from "../../support/PacedAccounts.ts"
import { scriptProviders } from "../../support/ScriptedProviders.ts"
import { PHONE } from "../../support/SentMessages.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer } from "../../support/TestGraph.ts"

const unbounded = { concurrency: "unbounded" } as const

layer(TestDatabase, { excludeTestServices: true })("a shared account", (it) => {
  const shared = Effect.gen(function* () {
    const { connect } = yield* Accounts
    const account = { channel: "bale", provider: "simulator", label: "Platform", settings: {} } as const
    yield* connect(null, { ...account, isDefault: false })
  })
  const codeOverShared = (customerId: number) =>
    Effect.flatMap(Verifications, ({ send }) =>
      send({
        customerId,
        phone: PHONE,
        channels: [{ channel: "bale", sender: "shared" }, { channel: "sms" }]
      })
    )
  const sentOverBale = (providers: ReturnType<typeof scriptProviders>, from = 0) =>
    providers
      .channels()
      .slice(from)
      .filter((channel) => channel === "bale").length

  it.effect(
    "leaves room for others, however much one customer sends, and the rest goes to other channels",
    () => {
      const providers = scriptProviders()
      return Effect.gen(function* () {
        yield* shared
        const [greedy, modest, third] = [
          yield* makeCustomer(["sms"]),
          yield* makeCustomer(["sms"]),
          yield* makeCustomer(["sms"])
        ]
        yield* Effect.forEach(Arr.range(1, 40), () => codeOverShared(greedy), { discard: true })
        assert.strictEqual(sentOverBale(providers), 6)
        assert.strictEqual(providers.deliveries.length, 40)
        const before = providers.deliveries.length
        yield* Effect.forEach(Arr.range(1, 10), () => codeOverShared(modest), { discard: true })
        assert.strictEqual(sentOverBale(providers, before), 4)
        const later = providers.deliveries.length
        yield* codeOverShared(third)
        assert.strictEqual(sentOverBale(providers, later), 1)
      }).pipe(Effect.provide(paced(providers, { accountRateBale: 12 })))
    }
  )

  it.effect("has a place for who comes after a burst, in the background if need be", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      yield* shared
      const [greedy, modest] = [yield* makeCustomer(["sms"]), yield* makeCustomer(["sms"])]
      const { send } = yield* Verifications
      const over = (customerId: number) =>
        send({ customerId, phone: PHONE, channels: [{ channel: "bale", sender: "shared" as const }] })
      yield* Effect.all(
        Arr.makeBy(8, () => over(greedy)),
        unbounded
      )
      const { status, verificationId: id } = yield* over(modest)
      assert.strictEqual(status, "queued")
      yield* liveFor(12)
      assert.strictEqual((yield* (yield* Verifications).status({ customerId: modest, id })).status, "queued")
    }).pipe(Effect.provide(paced(providers, { accountGapMillis: 1000, slotWaitMillis: 0 })))
  })

  it.effect("gives a customer its part again a minute later", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      yield* shared
      const customerId = yield* makeCustomer(["sms"])
      yield* Effect.forEach(Arr.range(1, 10), () => codeOverShared(customerId), { discard: true })
      yield* TestClock.adjust("61 seconds")
      const before = providers.deliveries.length
      yield* codeOverShared(customerId)
      assert.strictEqual(sentOverBale(providers, before), 1)
    }).pipe(Effect.provide(paced(providers, { accountRateBale: 4 })))
  })
})
