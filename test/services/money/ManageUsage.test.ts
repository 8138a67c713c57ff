import { assert, layer } from "@effect/vitest"
import { Clock, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { sumOf } from "../../../src/domain/Activity.ts"
import { noCodes, noSends, type UsageGroup, type UsageGrouping } from "../../../src/domain/money/Usage.ts"
import type { Channel } from "../../../src/domain/routing/Channel.ts"
import { ActivitySums } from "../../../src/services/activity/ActivityReports.ts"
import { MessageRecords } from "../../../src/services/message/MessageRecords.ts"
import { Messages } from "../../../src/services/message/Messages.ts"
import { MostRead, UsageReports } from "../../../src/services/UsageReports.ts"
import { Wallets } from "../../../src/services/Wallets.ts"
import { VerificationRecords } from "../../../src/services/verification/VerificationRecords.ts"
import { Verifications } from "../../../src/services/verification/Verifications.ts"
import { countedUsage } from "../../support/CountedUsage.ts"
import {
  codeTo,
  firstPage,
  later,
  MARCH,
  readProcess,
  settle,
  verifyCode
} from "../../support/ManageReads.ts"
import { messages } from "../../support/OldRows.ts"
import {
  accepted,
  misconfigured,
  scriptProviders,
  unknown,
  unreachable
} from "../../support/ScriptedProviders.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer } from "../../support/TestGraph.ts"

const DAY = 86_400_000
const byDay: UsageGrouping = { byDay: true, byChannel: false }
const byChannel: UsageGrouping = { byDay: false, byChannel: true }
const byBoth: UsageGrouping = { byDay: true, byChannel: true }
const phoneOf = (n: number) => `+98912${String(1_000_000 + n)}`

/** The same numbers on every run. */
const random = (seed: number) => {
  let state = seed
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}

const report = Effect.fnUntraced(function* (
  customerId: number,
  grouping: UsageGrouping,
  from = MARCH,
  to = MARCH + 30 * DAY
) {
  return yield* (yield* UsageReports).report(customerId, { from, to }, grouping)
})

/** Sums of half hours, as the console has them. */
const slotsOf = Effect.fnUntraced(function* (customerId: number) {
  const sums = yield* ActivitySums
  const span = { from: MARCH, to: MARCH + 12 * DAY }
  yield* sums.sumUp(customerId, span, yield* Clock.currentTimeMillis)
  return yield* sums.read(customerId, span)
})

/** The first slot of March, unless its figures are final. */
const unfinishedFirst = Effect.fnUntraced(function* (customerId: number) {
  const sums = yield* ActivitySums
  return yield* sums.unfinished(customerId, { from: MARCH, to: MARCH + 1 }, yield* Clock.currentTimeMillis)
})

/** The same, as for a customer with many sends: from what was summed up, and from the sends of the rest. */
const reportOfSums = (customerId: number, grouping: UsageGrouping, from: number) =>
  report(customerId, grouping, from).pipe(
    Effect.provide(Layer.provide(Layer.fresh(UsageReports.layer), Layer.succeed(MostRead, 0)))
  )

/** With whether there is a median: of few times that were summed up, it is not exact. */
const withoutMedians = (groups: ReadonlyArray<UsageGroup>) =>
  groups.map(({ codes: { medianSeconds, ...codes }, ...group }) => ({
    ...group,
    codes: { ...codes, hasMedian: medianSeconds !== null }
  }))

/** Codes and messages over five days, with every kind of end. */
const fiveDays = Effect.fnUntraced(function* (
  customerId: number,
  providers: ReturnType<typeof scriptProviders>
) {
  const next = random(7)
  const routes: ReadonlyArray<ReadonlyArray<Channel>> = [
    ["bale", "eitaa", "sms"],
    ["eitaa", "bale"],
    ["sms", "bale"],
    ["bale"]
  ]
  for (let n = 0; n < 40; n++) {
    const channels = routes[next(routes.length)] ?? []
    if (next(3) === 0) {
      yield* (yield* Messages).send({
        customerId,
        to: phoneOf(n),
        message: "x",
        channels: channels.map((channel) => ({ channel })),
        strategy: next(2) === 0 ? "broadcast" : "failover"
      })
    } else {
      const { id } = yield* codeTo(customerId, phoneOf(n), channels)
      for (let step = next(4); step > 0; step--) yield* later(1000 * (20 + next(60)) + next(1000))
      if (next(2) === 0) yield* verifyCode(providers, customerId, id)
    }
    yield* settle
    yield* later(next(6 * 3_600_000))
  }
})

const mixed = () => {
  const next = random(3)
  const outcomes = [accepted, accepted, accepted, unreachable, unknown, misconfigured]
  const script = () => Array.from({ length: 60 }, () => outcomes[next(outcomes.length)] ?? accepted)
  return scriptProviders({ bale: script(), eitaa: script(), sms: script() })
}

layer(TestDatabase, { excludeTestServices: true })("a usage report", (it) => {
  for (const [priceBale, priceEitaa] of [
    [500, 700],
    [600, 600]
  ] as const) {
    it.effect(
      `has the numbers that counting one by one gives, at prices of ${priceBale} and ${priceEitaa}`,
      () => {
        const providers = mixed()
        return Effect.gen(function* () {
          const [customerId, other] = [yield* makeCustomer(), yield* makeCustomer()]
          yield* fiveDays(customerId, providers)
          yield* codeTo(other, phoneOf(1))
          const sql = yield* SqlClient.SqlClient
          // Reports of providers, which the simulated ones do not make.
          for (const table of ["verifications", "messages"]) {
            yield* sql`
          update ${sql(table)} set attempts = jsonb_set(attempts, '{0,delivery}', jsonb_build_object('at', null,
            'status', case when extract(second from created_at)::int % 2 = 0 then 'delivered' else 'undelivered' end,
            'provider_error', null))
          where customer_id = ${customerId} and attempts -> 0 ->> 'status' = 'sent'`
          }
          const codes = (yield* (yield* VerificationRecords).list(customerId, firstPage)).items
          const messages = (yield* (yield* MessageRecords).list(customerId, firstPage)).items
          assert.isAbove(codes.filter(({ status }) => status === "verified").length, 5)
          assert.isAbove(messages.length, 5)
          for (const grouping of [byDay, byChannel, byBoth]) {
            const groups = yield* report(customerId, grouping)
            assert.deepStrictEqual(groups, countedUsage(codes, messages, grouping))
            const cost = groups.reduce((sum, group) => sum + group.codes.cost + group.messages.cost, 0)
            const { balance } = yield* (yield* Wallets).balance(customerId)
            assert.strictEqual(cost, 1_000_000 - balance)
          }
          const slots = yield* slotsOf(customerId)
          // The first half hour is then partly in the period.
          const from = Math.min(...codes.map(({ createdAt }) => createdAt)) + 1
          const isIn = ({ createdAt }: { readonly createdAt: number }) => createdAt >= from
          for (const grouping of [byDay, byChannel, byBoth]) {
            const counted = countedUsage(codes.filter(isIn), messages.filter(isIn), grouping)
            assert.deepStrictEqual(
              withoutMedians(yield* reportOfSums(customerId, grouping, from)),
              withoutMedians(counted)
            )
          }
          for (const { channel, ...usage } of countedUsage(codes, messages, byChannel)) {
            const all = sumOf(slots, (figures) => figures.channel === channel)
            for (const figure of ["sent", "failed", "delivered", "cost"] as const) {
              assert.strictEqual(all[figure], usage.codes[figure] + usage.messages[figure])
            }
          }
        }).pipe(Effect.provide(readProcess(providers, { priceBale, priceEitaa, accountGapMillis: 0 })))
      }
    )
  }

  it.effect("is summed up again for a day while reports of deliveries may arrive", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["sms"])
      const { id } = yield* codeTo(customerId, phoneOf(1), ["sms"])
      yield* settle
      yield* verifyCode(providers, customerId, id)
      const sql = yield* SqlClient.SqlClient
      yield* sql`update verifications set route = jsonb_set(route, '{0,reportsDelivery}', 'true') where id = ${id}::uuid`
      const isOpen = Effect.gen(function* () {
        yield* slotsOf(customerId)
        return (yield* unfinishedFirst(customerId)).length > 0
      })
      yield* TestClock.adjust("2 hours")
      assert.isTrue(yield* isOpen)
      yield* TestClock.adjust("1 day")
      assert.isFalse(yield* isOpen)
    }).pipe(Effect.provide(readProcess(providers)))
  })

  it.effect("keeps its sums, though a message is still scheduled, once retention deletes sends", () =>
    Effect.gen(function* () {
      const customerId = yield* makeCustomer(["sms"])
      yield* codeTo(customerId, phoneOf(1), ["sms"])
      yield* messages(MARCH, 1, customerId, "queued", null, 0)
      yield* TestClock.adjust("1 hour")
      yield* slotsOf(customerId)
      yield* TestClock.adjust("1 day")
      assert.strictEqual((yield* unfinishedFirst(customerId)).length, 1)
      yield* TestClock.adjust("1 day")
      assert.deepStrictEqual(yield* unfinishedFirst(customerId), [])
      const now = yield* Clock.currentTimeMillis
      const kept = yield* (yield* ActivitySums).usable(customerId, { from: MARCH, to: MARCH + 1 }, now)
      assert.strictEqual(sumOf(kept, ({ channel }) => channel === null).accepted, 2)
    }).pipe(Effect.provide(readProcess(scriptProviders(), { retentionRecordsDays: 2 })))
  )

  it.effect("counts a code for each channel it was tried over, and a right one for the last", () => {
    const providers = scriptProviders({ bale: unreachable })
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      const { id } = yield* codeTo(customerId, phoneOf(1))
      yield* settle
      yield* TestClock.adjust(12_500)
      yield* verifyCode(providers, customerId, id)
      const tried = { ...noCodes, accepted: 1 }
      assert.deepStrictEqual(yield* report(customerId, byChannel), [
        {
          day: null,
          channel: "bale",
          codes: { ...tried, failed: 1, errors: { recipient_unreachable: 1 } },
          messages: noSends
        },
        {
          day: null,
          channel: "eitaa",
          codes: { ...tried, sent: 1, cost: 1000, verified: 1, medianSeconds: 12.5 },
          messages: noSends
        }
      ])
    }).pipe(Effect.provide(readProcess(providers)))
  })

  it.effect(
    "shows the middle of an odd number of times, and the mean of the two middle ones of an even",
    () => {
      const providers = scriptProviders()
      return Effect.gen(function* () {
        const customerId = yield* makeCustomer(["sms"])
        const medians: Array<number | null> = []
        for (const [n, seconds] of [30, 10, 100, 12].entries()) {
          const { id } = yield* codeTo(customerId, phoneOf(n), ["sms"])
          yield* TestClock.adjust(seconds * 1000)
          yield* verifyCode(providers, customerId, id)
          const [group] = yield* report(customerId, byDay)
          medians.push(group?.codes.medianSeconds ?? null)
        }
        assert.deepStrictEqual(medians, [30, 20, 30, 21])
      }).pipe(Effect.provide(readProcess(providers)))
    }
  )

  it.effect("has its days end at midnight in UTC, and leaves out what is not of its period", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["sms"])
      for (const hour of [0, 23, 24, 48]) {
        yield* TestClock.setTime(MARCH + hour * 3_600_000)
        yield* codeTo(customerId, phoneOf(hour), ["sms"])
      }
      const counts = (yield* report(customerId, byDay, MARCH, MARCH + 2 * DAY)).map(({ day, codes }) => [
        day,
        codes.accepted
      ])
      assert.deepStrictEqual(counts, [
        ["2026-03-01", 2],
        ["2026-03-02", 1]
      ])
      assert.strictEqual(yield* Clock.currentTimeMillis, MARCH + 2 * DAY)
      assert.deepStrictEqual(yield* report(customerId, byBoth, MARCH + 3 * DAY), [])
    }).pipe(Effect.provide(readProcess(providers)))
  })
})

