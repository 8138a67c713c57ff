// @effect-diagnostics globalDate:off
import { assert, layer } from "@effect/vitest"
import * as NodeCrypto from "@effect/platform-node/NodeCrypto"
import { Clock, Effect, Layer, Result, Schema } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { statementMonth } from "../../../src/domain/money/Statement.ts"
import { formatInstant, type Instant } from "../../../src/domain/Instant.ts"
import { idAt } from "../../../src/domain/Paging.ts"
import { ReadSql } from "../../../src/layers/postgres/Replica.ts"
import { WalletsSql } from "../../../src/layers/money/WalletsSql.ts"
import { Messages } from "../../../src/services/message/Messages.ts"
import { type LedgerEntry, type Statement, Wallets } from "../../../src/services/Wallets.ts"
import { allPages, codeTo, MARCH, readProcess, settle } from "../../support/ManageReads.ts"
import { propertyRuns } from "../../support/PropertyRuns.ts"
import { scriptProviders, unreachable } from "../../support/ScriptedProviders.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"
import { makeCustomer } from "../../support/TestGraph.ts"

const PHONE = "+989121234567"

/** The sums that the ledger itself has. */
const summed = (
  entries: ReadonlyArray<LedgerEntry>,
  { from, to }: { readonly from: Instant; readonly to: Instant }
): Statement => {
  const sumOf = (some: ReadonlyArray<LedgerEntry>) => some.reduce((sum, { amount }) => sum + amount, 0)
  const within = entries.filter(({ occurredAt }) => occurredAt >= from && occurredAt < to)
  const spent = Map.groupBy(
    within.filter(({ kind }) => kind === "capture"),
    ({ channel }) => channel ?? ""
  )
  return {
    opening: sumOf(entries.filter(({ occurredAt }) => occurredAt < from)),
    topUps: sumOf(within.filter(({ kind }) => kind === "top_up")),
    captures: Object.fromEntries([...spent].map(([channel, some]) => [channel, -sumOf(some)])),
    closing: sumOf(entries.filter(({ occurredAt }) => occurredAt < to))
  }
}

const HOUR = 3_600_000

/** Codes, messages and top-ups of 70 days, the last of which is now: they were made now, and dated back. */
const seventyDays = Effect.fnUntraced(function* (customerId: number) {
  const sql = yield* SqlClient.SqlClient
  const { topUp } = yield* Wallets
  for (let n = 0; n < 10; n++) {
    yield* codeTo(customerId, `+98912${1_000_000 + n}`, n % 3 === 0 ? ["bale", "eitaa"] : ["eitaa"])
    yield* (yield* Messages).send({
      customerId,
      to: PHONE,
      message: "x",
      channels: [{ channel: n % 2 === 0 ? "eitaa" : "rubika" }, { channel: "soroushplus" }],
      strategy: n % 4 === 0 ? "broadcast" : "failover"
    })
    if (n % 5 === 0) yield* topUp(customerId, 1000 + n)
  }
  yield* settle
  const entries = yield* sql<{ readonly id: string }>`
    select id from ledger where customer_id = ${customerId} order by id`
  const step = Math.floor((70 * 24 * HOUR) / entries.length)
  for (const [n, { id }] of entries.entries()) {
    const at = MARCH - (entries.length - 1 - n) * step
    yield* sql`update ledger set id = ${idAt(at)}::uuid, occurred_at = ${new Date(at)}
      where customer_id = ${customerId} and id = ${id}::uuid`
  }
})

const zones = ["UTC", "Asia/Tehran", "Asia/Kathmandu"]
const months = [
  ...["2025-11", "2025-12", "2026-01", "2026-02", "2026-03", "2026-04"].flatMap((name) =>
    zones.map((zone) => ({ name, calendar: "gregorian" as const, zone }))
  ),
  ...["1404-09", "1404-10", "1404-11", "1404-12"].map((name) => ({
    name,
    calendar: "jalali" as const,
    zone: "Asia/Tehran"
  }))
].map(({ name, ...days }) => Result.getOrThrow(statementMonth(name, days)))

const someMonths = months.filter(({ id }) => ["2026-01", "2026-02", "1404-11"].includes(id))
/** Where an entry on the wrong side would show. */
const bounds = [...new Set(someMonths.flatMap(({ from, to }) => [from, to]))]

/** When somebody looks: within two days of a bound, as the day before is summed up then. */
const Look = Schema.Struct({
  bound: Schema.Literals(bounds),
  minutes: Schema.Int.check(Schema.isBetween({ minimum: -300, maximum: 2880 }))
})

