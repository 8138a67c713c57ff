import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { StepRequest } from "../../../src/domain/routing/RouteRequest.ts"
import type { Locale } from "../../../src/domain/verification/CodeText.ts"
import { spokenCodeText } from "../../../src/domain/verification/CodeText.ts"
import { DAY_MILLIS, HOUR_MILLIS } from "../../../src/domain/Instant.ts"
import { Billing } from "../../../src/services/customer/Limits.ts"
import { Customers } from "../../../src/services/customer/Customers.ts"
import { previewRoute } from "../../../src/domain/routing/RouteResolution.ts"
import { outlooksOf } from "../../../src/services/routing/RouteOutlooks.ts"
import { withoutSms } from "../../../src/services/guard/CodeDecisions.ts"
import { Guard } from "../../../src/services/guard/Guard.ts"
import { GuardRecords } from "../../../src/services/guard/GuardRecords.ts"
import { RoutingOrders } from "../../../src/services/routing/RoutingOrders.ts"
import { Verifications } from "../../../src/services/verification/Verifications.ts"
import { Wallets } from "../../../src/services/Wallets.ts"
import { scriptProviders } from "../../support/ScriptedProviders.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { connectShared, makeCustomer, runDue, testProcess } from "../../support/TestGraph.ts"

const PHONE = "09121234567"

/** Times of one day in Tehran. */
const tehran = (time: string): number => Date.parse(`2026-11-26T${time}+03:30`)
const NOON = tehran("12:00:00")
const MIDNIGHT = tehran("23:59:00")
const TOO_MANY_IN_HOUR = "too_many_requests_phone_hour"
const unbounded = { concurrency: "unbounded" } as const

interface Given {
  readonly phone?: string
  readonly channels?: ReadonlyArray<StepRequest>
  readonly locale?: Locale
}

const send = Effect.fnUntraced(function* (customerId: number, given: Given = {}) {
  const verifications = yield* Verifications
  const { verificationId: id, status } = yield* verifications.send({ customerId, phone: PHONE, ...given })
  return {
    id,
    sentAs: status,
    status: verifications.status({ customerId, id }),
    next: verifications.next({ customerId, id })
  }
})

const byCall: Given = { channels: [{ channel: "voice" }] }

/** Goes on by so many seconds, and does what is due then. */
const after = (seconds: number) => Effect.andThen(TestClock.adjust(seconds * 1000), runDue)

layer(TestDatabase, { excludeTestServices: true })("a code by a call", (it) => {
  it.effect("comes last of Bale, SMS and a call: each after a minute, and the call speaks it", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const { status } = yield* send(yield* makeCustomer(["bale", "sms", "voice"]))
      for (const seconds of [59, 1, 59, 1, 59]) yield* after(seconds)
      const tried = providers.deliveries.map(({ channel, at }) => [channel, (at - NOON) / 1000])
      assert.deepStrictEqual(tried, [
        ["bale", 0],
        ["sms", 60],
        ["voice", 120]
      ])
      const { code, text } = providers.deliveries[2] ?? { code: null, text: "" }
      assert.strictEqual(text, spokenCodeText(code ?? "", "fa"))
      const { attempts, currentChannel, remainingSeconds } = yield* status
      assert.deepStrictEqual(
        attempts.map(({ channel: { type }, status: outcome }) => [type, outcome]),
        [
          ["messenger", "sent"],
          ["sms", "sent"],
          ["voice", "sent"]
        ]
      )
      assert.deepStrictEqual([currentChannel.type, remainingSeconds], ["voice", null])
      yield* after(300)
      assert.strictEqual((yield* status).status, "expired")
    }).pipe(Effect.provide(testProcess(providers.layer, {}, NOON)))
  })

  it.effect("is spoken in the language of the code, whatever text messengers get", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customer = yield* makeCustomer(["bale", "voice"])
      yield* send(customer, { ...byCall, locale: "en" })
      const [{ code, text } = { code: "", text: "" }] = providers.deliveries
      assert.strictEqual(text, spokenCodeText(code ?? "", "en"))
    }).pipe(Effect.provide(testProcess(providers.layer, {}, NOON)))
  })
})