layer(TestDatabase, { excludeTestServices: true })(
  "the usage of codes whose first channel was skipped",
  (it) => {
    it.effect("has nothing of that channel, unless they failed without any call", () => {
      const providers = scriptProviders()
      return Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const customerId = yield* makeCustomer(["bale", "sms"])
        yield* codeTo(customerId, phoneOf(1), ["sms"])
        yield* sql`update account_pace set cooling_until = timestamptz '2026-03-02T00:00:00Z'
        where account_id in (select id from sending_accounts where customer_id = ${customerId} and channel = 'bale')`
        const { id } = yield* codeTo(customerId, phoneOf(2), ["bale", "sms"])
        const channels = Effect.map(report(customerId, byChannel), (groups) =>
          groups.map(({ channel, codes }) => [
            channel,
            codes.accepted,
            codes.sent,
            codes.failed,
            codes.errors
          ])
        )
        const ofSums = Effect.map(slotsOf(customerId), (slots) =>
          slots.flatMap(({ figures }) => figures.flatMap(({ channel }) => channel ?? []))
        )
        assert.deepStrictEqual(yield* channels, [["sms", 1, 1, 0, {}]])
        assert.deepStrictEqual(yield* ofSums, ["sms"])
        yield* (yield* Verifications).cancel({ customerId, id })
        assert.deepStrictEqual(yield* channels, [["sms", 1, 1, 0, {}]])
        yield* codeTo(customerId, phoneOf(3), ["bale"])
        assert.deepStrictEqual(yield* channels, [
          ["bale", 1, 0, 1, { account_unavailable: 1 }],
          ["sms", 1, 1, 0, {}]
        ])
      }).pipe(Effect.provide(readProcess(providers, { accountGapMillis: 20_000 })))
    })
  }
)