/** A movement next to a bound: on it, a millisecond to either side, or up to some hours from it. */
const Movement = Schema.Struct({
  bound: Schema.Literals(bounds),
  offset: Schema.Union([
    Schema.Literals([-1, 0, 1]),
    Schema.Int.check(Schema.isBetween({ minimum: -5 * HOUR, maximum: 5 * HOUR }))
  ]),
  /** Its id has the time at which it was written. */
  lag: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 50_000 })),
  channel: Schema.NullOr(Schema.Literals(["bale", "eitaa", "voice"])),
  amount: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 9_999_999_999 }))
})

const entryOf = ({ bound, offset, lag, channel, amount }: typeof Movement.Type, n: number) => {
  const at = bound + offset
  return {
    at,
    id: idAt(at + lag).slice(0, -3) + String(n).padStart(3, "0"),
    kind: channel === null ? "top_up" : "capture",
    channel,
    amount: channel === null ? amount : -amount
  }
}

/** Ledgers alone, without the process that writes them: months pass in no time. */
const Ledgers = Layer.provide(WalletsSql, [
  Layer.effect(ReadSql, SqlClient.SqlClient),
  NodeCrypto.layer
]).pipe(Layer.merge(TestClock.layer()))

let customers = 1_000

const rowOf = (customer_id: number, { at, ...entry }: ReturnType<typeof entryOf>) => ({
  customer_id,
  occurred_at: new Date(at),
  ...entry
})

