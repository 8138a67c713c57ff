import { assert, layer } from "@effect/vitest"
import { Array as Arr, Clock, Effect } from "effect"
import { TestClock } from "effect/testing"
import { setUpFindings } from "../../../src/cli/server/DoctorAccounts.ts"
import { AccountSkips } from "../../../src/services/account/AccountSkips.ts"
import { Accounts } from "../../../src/services/resources/accounts/Accounts.ts"
import { RoutingOrders } from "../../../src/services/resources/RoutingOrders.ts"
import { SetUpConcerns } from "../../../src/services/resources/SetUpConcerns.ts"
import { TimerRunner } from "../../../src/services/timer/TimerRunner.ts"
import { Verifications } from "../../../src/services/verification/Verifications.ts"
import { codeTo, paced } from "../../support/PacedAccounts.ts"
import { accepted, misconfigured, scriptProviders } from "../../support/ScriptedProviders.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer } from "../../support/TestGraph.ts"

const concernsOf = Effect.fnUntraced(function* (customerId: number) {
  yield* (yield* AccountSkips).flush
  return yield* (yield* SetUpConcerns).read(customerId, yield* Clock.currentTimeMillis)
})

/** What doctor says of one customer. */
const doctorOn = Effect.fnUntraced(function* (customerId: number) {
  const findings = yield* setUpFindings
  return findings.filter(({ check }) => check === `customer ${customerId}`).map(({ finding }) => finding)
})

layer(TestDatabase, { excludeTestServices: true })("what is wrong with a customer's set-up", (it) => {
  it.effect("is nothing as long as codes arrive", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["sms"])
      yield* codeTo(customerId, ["sms"])
      assert.deepStrictEqual(yield* concernsOf(customerId), [])
    }).pipe(Effect.provide(paced(providers)))
  })

  it.effect("names an account that its provider refused, until it accepts something", () => {
    const providers = scriptProviders({ sms: [misconfigured, accepted] })
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["sms"])
      yield* codeTo(customerId, ["sms"])
      const [concern, ...others] = yield* concernsOf(customerId)
      assert.deepStrictEqual(others, [])
      assert.deepInclude(concern, {
        _tag: "AccountRefused",
        error: { code: "provider_misconfigured", message: "11 Token", at: 0 }
      })
      assert.match((yield* doctorOn(customerId)).join(), /account \d+ \(sms.*was refused.*11 Token/)
      yield* codeTo(customerId, ["sms"])
      assert.deepStrictEqual(yield* concernsOf(customerId), [])
    }).pipe(Effect.provide(paced(providers, { accountGapMillis: 0 })))
  })

  it.effect("names an account that codes skipped, with the most that it sends, for an hour", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["sms"])
      yield* Effect.all(Arr.makeBy(40, () => codeTo(customerId, ["sms"])))
      const [concern] = yield* concernsOf(customerId)
      assert.deepInclude(concern, { _tag: "AccountSkipped", steps: 12, skips: { gap: 12 }, most: 54 })
      assert.match(
        (yield* doctorOn(customerId)).join(),
        /sends at most 54 a minute; 12 were refused in the last hour/
      )
      yield* TestClock.adjust("62 minutes")
      assert.deepStrictEqual(yield* concernsOf(customerId), [])
    }).pipe(Effect.provide(paced(providers, { accountGapMillis: 1000, slotWaitMillis: 0 })))
  })

  it.effect("names a step of the saved order that no account can send", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale"])
      const { id } = yield* (yield* Accounts).connect(customerId, {
        channel: "sms",
        provider: "smsir",
        label: "no template",
        settings: { api_key: "key", line_number: 3000 },
        isDefault: true
      })
      const save = (yield* RoutingOrders).save
      yield* save(customerId, [{ channel: "bale" }, { channel: "sms" }, { channel: "rubika" }], null)
      const concerns = (yield* concernsOf(customerId)).filter(({ _tag }) => _tag === "StepCannotSend")
      assert.deepStrictEqual(
        concerns.map((each) => ("code" in each ? [each.channel, each.accountId, each.code] : [])),
        [
          ["sms", id, "sms_message_config_missing"],
          ["rubika", null, "channel_unavailable"]
        ]
      )
    }).pipe(Effect.provide(paced(providers)))
  })

  it.effect("names a channel of whose codes none arrived", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["sms"])
      const sent = yield* Effect.all(Arr.makeBy(11, () => codeTo(customerId, ["sms"])))
      yield* TestClock.adjust("20 minutes")
      yield* (yield* TimerRunner).runDue
      assert.deepStrictEqual(
        (yield* concernsOf(customerId)).map(({ _tag }) => _tag),
        ["ChannelDeliversNothing"]
      )
      assert.match((yield* doctorOn(customerId)).join(), /sms delivers nothing: 11 codes .* 11 accepted/)
      assert.isDefined(
        yield* (yield* Verifications).status({ customerId, id: sent[0]?.verificationId ?? "" })
      )
    }).pipe(Effect.provide(paced(providers, { accountGapMillis: 0 })))
  })
})