layer(TestDatabase, { excludeTestServices: true })("the hours of calls", (it) => {
  it.effect("a route skips its call outside them, and the code waits for its end", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const { status } = yield* send(yield* makeCustomer(["bale", "sms", "voice"]))
      yield* after(60)
      yield* after(60)
      assert.deepStrictEqual(providers.channels(), ["bale", "sms"])
      assert.strictEqual((yield* status).status, "queued")
      yield* after(300)
      assert.strictEqual((yield* status).status, "expired")
    }).pipe(Effect.provide(testProcess(providers.layer, {}, tehran("21:58:00"))))
  })

  it.effect("a call before another channel makes room for that at once", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customer = yield* makeCustomer(["voice", "sms"])
      const { sentAs } = yield* send(customer)
      assert.deepStrictEqual([sentAs, providers.channels()], ["queued", ["sms"]])
    }).pipe(Effect.provide(testProcess(providers.layer, {}, MIDNIGHT)))
  })

  it.effect("a call after another channel keeps its turn for the morning", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customer = yield* makeCustomer(["sms", "voice"])
      yield* send(customer)
      yield* after(60)
      assert.deepStrictEqual(providers.channels(), ["sms", "voice"])
    }).pipe(Effect.provide(testProcess(providers.layer, {}, tehran("07:59:30"))))
  })

  it.effect("the reason is shown where nothing was called", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const { status } = yield* send(yield* makeCustomer(["voice"]))
      const { attempts } = yield* status
      assert.deepStrictEqual(providers.channels(), [])
      assert.deepStrictEqual(
        attempts.map(({ skipReason, errorCode, dispatchedAt }) => [skipReason, errorCode, dispatchedAt]),
        [["hours", "account_unavailable", null]]
      )
    }).pipe(Effect.provide(testProcess(providers.layer, {}, MIDNIGHT)))
  })

  it.effect("a preview says from when a route may call; a call that is asked for may be at night", () =>
    Effect.gen(function* () {
      const customer = yield* (yield* Customers).configuration(yield* makeCustomer(["sms", "voice"]))
      const now = yield* Clock.currentTimeMillis
      const steps = yield* outlooksOf(
        customer,
        previewRoute(
          [{ channel: "sms" }, { channel: "voice" }, { channel: "voice", on_request: true }],
          customer
        ),
        now
      )
      assert.deepStrictEqual(
        steps.map(({ blockage }) => blockage),
        [null, { _tag: "OutOfHours", until: tehran("08:00:00") + DAY_MILLIS }, null]
      )
    }).pipe(
      Effect.provide(Layer.provideMerge(Billing.layer, testProcess(scriptProviders().layer, {}, MIDNIGHT)))
    )
  )

  it.effect.each([
    ["00:00-24:00", { from: 0, until: 24 * 60 }, true],
    ["22:00-08:00", { from: 22 * 60, until: 8 * 60 }, true],
    ["08:00-23:59", { from: 8 * 60, until: 23 * 60 + 59 }, false]
  ] as const)("can be %s", ([, callHours, calls]) => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      yield* send(yield* makeCustomer(["voice"]))
      assert.strictEqual(providers.deliveries.length, calls ? 1 : 0)
    }).pipe(Effect.provide(testProcess(providers.layer, { callHours }, MIDNIGHT)))
  })

  it.effect("`next` may call at night: once, until the morning, whichever customer asks", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const both = [yield* makeCustomer(["bale", "voice"]), yield* makeCustomer(["bale", "voice"])]
      const [first, second] = yield* Effect.forEach(both, (customer) => send(customer))
      if (first === undefined || second === undefined) return assert.fail("nothing was sent")
      const view = yield* first.next
      assert.deepStrictEqual([view.currentChannel.type, view.currentChannelStatus], ["voice", "sent"])
      const refused = yield* Effect.flip(second.next)
      assert.deepInclude(refused, { _tag: TOO_MANY_IN_HOUR, retryAfterSeconds: 8 * 3600 + 60 })
      assert.deepStrictEqual(providers.channels(), ["bale", "bale", "voice"])
      // Another phone has a night of its own.
      yield* (yield* send(both[1] ?? 0, { phone: "09121234568" })).next
      assert.strictEqual(providers.deliveries.at(-1)?.channel, "voice")
    }).pipe(Effect.provide(testProcess(providers.layer, {}, MIDNIGHT)))
  })

  it.effect("the next night has a call of its own", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customer = yield* makeCustomer(["bale", "voice"])
      yield* (yield* send(customer)).next
      yield* TestClock.adjust(DAY_MILLIS)
      yield* (yield* send(customer)).next
      assert.deepStrictEqual(providers.channels(), ["bale", "voice", "bale", "voice"])
    }).pipe(Effect.provide(testProcess(providers.layer, {}, MIDNIGHT)))
  })

  it.effect("a call that was asked for at night is made also where its account lets it wait", () => {
    const providers = scriptProviders()
    const gap = { accountGapMillis: 10_000 }
    return Effect.gen(function* () {
      const customer = yield* makeCustomer(["bale", "voice"])
      const other = yield* send(customer, { phone: "09121234568" })
      yield* TestClock.adjust("20 seconds")
      const { next } = yield* send(customer)
      yield* other.next
      yield* next
      assert.deepStrictEqual(providers.channels(), ["bale", "bale", "voice"])
      yield* after(10.1)
      assert.deepStrictEqual(providers.channels(), ["bale", "bale", "voice", "voice"])
    }).pipe(Effect.provide(testProcess(providers.layer, gap, MIDNIGHT)))
  })
})