layer(TestDatabase, { excludeTestServices: true })("the statement of a month", (it) => {
  it.effect(
    "equals the ledger, by channel, in every zone and calendar, before and after days are summed up",
    () => {
      const providers = scriptProviders({ bale: unreachable })
      return Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const customerId = yield* makeCustomer(["bale", "eitaa", "rubika", "soroushplus"])
        yield* seventyDays(customerId)
        const { ledger, statement, balance } = yield* Wallets
        const entries = yield* allPages(7, (page) => ledger(customerId, page))
        assert.isAbove(entries.length, 17)
        assert.deepStrictEqual(
          [...new Set(entries.map(({ channel }) => channel))].toSorted(),
          ["eitaa", "rubika", "soroushplus", null].toSorted()
        )
        for (const round of ["summed up", "not summed up"]) {
          if (round === "not summed up") yield* sql`delete from ledger_days where customer_id = ${customerId}`
          for (const month of months)
            assert.deepStrictEqual(
              yield* statement(customerId, month),
              summed(entries, month),
              `${month.id} ${formatInstant(month.from)} ${round}`
            )
        }
        const last = months.at(-1)
        assert.strictEqual(
          (yield* statement(customerId, { from: last?.from ?? 0, to: Date.UTC(2030, 0, 1) })).closing,
          (yield* balance(customerId)).balance
        )
      }).pipe(Effect.provide(readProcess(providers)))
    }
  )

  it.effect.prop(
    "equals any ledger, also if it grows after days were summed up",
    [
      Schema.Array(Movement).check(Schema.isMinLength(12), Schema.isMaxLength(40)),
      Schema.Array(Look).check(Schema.isMinLength(3), Schema.isMaxLength(6))
    ],
    ([movements, looks]) =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const customerId = (customers += 1)
        const { ledger, statement } = yield* Wallets
        let pending = movements.map(entryOf).toSorted((one, other) => one.at - other.at)
        const times = looks.map(({ bound, minutes }) => bound + (minutes * HOUR) / 60)
        for (const now of [...times.toSorted((one, other) => one - other), Date.UTC(2026, 5, 1)]) {
          yield* TestClock.adjust(now - (yield* Clock.currentTimeMillis))
          const written = pending.filter(({ at }) => at < now)
          for (const entry of written) yield* sql`insert into ledger ${sql.insert(rowOf(customerId, entry))}`
          pending = pending.slice(written.length)
          const entries = yield* allPages(100, (page) => ledger(customerId, page))
          for (const month of someMonths) {
            const read = yield* statement(customerId, month)
            assert.deepStrictEqual(read, summed(entries, month), `${month.id} ${formatInstant(month.from)}`)
            const spent = Object.values(read.captures).reduce((sum, amount) => sum + amount, 0)
            assert.strictEqual(read.opening + read.topUps - spent, read.closing)
          }
        }
        assert.strictEqual(pending.length, 0)
      }).pipe(Effect.provide(Ledgers)),
    { arbitrary: { runs: propertyRuns(24) } }
  )

  it.effect("has the first movements of a customer in it, also if their ids are in another order", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const customerId = (customers += 1)
      const midnight = Date.UTC(2026, 0, 5)
      const movement = { bound: midnight, channel: null, amount: 1 } as const
      const entries = [
        { ...movement, offset: -1, lag: 30_000 },
        { ...movement, offset: 0, lag: 0 }
      ].map(entryOf)
      for (const entry of entries) yield* sql`insert into ledger ${sql.insert(rowOf(customerId, entry))}`
      yield* TestClock.setTime(MARCH)
      const read = yield* (yield* Wallets).statement(customerId, {
        from: midnight - HOUR,
        to: midnight + HOUR
      })
      assert.deepStrictEqual(read, { opening: 0, topUps: 2, captures: {}, closing: 2 })
    }).pipe(Effect.provide(Ledgers))
  )

  it.effect("leaves the entries of a day that is over to its sum", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const customerId = yield* makeCustomer(["bale", "eitaa", "rubika", "soroushplus"])
      yield* seventyDays(customerId)
      const { statement, ledger } = yield* Wallets
      yield* statement(customerId, { from: 0, to: 1 })
      // were the entries read, the sums would change
      yield* sql`update ledger set amount = 0
        where customer_id = ${customerId} and occurred_at < ${new Date(Date.UTC(2026, 1, 1))}`
      const month = { from: Date.UTC(2026, 1, 1), to: Date.UTC(2026, 2, 1) }
      assert.isAbove((yield* statement(customerId, month)).opening, 900_000)
      const page = yield* ledger(customerId, { limit: 2, after: null })
      assert.isAbove(page.items[0]?.balanceAfter ?? 0, 900_000)
    }).pipe(Effect.provide(readProcess(providers)))
  })

  it.effect("is of a month that there is", () =>
    Effect.sync(() => {
      const days = { calendar: "gregorian", zone: "UTC" } as const
      const span = (name: string, given: Parameters<typeof statementMonth>[1]) =>
        Result.match(statementMonth(name, given), {
          onSuccess: ({ from, to }) => [formatInstant(from).slice(0, 16), formatInstant(to).slice(0, 16)],
          onFailure: () => null
        })
      assert.deepStrictEqual(span("2026-11", days), ["2026-11-01T00:00", "2026-12-01T00:00"])
      assert.deepStrictEqual(span("2026-12", { ...days, zone: "Asia/Tehran" }), [
        "2026-11-30T20:30",
        "2026-12-31T20:30"
      ])
      assert.deepStrictEqual(span("1405-09", { calendar: "jalali", zone: "Asia/Tehran" }), [
        "2026-11-21T20:30",
        "2026-12-21T20:30"
      ])
      // a leap year: Esfand has 30 days
      assert.deepStrictEqual(span("1403-12", { calendar: "jalali", zone: "UTC" }), [
        "2025-02-19T00:00",
        "2025-03-21T00:00"
      ])
      for (const name of ["2026-13", "2026-00", "2026-1", "1405-09", "3000-01", "x", "2026-11-01", ""])
        assert.isNull(span(name, days), name)
      assert.isNull(span("2026-11", { calendar: "jalali", zone: "UTC" }))
    })
  )
})

layer(TestDatabase, { excludeTestServices: true })("a ledger", (it) => {
  it.effect("has the balance after each entry, whatever the size of its parts", () => {
    const providers = scriptProviders()
    return Effect.gen(function* () {
      const customerId = yield* makeCustomer(["bale", "eitaa", "rubika", "soroushplus"])
      yield* seventyDays(customerId)
      const { balance, ledger } = yield* Wallets
      const all = yield* allPages(100, (page) => ledger(customerId, page))
      let sum = (yield* balance(customerId)).balance
      for (const { balanceAfter, amount } of all) {
        assert.strictEqual(balanceAfter, sum)
        sum -= amount
      }
      assert.strictEqual(sum, 0)
      for (const limit of [1, 3, 10])
        assert.deepStrictEqual(yield* allPages(limit, (page) => ledger(customerId, page)), all)
      const kinds = yield* ledger(customerId, { limit: 5, after: null, kind: "capture" })
      assert.deepStrictEqual([...new Set(kinds.items.map(({ balanceAfter }) => balanceAfter))], [null])
      const to = all[9]?.occurredAt ?? 0
      const earlier = yield* ledger(customerId, { limit: 5, after: null, to })
      assert.deepStrictEqual(
        earlier.items[0]?.balanceAfter,
        all.find(({ occurredAt }) => occurredAt < to)?.balanceAfter
      )
    }).pipe(Effect.provide(readProcess(providers)))
  })
})
