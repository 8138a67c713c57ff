import { assert, layer } from "@effect/vitest"
import { Array as Arr, Clock, DateTime, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { CustomerRecords } from "../../../src/services/customer/CustomerRecords.ts"
import { Messages } from "../../../src/services/message/Messages.ts"
import type { SettingsShape } from "../../../src/services/Settings.ts"
import { Verifications } from "../../../src/services/verification/Verifications.ts"
import { Workers } from "../../../src/services/concurrency/Workers.ts"
import { scriptProviders } from "../../support/ScriptedProviders.ts"
import { PHONE } from "../../support/SentMessages.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer, testProcess } from "../../support/TestGraph.ts"

const unbounded = { concurrency: "unbounded" } as const
const HOUR = 3_600_000
const DAY = 24 * HOUR

const codeTo = (customerId: number, phone = PHONE) =>
  Effect.flatMap(Verifications, ({ send }) => send({ customerId, phone }))

const messageTo = (customerId: number, phone = PHONE) =>
  Effect.flatMap(Messages, ({ send }) =>
    send({ customerId, to: phone, message: "x", channels: [{ channel: "bale" }] })
  )

/** The outcomes of many at once: how many were accepted, and why the others were not. */
const tally = <E extends { readonly _tag: string }, R>(sends: ReadonlyArray<Effect.Effect<unknown, E, R>>) =>
  Effect.map(Effect.forEach(sends, Effect.result, unbounded), (results) => ({
    accepted: Arr.getSuccesses(results).length,
    refusals: [...new Set(Arr.getFailures(results).map(({ _tag }) => _tag))]
  }))

const refusalOf = <A, E extends { readonly _tag: string }, R>(send: Effect.Effect<A, E, R>) =>
  Effect.map(Effect.flip(send), (error) => ({
    tag: error._tag,
    wait: "retryAfterSeconds" in error ? error.retryAfterSeconds : undefined
  }))

const rowsIn = (table: string) =>
  Effect.flatMap(SqlClient.SqlClient, (sql) => sql`select * from ${sql(table)}`)

const run = <A, E>(
  settings: Partial<SettingsShape>,
  test: Effect.Effect<
    A,
    E,
    | Effect.Services<ReturnType<typeof codeTo>>
    | Effect.Services<ReturnType<typeof makeCustomer>>
    | Workers
    | Messages
    | SqlClient.SqlClient
  >,
  startsAt = 0
) => test.pipe(Effect.provide(testProcess(scriptProviders().layer, settings, startsAt)))

layer(TestDatabase, { excludeTestServices: true })("the limits of a phone", (it) => {
  it.effect("admit exactly as many codes as they say, of ten times as many at once", () =>
    run(
      { phoneHourLimit: 5 },
      Effect.gen(function* () {
        const customerId = yield* makeCustomer()
        const { accepted, refusals } = yield* tally(Arr.makeBy(50, () => codeTo(customerId)))
        assert.deepStrictEqual([accepted, refusals], [5, ["too_many_requests_phone_hour"]])
        assert.strictEqual((yield* rowsIn("verifications")).length, 5)
      })
    )
  )

  it.effect("admit exactly as many messages as they say, of ten times as many at once", () =>
    run(
      { messagePhoneDayLimit: 3 },
      Effect.gen(function* () {
        const customerId = yield* makeCustomer()
        const { accepted, refusals } = yield* tally(Arr.makeBy(30, () => messageTo(customerId)))
        assert.deepStrictEqual([accepted, refusals], [3, ["too_many_requests_phone_day"]])
        assert.strictEqual((yield* rowsIn("messages")).length, 3)
        yield* (yield* Workers).idle
      })
    )
  )

  it.effect("of the platform hold over all customers, and for codes alone", () =>
    run(
      { platformPhoneDayLimit: 4 },
      Effect.gen(function* () {
        const customers = yield* Effect.all(Arr.makeBy(8, () => makeCustomer(["bale"])))
        const { accepted, refusals } = yield* tally(
          customers.flatMap((customerId) => Arr.makeBy(5, () => codeTo(customerId)))
        )
        assert.deepStrictEqual([accepted, refusals], [4, ["too_many_requests_phone_day"]])
        yield* messageTo(customers[0] ?? 0)
        yield* (yield* Workers).idle
      })
    )
  )

  it.effect("last an hour from the first request that they count, to the millisecond", () =>
    run(
      { phoneHourLimit: 2 },
      Effect.gen(function* () {
        const customerId = yield* makeCustomer()
        yield* codeTo(customerId)
        yield* TestClock.adjust(HOUR / 2)
        yield* codeTo(customerId)
        assert.deepStrictEqual(yield* refusalOf(codeTo(customerId)), {
          tag: "too_many_requests_phone_hour",
          wait: 1800
        })
        yield* TestClock.adjust(HOUR / 2 - 1)
        assert.strictEqual((yield* refusalOf(codeTo(customerId))).wait, 1)
        yield* TestClock.adjust(1)
        yield* codeTo(customerId)
        yield* codeTo(customerId)
        assert.strictEqual((yield* refusalOf(codeTo(customerId))).wait, 3600)
      })
    )
  )

  it.effect("count the day next to the hour", () =>
    run(
      { phoneHourLimit: 2, phoneDayLimit: 3 },
      Effect.gen(function* () {
        const customerId = yield* makeCustomer()
        yield* codeTo(customerId)
        yield* codeTo(customerId)
        yield* TestClock.adjust(HOUR)
        yield* codeTo(customerId)
        assert.deepStrictEqual(yield* refusalOf(codeTo(customerId)), {
          tag: "too_many_requests_phone_day",
          wait: (DAY - HOUR) / 1000
        })
        yield* TestClock.adjust(DAY - HOUR)
        yield* codeTo(customerId)
      })
    )
  )

  it.effect("are each phone's and each customer's own", () =>
    run(
      { phoneHourLimit: 1 },
      Effect.gen(function* () {
        const [one, other] = [yield* makeCustomer(), yield* makeCustomer()]
        yield* codeTo(one)
        yield* codeTo(other)
        yield* codeTo(one, "09121234568")
        assert.strictEqual((yield* refusalOf(codeTo(one))).tag, "too_many_requests_phone_hour")
      })
    )
  )

  it.effect("can be a customer's own, and 0 is none", () =>
    run(
      { phoneHourLimit: 1 },
      Effect.gen(function* () {
        const { changeLimits } = yield* CustomerRecords
        const [more, all] = [yield* makeCustomer(), yield* makeCustomer()]
        yield* changeLimits(more, { phone_hour: 2 })
        yield* changeLimits(all, { phone_hour: 0 })
        const { accepted } = yield* tally(Arr.makeBy(10, () => codeTo(more)))
        assert.strictEqual(accepted, 2)
        assert.strictEqual((yield* tally(Arr.makeBy(10, () => codeTo(all)))).accepted, 10)
      })
    )
  )

  it.effect("count nothing of what another limit refuses", () =>
    run(
      { phoneHourLimit: 5, platformPhoneDayLimit: 1 },
      Effect.gen(function* () {
        const customerId = yield* makeCustomer()
        yield* codeTo(customerId)
        const before = yield* rowsIn("phone_counters")
        yield* tally(Arr.makeBy(10, () => codeTo(customerId)))
        assert.deepStrictEqual([...(yield* rowsIn("phone_counters"))], [...before])
      })
    )
  )

  it.effect("refuse nobody else of those accepted at the same time, before and after many of them", () =>
    run(
      { phoneHourLimit: 1 },
      Effect.gen(function* () {
        const customerId = yield* makeCustomer()
        yield* codeTo(customerId)
        const phoneOf = (index: number) => `0912${String(1_000_000 + index)}`
        const othersFrom = (start: number) =>
          Arr.makeBy(20, (index) => codeTo(customerId, phoneOf(start + index)))
        const withOne = (start: number) => tally([codeTo(customerId), ...othersFrom(start)])
        const expected = { accepted: 20, refusals: ["too_many_requests_phone_hour"] }
        assert.deepStrictEqual(yield* withOne(0), expected)
        // One after the other: more batches than are looked through after a refusal.
        yield* Effect.forEach(Arr.range(100, 180), (index) => codeTo(customerId, phoneOf(index)))
        assert.deepStrictEqual(yield* withOne(200), expected)
        assert.strictEqual((yield* rowsIn("verifications")).length, 1 + 20 + 81 + 20)
        assert.strictEqual((yield* rowsIn("phone_counters")).length, 1 + 20 + 81 + 20)
      })
    )
  )

  it.effect("count nothing for a replay, which comes before their refusal", () =>
    run(
      { phoneHourLimit: 1 },
      Effect.gen(function* () {
        const customerId = yield* makeCustomer()
        const { send } = yield* Verifications
        const request = { customerId, phone: PHONE, idempotency: { key: "k", body: {} } }
        const first = yield* send(request)
        assert.strictEqual((yield* send(request)).verificationId, first.verificationId)
        assert.strictEqual((yield* refusalOf(codeTo(customerId))).tag, "too_many_requests_phone_hour")
        assert.strictEqual((yield* rowsIn("idempotency_keys")).length, 1)
      })
    )
  )
})

layer(TestDatabase, { excludeTestServices: true })("the monthly quota of the free plan", (it) => {
  const lateInMonth = DateTime.toEpochMillis(DateTime.makeUnsafe("2026-11-30T23:59:00Z"))

  it.effect("admits exactly as many requests, codes and messages together, of ten times as many", () =>
    run(
      { freeMonthlyQuota: 6 },
      Effect.gen(function* () {
        const customerId = yield* makeCustomer(["bale"], "free")
        const phones = Arr.makeBy(30, (n) => `0912123${1000 + n}`)
        const [codes, messages] = yield* Effect.all(
          [
            tally(phones.map((phone) => codeTo(customerId, phone))),
            tally(phones.map((phone) => messageTo(customerId, phone)))
          ],
          unbounded
        )
        assert.strictEqual(codes.accepted + messages.accepted, 6)
        assert.deepStrictEqual([...new Set([...codes.refusals, ...messages.refusals])], ["quota_exceeded"])
        yield* (yield* Workers).idle
      })
    )
  )

  it.effect("ends with the month in UTC, and says until when", () =>
    run(
      { freeMonthlyQuota: 1 },
      Effect.gen(function* () {
        const customerId = yield* makeCustomer(["bale"], "free")
        yield* codeTo(customerId)
        assert.deepStrictEqual(yield* refusalOf(codeTo(customerId)), { tag: "quota_exceeded", wait: 60 })
        yield* TestClock.adjust(59_999)
        assert.strictEqual((yield* refusalOf(codeTo(customerId))).wait, 1)
        yield* TestClock.adjust(1)
        assert.strictEqual(
          DateTime.formatIso(DateTime.makeUnsafe(yield* Clock.currentTimeMillis)),
          "2026-12-01T00:00:00.000Z"
        )
        yield* codeTo(customerId)
      }),
      lateInMonth
    )
  )

  it.effect("concerns no other plan", () =>
    run(
      { freeMonthlyQuota: 1 },
      Effect.gen(function* () {
        const customerId = yield* makeCustomer(["bale"], "start")
        assert.strictEqual((yield* tally(Arr.makeBy(5, () => codeTo(customerId)))).accepted, 5)
      })
    )
  )
})