layer(TestDatabase, { excludeTestServices: true })("the limit of calls", (it) => {
  it.effect("a phone is called twice an hour, whichever customers send to it", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customers = yield* Effect.replicateEffect(makeCustomer(["voice"]), 3)
      const [, , third] = yield* Effect.forEach(customers, (customer) => send(customer))
      assert.deepStrictEqual([providers.deliveries.length, third?.sentAs], [2, "failed"])
      const skipped = third === undefined ? [] : (yield* third.status).attempts
      assert.deepStrictEqual(
        skipped.map(({ skipReason }) => skipReason),
        ["rate"]
      )
      yield* TestClock.adjust(HOUR_MILLIS - 1)
      yield* send(customers[2] ?? 0)
      assert.strictEqual(providers.deliveries.length, 2)
      yield* TestClock.adjust(1)
      yield* send(customers[2] ?? 0)
      assert.strictEqual(providers.deliveries.length, 3)
    }).pipe(Effect.provide(testProcess(providers.layer, {}, NOON)))
  })

  it.effect("goes on with the next channel, and `next` says when it may call again", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customer = yield* makeCustomer(["bale", "voice", "sms"])
      yield* send(customer, byCall)
      yield* TestClock.adjust("60 seconds")
      yield* send(customer, byCall)
      const { next } = yield* send(customer)
      const refused = yield* Effect.flip(next)
      assert.deepInclude(refused, { _tag: TOO_MANY_IN_HOUR, retryAfterSeconds: 3540 })
      yield* after(60)
      assert.deepStrictEqual(providers.channels(), ["voice", "voice", "bale", "sms"])
    }).pipe(Effect.provide(testProcess(providers.layer, {}, NOON)))
  })

  it.effect("of many calls at once, exactly as many as allowed are made", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customers = yield* Effect.replicateEffect(makeCustomer(["voice"]), 10)
      yield* Effect.forEach(customers, (customer) => send(customer), unbounded)
      assert.strictEqual(providers.deliveries.length, 2)
    }).pipe(Effect.provide(testProcess(providers.layer, {}, NOON)))
  })

  it.effect("can be another, or none", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customers = yield* Effect.replicateEffect(makeCustomer(["voice"]), 5)
      yield* Effect.forEach(customers, (customer) => send(customer))
      assert.strictEqual(providers.deliveries.length, 5)
    }).pipe(Effect.provide(testProcess(providers.layer, { callPhoneHourLimit: 0 }, NOON)))
  })

  it.effect("changes no count of the phone's codes", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* send(yield* makeCustomer(["voice"]))
      const counters = yield* sql`select day_used as "dayUsed", calls from platform_phone_counters`
      assert.deepStrictEqual(counters, [{ dayUsed: 1, calls: 1 }])
    }).pipe(Effect.provide(testProcess(providers.layer, { platformPhoneDayLimit: 50 }, NOON)))
  })
})

/** The refusal of a request for the next channel, and how many calls are counted of the phone. */
const refusedWith = Effect.fnUntraced(function* <E extends { readonly _tag: string }>(
  next: Effect.Effect<unknown, E>
) {
  const sql = yield* SqlClient.SqlClient
  const refusal = yield* Effect.flip(next)
  const [counted] = yield* sql<{ readonly calls: number }>`select calls from platform_phone_counters`
  return [refusal._tag, counted?.calls ?? 0] as const
})

