import { assert, layer } from "@effect/vitest"
import { Clock, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { SLOT_MILLIS, slotOf } from "../../../src/domain/Activity.ts"
import { insightKinds, sumSpans } from "../../../src/domain/Insights.ts"
import { DAY_MILLIS, HOUR_MILLIS } from "../../../src/domain/Instant.ts"
import { ERASED_PHONE } from "../../../src/domain/Phone.ts"
import type { TimeSpan } from "../../../src/domain/Paging.ts"
import type { Channel } from "../../../src/domain/routing/Channel.ts"
import { ActivitySums } from "../../../src/services/activity/ActivityReports.ts"
import { Insights } from "../../../src/services/activity/Insights.ts"
import { TemplateRecords } from "../../../src/services/message/Templates.ts"
import { RoutingOrders } from "../../../src/services/routing/RoutingOrders.ts"
import { VerificationRecords } from "../../../src/services/verification/VerificationRecords.ts"
import { Verifications } from "../../../src/services/verification/Verifications.ts"
import { countedCodes } from "../../support/CountedCodes.ts"
import { codeTo, later, MARCH, readProcess, settle, verifyCode } from "../../support/ManageReads.ts"
import { seedsToRun } from "../../support/PropertyRuns.ts"
import { accepted, misconfigured, scriptProviders, unreachable } from "../../support/ScriptedProviders.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer } from "../../support/TestGraph.ts"

/** The same numbers on every run. */
const random = (seed: number) => {
  let state = seed
  return (below: number) => {
    state = (state * 1_103_515_245 + 12_345) % 2_147_483_648
    return Math.floor((state / 2_147_483_648) * below)
  }
}
type Random = ReturnType<typeof random>

const phoneOf = (next: Random) => {
  const prefixes = ["912", "991", "935", "903", "921", "932", "998"]
  return `+98${prefixes[next(prefixes.length)] ?? ""}${String(1_000_000 + next(8_000_000))}`
}

const mixed = (next: Random) => {
  const outcomes = [accepted, accepted, unreachable, misconfigured]
  const script = () => Array.from({ length: 80 }, () => outcomes[next(outcomes.length)] ?? accepted)
  return scriptProviders({ bale: script(), eitaa: script(), sms: script() })
}

const sumUp = Effect.fnUntraced(function* (customerId: number, { from, to }: TimeSpan) {
  const sums = yield* ActivitySums
  yield* sums.sumUp(customerId, { from, to }, yield* Clock.currentTimeMillis)
})

const allCodes = Effect.fnUntraced(function* (customerId: number) {
  const records = yield* VerificationRecords
  return (yield* records.list(customerId, { limit: 1000, after: null })).items
})

const totalsOf = Effect.fnUntraced(function* (
  customerId: number,
  span: TimeSpan,
  mode: "live" | "test" = "live"
) {
  const insights = yield* Insights
  const rows = yield* insights.totals({ customerId, mode }, insightKinds, span)
  return rows.toSorted((one, other) => (`${one.kind} ${one.key}` < `${other.kind} ${other.key}` ? -1 : 1))
})

type Codes = Effect.Success<ReturnType<typeof allCodes>>

const countedByHour = (codes: Codes, span: TimeSpan, offset: number) =>
  Array.from({ length: 24 }, (_, hour) => {
    const inHour = codes.filter(({ createdAt }) => Math.floor(createdAt / HOUR_MILLIS + offset) % 24 === hour)
    const [all] = countedCodes(inHour, span).filter(({ kind }) => kind === "all")
    return all === undefined ? [] : [[String(hour).padStart(2, "0"), all.codes, all.cost]]
  }).flat()

/** Codes of three days, some with a template; sums of any part of it are made at any time. */
const threeDays = Effect.fnUntraced(function* (
  customerId: number,
  providers: ReturnType<typeof scriptProviders>,
  next: Random
) {
  const template = yield* (yield* TemplateRecords).create(customerId, { name: "code", body: "کد: {{code}}" })
  const routes: ReadonlyArray<ReadonlyArray<Channel>> = [["bale", "eitaa", "sms"], ["eitaa", "bale"], ["sms"]]
  for (let n = 0; n < 40; n++) {
    const channels = (routes[next(routes.length)] ?? []).map((channel) => ({ channel }))
    const { verificationId: id } = yield* (yield* Verifications).send({
      customerId,
      phone: phoneOf(next),
      channels,
      ...(next(3) === 0 && { templateId: template.id })
    })
    for (let step = next(4); step > 0; step--) yield* later(1000 * (20 + next(60)) + next(1000))
    if (next(4) === 0) {
      const from = slotOf(MARCH + next(4) * DAY_MILLIS + next(48) * SLOT_MILLIS)
      yield* sumUp(customerId, { from, to: from + (1 + next(60)) * SLOT_MILLIS })
    }
    if (next(2) === 0) yield* verifyCode(providers, customerId, id)
    yield* settle
    yield* later(next(3.5 * HOUR_MILLIS))
  }
  return template.id
})

layer(TestDatabase, { excludeTestServices: true })("insights", (it) => {
  for (const seed of seedsToRun([1, 2, 3])) {
    it.effect(`have the sums that counting one by one gives, in any span (seed ${seed})`, () => {
      const next = random(seed)
      const providers = mixed(next)
      return Effect.gen(function* () {
        const [customerId, other] = [yield* makeCustomer(), yield* makeCustomer()]
        yield* threeDays(customerId, providers, next)
        yield* codeTo(other, "+989121234567")
        yield* sumUp(customerId, { from: MARCH, to: MARCH + 6 * DAY_MILLIS })
        const codes = yield* allCodes(customerId)
        assert.isAbove(codes.filter(({ status }) => status === "verified").length, 8)
        for (let n = 0; n < 12; n++) {
          const from = MARCH + next(3 * 48) * SLOT_MILLIS
          const span = { from, to: from + (1 + next(4 * 48)) * SLOT_MILLIS }
          assert.deepStrictEqual(yield* totalsOf(customerId, span), countedCodes(codes, span))
        }
        const insights = yield* Insights
        const inZones = [
          ["Asia/Tehran", 3.5],
          ["Asia/Kolkata", 5.5],
          ["UTC", 0]
        ] as const
        for (let n = 0; n < 12; n++) {
          const span = {
            from: MARCH + (next(3 * 48) - next(2) * 20 * 48) * SLOT_MILLIS,
            to: MARCH + (4 * 48 + next(2) * 20 * 48 + next(48)) * SLOT_MILLIS
          }
          assert.deepStrictEqual(yield* totalsOf(customerId, span), countedCodes(codes, span))
          const [zone, offset] = inZones[next(inZones.length)] ?? inZones[0]
          const hours = yield* insights.hours({ customerId, mode: "live" }, span, zone)
          assert.deepStrictEqual(
            hours.map(({ key, codes: count, cost }) => [key, count, cost]),
            countedByHour(codes, span, offset)
          )
        }
        const days = [
          MARCH - 5 * HOUR_MILLIS,
          ...[0, 1, 2, 3].map((n) => MARCH + (20.5 + 24 * n) * HOUR_MILLIS)
        ]
        const [first = MARCH, ...others] = days
        const end = MARCH + 6 * DAY_MILLIS
        const byDay = yield* insights.buckets({ customerId, mode: "live" }, [first, ...others], end)
        const expected = days.map((from, n) => countedCodes(codes, { from, to: days[n + 1] ?? end }))
        assert.deepStrictEqual(
          byDay.map(({ bucket, codes: count }) => [bucket, count]),
          expected.flatMap((sums, n) =>
            sums.flatMap(({ kind, codes: count }) => (kind === "all" ? [[n, count]] : []))
          )
        )
        const whole = countedCodes(codes, { from: MARCH, to: MARCH + 6 * DAY_MILLIS })
        const kinds = new Set(whole.map(({ kind }) => kind))
        assert.deepStrictEqual(kinds, new Set(insightKinds))
        assert.isAbove(whole.find(({ kind }) => kind === "all")?.fallbacks ?? 0, 0)
      }).pipe(Effect.provide(readProcess(providers, { priceBale: 500, priceEitaa: 700 })))
    })
  }

  it.effect("count a code in the half hour in which it was sent, however late it is verified", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      yield* later(SLOT_MILLIS - 60_000)
      const { id } = yield* codeTo(customerId, "+989121234567", ["bale"])
      const first = { from: MARCH, to: MARCH + SLOT_MILLIS }
      const insights = yield* Insights
      assert.isTrue(yield* insights.bringUpToDate(customerId, [first], "short"))
      const sums = () => Effect.map(totalsOf(customerId, first), (rows) => rows[1])
      assert.deepInclude(yield* sums(), { kind: "all", codes: 1, verified: 0 })
      yield* later(4 * 60_000)
      yield* verifyCode(providers, customerId, id)
      yield* later(15_000)
      assert.isTrue(yield* insights.bringUpToDate(customerId, [first], "short"))
      assert.deepInclude(yield* sums(), { kind: "all", codes: 1, verified: 1 })
    }).pipe(Effect.provide(readProcess(providers)))
  })

  it.effect("stay as they are when a phone is erased, and name a group no more that has no code", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      const { id } = yield* codeTo(customerId, "+989351234567", ["sms"])
      yield* verifyCode(providers, customerId, id)
      yield* later(2 * HOUR_MILLIS)
      const span = { from: MARCH, to: MARCH + DAY_MILLIS }
      const insights = yield* Insights
      yield* insights.bringUpToDate(customerId, [span], "long")
      const sql = yield* SqlClient.SqlClient
      yield* sql`update verifications set phone = ${ERASED_PHONE} where customer_id = ${customerId}`
      yield* insights.bringUpToDate(customerId, [span], "long")
      const operators = () =>
        Effect.map(totalsOf(customerId, span), (rows) =>
          rows.flatMap(({ kind, key, verified }) => (kind === "operator" ? [[key, verified]] : []))
        )
      assert.deepStrictEqual(yield* operators(), [["irancell", 1]])
      yield* sumUp(customerId, { from: MARCH, to: MARCH + SLOT_MILLIS })
      assert.deepStrictEqual(yield* operators(), [["other", 1]])
      const kept = yield* sql<{ readonly span: string }>`
        select distinct span from code_sums where customer_id = ${customerId} and key = 'irancell'`
      assert.deepStrictEqual(kept, [])
    }).pipe(Effect.provide(readProcess(providers)))
  })

  it.effect("name the template of a step of the saved order", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      const { id } = yield* (yield* TemplateRecords).create(customerId, { name: "x", body: "{{code}}" })
      yield* (yield* RoutingOrders).save(customerId, [{ channel: "bale", template_id: id }], null)
      yield* (yield* Verifications).send({ customerId, phone: "09121234567" })
      const span = { from: MARCH, to: MARCH + SLOT_MILLIS }
      yield* sumUp(customerId, span)
      const rows = yield* totalsOf(customerId, span)
      assert.deepStrictEqual(
        rows.flatMap(({ kind, key }) => (kind === "template" ? [key] : [])),
        [String(id)]
      )
    }).pipe(Effect.provide(readProcess(providers)))
  })

  it.effect("have hours of any zone, through a change of its clocks, and buckets of any length", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["sms"])
      // 2026-03-29T01:00Z: clocks in Berlin go from 2 to 3
      const before = Date.UTC(2026, 2, 29, 0, 40)
      yield* later(before - MARCH)
      yield* codeTo(customerId, "+989121234567", ["sms"])
      yield* later(HOUR_MILLIS)
      yield* codeTo(customerId, "+989121234568", ["sms"])
      const span = { from: MARCH + 20 * DAY_MILLIS, to: MARCH + 30 * DAY_MILLIS }
      yield* sumUp(customerId, span)
      const insights = yield* Insights
      const filter = { customerId, mode: "live" } as const
      const hoursIn = (zone: string) =>
        Effect.map(insights.hours(filter, span, zone), (rows) => rows.map(({ key, codes }) => [key, codes]))
      assert.deepStrictEqual(yield* hoursIn("Europe/Berlin"), [
        ["01", 1],
        ["03", 1]
      ])
      assert.deepStrictEqual(yield* hoursIn("Asia/Tehran"), [
        ["04", 1],
        ["05", 1]
      ])
      const begins = [span.from, slotOf(before) + SLOT_MILLIS] as const
      const buckets = yield* insights.buckets(filter, begins, span.to)
      assert.deepStrictEqual(
        buckets.map(({ bucket, codes }) => [bucket, codes]),
        [
          [0, 1],
          [1, 1]
        ]
      )
    }).pipe(Effect.provide(readProcess(providers)))
  })

  it.effect("are made by two processes at once without a double or a loss", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer()
      for (let n = 0; n < 8; n++) {
        yield* codeTo(customerId, `+98912123456${n}`, ["bale"])
        yield* later(40 * 60_000)
      }
      const ranges = Array.from({ length: 12 }, (_, n) => ({
        from: MARCH + (n % 5) * SLOT_MILLIS,
        to: MARCH + (6 + (n % 4)) * SLOT_MILLIS
      }))
      yield* Effect.forEach(ranges, (range) => sumUp(customerId, range), { concurrency: "unbounded" })
      const span = { from: MARCH, to: MARCH + 9 * SLOT_MILLIS }
      const codes = yield* allCodes(customerId)
      assert.deepStrictEqual(yield* totalsOf(customerId, span), countedCodes(codes, span))
      const sql = yield* SqlClient.SqlClient
      const rows = yield* sql<{ readonly span: string; readonly codes: number }>`
        select span, sum(codes)::int as codes from code_sums
        where customer_id = ${customerId} and kind = 'all' group by span`
      const spans = Object.fromEntries(rows.map((row) => [row.span, row.codes]))
      const all = countedCodes(codes, span).find(({ kind }) => kind === "all")
      assert.deepStrictEqual(spans, Object.fromEntries(sumSpans.map((each) => [each, all?.codes])))
    }).pipe(Effect.provide(readProcess(providers)))
  })
})
