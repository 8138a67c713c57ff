import { assert, layer } from "@effect/vitest"
import { Array as Arr, Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { setUpFindings } from "../../../src/cli/server/DoctorAccounts.ts"
import { ManagementLive } from "../../../src/layers/graphs/Management.ts"
import { ReadSql } from "../../../src/layers/postgres/Replica.ts"
import { AccountSkips } from "../../../src/services/account/AccountSlots.ts"
import { Accounts } from "../../../src/services/account/Accounts.ts"
import { ChannelResults, SetUpConcerns } from "../../../src/services/customer/SetUpConcerns.ts"
import { RoutingOrders } from "../../../src/services/routing/RoutingOrders.ts"
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
        /sends at most 54 a minute; 12 were refused in the last hour: .*its next turn was too far away \(12\)/
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

/** Concerns of a store whose results are scripted, and how many reads there were, and were at a time. */
const countedResults = () => {
  const counts = { reads: 0, atOnce: 0, most: 0, fails: false }
  const results = Layer.succeed(ChannelResults, {
    read: () =>
      Effect.gen(function* () {
        counts.reads += 1
        counts.atOnce += 1
        counts.most = Math.max(counts.most, counts.atOnce)
        yield* Effect.yieldNow
        yield* Effect.promise(() => new Promise(setImmediate))
        counts.atOnce -= 1
        return counts.fails ? yield* Effect.die("no store") : []
      })
  })
  return { counts, layer: Layer.provide(Layer.fresh(SetUpConcerns.layer), results) }
}

layer(TestDatabase, { excludeTestServices: true })("the codes that concerns are found in", (it) => {
  it.effect("are read once for all who ask in five seconds, and again after a failure", () => {
    const { counts, layer: counted } = countedResults()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["sms"])
      yield* Effect.gen(function* () {
        yield* Effect.all(
          Arr.makeBy(5, () => concernsOf(customerId)),
          { concurrency: "unbounded" }
        )
        assert.strictEqual(counts.reads, 1)
        yield* TestClock.adjust("6 seconds")
        counts.fails = true
        yield* Effect.exit(concernsOf(customerId))
        counts.fails = false
        yield* concernsOf(customerId)
        assert.strictEqual(counts.reads, 3)
      }).pipe(Effect.provide(counted))
    }).pipe(Effect.provide(paced(scriptProviders())))
  })

  it.effect("are read of several customers at a time by doctor, but not of all", () => {
    const { counts, layer: counted } = countedResults()
    return Effect.gen(function* () {
      for (let made = 0; made < 12; made++) yield* makeCustomer([])
      yield* setUpFindings.pipe(Effect.provide(counted))
      assert.isAtLeast(counts.reads, 12)
      assert.isAtLeast(counts.most, 2)
      assert.isAtMost(counts.most, 4)
    }).pipe(Effect.provide(paced(scriptProviders())))
  })

  it.effect("are read over the connections of reads", () => {
    const statements: Array<string> = []
    const Reads = Layer.effect(
      ReadSql,
      Effect.map(
        SqlClient.SqlClient,
        (sql) =>
          new Proxy(sql, {
            apply: (client, self, args) => {
              if (Array.isArray(args[0])) statements.push(args[0].join("?"))
              return Reflect.apply(client, self, args)
            }
          })
      )
    )
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["sms"])
      yield* concernsOf(customerId).pipe(Effect.provide(Layer.provide(Layer.fresh(ManagementLive), Reads)))
      assert.isTrue(statements.some((text) => text.includes("jsonb_array_elements(c.attempts)")))
    }).pipe(Effect.provide(paced(scriptProviders())))
  })
})