layer(TestDatabase, { excludeTestServices: true })("a call that is asked for", (it) => {
  it.effect("is not counted where the balance does not cover it", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      yield* connectShared("voice")
      const { save } = yield* RoutingOrders
      const { next } = yield* Verifications
      const step = { channel: "voice", sender: "shared", on_request: true } as const
      for (const at of [NOON, MIDNIGHT]) {
        yield* TestClock.setTime(at)
        const customerId = yield* makeCustomer(["bale"])
        yield* Effect.orDie(save(customerId, [{ channel: "bale" }, step], null))
        const { id } = yield* send(customerId)
        const balance = (rials: number) =>
          sql`update wallets set balance = ${rials}::int, held = 0 where customer_id = ${customerId}`
        yield* balance(0)
        const asked = next({ customerId, id, channel: "voice" })
        assert.deepStrictEqual(yield* refusedWith(asked), ["insufficient_balance", 0])
        yield* balance(1000)
        yield* asked
        assert.strictEqual(providers.deliveries.at(-1)?.channel, "voice")
        yield* sql`update platform_phone_counters set calls = 0`
      }
    }).pipe(Effect.provide(testProcess(providers.layer, { priceBale: 0, priceVoice: 1000 }, NOON)))
  })

  it.effect("can be one that its route skipped for the hours, and is paid for once", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      yield* connectShared("voice")
      const { balance, topUp } = yield* Wallets
      const customerId = yield* makeCustomer(["bale", "sms"])
      yield* topUp(customerId, 5000)
      const { save } = yield* RoutingOrders
      const order = [{ channel: "bale" }, { channel: "sms" }, { channel: "voice", sender: "shared" }] as const
      yield* Effect.orDie(save(customerId, order, null))
      const before = yield* balance(customerId)
      const { id, status } = yield* send(customerId)
      yield* after(60)
      yield* after(60)
      assert.deepStrictEqual(providers.channels(), ["bale", "sms"])
      yield* (yield* Verifications).next({ customerId, id, channel: "voice" })
      assert.deepStrictEqual(providers.channels(), ["bale", "sms", "voice"])
      assert.deepStrictEqual(
        (yield* status).attempts.map(({ sequence, status: outcome }) => [sequence, outcome]),
        [
          [1, "sent"],
          [2, "sent"],
          [3, "sent"]
        ]
      )
      yield* after(300)
      const paid = yield* balance(customerId)
      assert.deepStrictEqual([before.balance - paid.balance, paid.held], [1000, 0])
    }).pipe(
      Effect.provide(testProcess(providers.layer, { priceBale: 0, priceVoice: 1000 }, tehran("21:58:00")))
    )
  })

  it.effect("asks the deny list again", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customer = yield* makeCustomer(["bale", "voice"])
      const { next } = yield* send(customer)
      yield* Effect.orDie((yield* GuardRecords).add(customer, "deny", { type: "phone", value: PHONE }))
      assert.deepStrictEqual(yield* refusedWith(next), ["blocked_phone", 0])
      assert.deepStrictEqual(providers.channels(), ["bale"])
    }).pipe(Effect.provide(testProcess(providers.layer, {}, NOON, Guard.layer)))
  })

  it.effect("is refused for a phone that many customers bomb, and made for one that they did not yet", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customers = yield* Effect.replicateEffect(makeCustomer(["bale", "voice"]), 5)
      for (const customer of customers) {
        yield* Effect.orDie((yield* GuardRecords).save(customer, { mode: "enforcing" }, null))
      }
      const sent = yield* Effect.forEach(customers.slice(0, 4), (customer) => send(customer))
      const [first, second] = sent
      if (first === undefined || second === undefined) return assert.fail("nothing was sent")
      yield* first.next
      yield* Effect.flip(send(customers[4] ?? 0))
      assert.deepStrictEqual(yield* refusedWith(second.next), [TOO_MANY_IN_HOUR, 1])
      assert.strictEqual(providers.channels().filter((channel) => channel === "voice").length, 1)
    }).pipe(Effect.provide(testProcess(providers.layer, { platformPhoneDayLimit: 50 }, NOON, Guard.layer)))
  })

  it.effect("is refused where the guard takes SMS from the route", () => {
    const providers = scriptProviders()
    const admitted = { flag: null, callersLimit: 0, taken: null, risk: null }
    const takesSms = Layer.mock(Guard)({
      admit: ({ route }) =>
        Effect.succeed({ ...admitted, route: suspects ? (withoutSms(route) ?? route) : route }),
      giveBack: () => {},
      isOn: () => true
    })
    let suspects = false
    return Effect.gen(function* () {
      const { next } = yield* send(yield* makeCustomer(["bale", "voice"]))
      suspects = true
      assert.deepStrictEqual(yield* refusedWith(next), ["invalid_channel", 0])
      suspects = false
      yield* next
      assert.deepStrictEqual(providers.channels(), ["bale", "voice"])
    }).pipe(Effect.provide(testProcess(providers.layer, {}, NOON, takesSms)))
  })
})
