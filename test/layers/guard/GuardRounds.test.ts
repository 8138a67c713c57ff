import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import type { Alarm } from "../../../src/domain/guard/Alarm.ts"
import { newCustomerState } from "../../../src/domain/guard/CustomerState.ts"
import { newSegment, type Segment, segmentName } from "../../../src/domain/guard/Segments.ts"
import { GuardStore, type RoundResult } from "../../../src/services/guard/GuardStore.ts"
import { GuardRecords } from "../../../src/services/guard/GuardRecords.ts"
import { customerIn, guarded, knownTo } from "../../services/guard/GuardedCustomer.ts"
import { CustomerRows } from "../../../src/services/customer/CustomerRows.ts"
import { TestDatabase, TestDatabaseOfCells } from "../../support/TestDatabase.ts"

const bombed: Alarm = {
  kind: "phone",
  key: "+98912•••0001",
  reason: "bombed",
  level: 1,
  action: "refuse",
  startedAt: 1000,
  until: 2000,
  codes: 0,
  verified: 0
}

/** Of the statements that write a row of this table, the first loses a race. */
const loseFirstRace = Effect.fnUntraced(function* (table: string) {
  const sql = yield* SqlClient.SqlClient
  yield* Effect.orDie(sql.unsafe(`create sequence ${table}_writes`))
  yield* Effect.orDie(
    sql.unsafe(`
      create function lose_first_race_of_${table}() returns trigger language plpgsql as $$ begin
        if nextval('${table}_writes') = 1 then raise exception 'lost a race' using errcode = '40001'; end if;
        return new;
      end $$`)
  )
  yield* Effect.orDie(
    sql.unsafe(`
      create trigger races before insert on ${table} for each row execute function lose_first_race_of_${table}()`)
  )
})

/** A timer of a round, which this process has leased. */
const leasedTimer = Effect.fnUntraced(function* (customerId: number) {
  const sql = yield* SqlClient.SqlClient
  const timer = {
    kind: "guard",
    customerId,
    subject: "00000000-0000-0000-0000-000000000000",
    lane: 0,
    leaseToken: "00000000-0000-4000-8000-000000000001",
    leasedUntil: 1000
  } as const
  yield* Effect.orDie(sql`
    insert into timers (customer_id, kind, subject, lane, claimable_at, lease_token)
    values (${customerId}, ${timer.kind}, ${timer.subject}::uuid, 0, to_timestamp(1), ${timer.leaseToken}::uuid)`)
  return timer
})

const roundOf = (raised: ReadonlyArray<Alarm>, now = 1000): RoundResult => ({
  customer: newCustomerState(0),
  judgedFrom: null,
  judgedUntil: "00000000-0000-7000-8000-000000000000",
  segments: new Map(),
  credits: new Map(),
  budgets: new Map(),
  raised,
  cleared: [],
  days: { codes: 1, verified: 0, flagged: 0, flaggedVerified: 0, flaggedSms: 0, flaggedCharges: 0 },
  enforced: false,
  nextAt: now + 4000,
  now
})

const saveRound = Effect.fnUntraced(function* (customerId: number, raised: ReadonlyArray<Alarm>, now = 1000) {
  const timer = yield* leasedTimer(customerId)
  return yield* (yield* GuardStore).save(timer, roundOf(raised, now))
})

const judgedDays = (customerId: number) =>
  Effect.flatMap(GuardRecords, ({ days }) =>
    Effect.map(days(customerId), (found) => found.map(({ codes }) => codes))
  )

layer(TestDatabase, { excludeTestServices: true })("a round of the guard", (it) => {
  it.effect("is written again if its statement lost a race", () =>
    Effect.gen(function* () {
      const customerId = yield* customerIn("record")
      yield* loseFirstRace("guard_rounds")
      assert.deepStrictEqual(yield* saveRound(customerId, []), [])
      assert.deepStrictEqual(yield* judgedDays(customerId), [1])
    }).pipe(Effect.provide(guarded()))
  )

  it.effect(
    "is written and read together with those of other customers, but for one whose lease was lost",
    () =>
      Effect.gen(function* () {
        const sql = yield* SqlClient.SqlClient
        const store = yield* GuardStore
        const customers = [
          yield* customerIn("record"),
          yield* customerIn("enforcing"),
          yield* customerIn("off")
        ]
        const timers = yield* Effect.forEach(customers, leasedTimer)
        const part = (nth: number): Segment => ({ kind: "prefix", key: `+9891200${nth}` })
        const roundOfNth = (nth: number): RoundResult => ({
          ...roundOf([]),
          judgedUntil: `00000000-0000-7000-8000-00000000000${nth}`,
          customer: { ...newCustomerState(0), judgingDelayMillis: 60_000 + nth },
          segments: new Map([
            [segmentName(part(nth)), { segment: part(nth), state: { ...newSegment(0), score: nth } }]
          ]),
          budgets: new Map([[segmentName(part(nth)), { budget: 10 + nth, restarts: false }]]),
          days: { ...roundOf([]).days, codes: 1 + nth }
        })
        const saves = timers.map((timer, nth) =>
          store.save(
            nth === 1 ? { ...timer, leaseToken: "00000000-0000-4000-8000-000000000002" } : timer,
            roundOfNth(nth)
          )
        )
        assert.deepStrictEqual(yield* Effect.all(saves, { concurrency: "unbounded" }), [[], null, []])

        const together = <A, R>(read: (customerId: number, nth: number) => Effect.Effect<A, never, R>) =>
          Effect.all(customers.map(read), { concurrency: "unbounded" })
        const sources = yield* together(store.source)
        assert.deepStrictEqual(
          sources.map(({ mode, judgedUntil, state }) => [
            mode,
            judgedUntil?.at(-1),
            state?.judgingDelayMillis
          ]),
          [
            ["record", "0", 60_000],
            ["enforcing", undefined, undefined],
            ["off", "2", 60_002]
          ]
        )
        const segments = yield* together((customerId, nth) =>
          store.segments(customerId, [part(nth), part(9)])
        )
        assert.deepStrictEqual(
          segments.map((found) => [...found].map(([name, { score }]) => [name, score])),
          [[[segmentName(part(0)), 0]], [], [[segmentName(part(2)), 2]]]
        )
        const budgets = yield* together((customerId) =>
          Effect.orDie(sql`select segment, budget from guard_budgets where customer_id = ${customerId}`)
        )
        assert.deepStrictEqual(
          budgets.map((rows) => rows.map(({ segment, budget }) => [segment, budget])),
          [[[segmentName(part(0)), 10]], [], [[segmentName(part(2)), 12]]]
        )
        assert.deepStrictEqual(yield* together(judgedDays), [[1], [], [3]])
      }).pipe(Effect.provide(guarded()))
  )

  it.effect("sets budgets, and gives codes back to those that exist", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { save } = yield* GuardStore
      const customerId = yield* customerIn("record")
      const timer = yield* leasedTimer(customerId)
      yield* Effect.orDie(sql`
        insert into guard_budgets (customer_id, segment, used, granted, budget, ends_at)
        select ${customerId}, s, 5, 5, 10, to_timestamp(3600)
        from unnest(array['customer:', 'customer:common', 'prefix:+98912000', 'prefix:+98912001']) s`)
      yield* save(timer, {
        ...roundOf([]),
        budgets: new Map([
          ["customer:", { budget: 40, restarts: false }],
          ["customer:common", { budget: 3, restarts: true }],
          ["customer:known", { budget: 50, restarts: false }]
        ]),
        credits: new Map([
          ["customer:", 1.5],
          ["customer:common", 1],
          ["prefix:+98912000", 2],
          ["prefix:+98912002", 2]
        ])
      })
      const budgets = yield* Effect.orDie(
        sql`select segment, used, budget from guard_budgets where customer_id = ${customerId} order by segment`
      )
      assert.deepStrictEqual(
        budgets.map(({ segment, used, budget }) => [segment, used, budget]),
        [
          ["customer:", 3.5, 40],
          ["customer:common", 0, 3],
          ["customer:known", 0, 50],
          ["prefix:+98912000", 3, 10],
          ["prefix:+98912001", 5, 10]
        ]
      )
    }).pipe(Effect.provide(guarded()))
  )

  it.effect("counts its codes for the day that it is in Tehran", () =>
    Effect.gen(function* () {
      const customerId = yield* customerIn("record")
      const midnight = Date.UTC(2026, 10, 27, 20, 30)
      yield* TestClock.setTime(midnight)
      yield* saveRound(customerId, [], midnight)
      const days = yield* (yield* GuardRecords).days(customerId)
      assert.deepStrictEqual(
        days.map(({ day, codes }) => [day, codes]),
        [["2026-11-28", 1]]
      )
    }).pipe(Effect.provide(guarded()))
  )

  it.effect("is written again, and raises its alarm once, if the alarm lost a race", () =>
    Effect.gen(function* () {
      const customerId = yield* customerIn("record")
      yield* loseFirstRace("guard_alarms")
      assert.deepStrictEqual(yield* saveRound(customerId, [bombed]), [bombed])
      const { items } = yield* (yield* GuardRecords).alarms(customerId, { limit: 10, after: null })
      assert.deepStrictEqual(
        items.map(({ reason }) => reason),
        ["bombed"]
      )
    }).pipe(Effect.provide(guarded()))
  )

  it.effect("reports no alarm as raised that is open already", () =>
    Effect.gen(function* () {
      const customerId = yield* customerIn("record")
      yield* (yield* GuardStore).raise(customerId, bombed, false)
      assert.deepStrictEqual(yield* saveRound(customerId, [bombed]), [])
    }).pipe(Effect.provide(guarded()))
  )
})

layer(TestDatabaseOfCells(["cell_1"], true, true), { excludeTestServices: true })(
  "a round of the guard in a cell on another node",
  (it) => {
    it.effect("counts what was sent and verified, and frees the timer", () =>
      Effect.gen(function* () {
        const customerId = yield* customerIn("record")
        const sql = yield* SqlClient.SqlClient
        const { within } = yield* CustomerRows
        yield* within(customerId, knownTo(customerId))
        const [day] = yield* (yield* GuardRecords).days(customerId)
        assert.deepStrictEqual([day?.codes, day?.verified], [6, 6])
        const timers = yield* within(
          customerId,
          Effect.orDie(
            sql`select lease_token from timers where kind = 'guard' and customer_id = ${customerId}`
          )
        )
        assert.deepStrictEqual(timers, [{ lease_token: null }])
      }).pipe(Effect.provide(guarded()))
    )

    it.effect("of two that began with the same one, the second writes nothing", () =>
      Effect.gen(function* () {
        const customerId = yield* customerIn("record")
        const sql = yield* SqlClient.SqlClient
        const { within } = yield* CustomerRows
        yield* within(
          customerId,
          Effect.gen(function* () {
            assert.deepStrictEqual(yield* saveRound(customerId, []), [])
            yield* Effect.orDie(sql`delete from timers where customer_id = ${customerId} and kind = 'guard'`)
            assert.isNull(yield* saveRound(customerId, [bombed]))
          })
        )
        assert.deepStrictEqual(yield* judgedDays(customerId), [1])
      }).pipe(Effect.provide(guarded()))
    )
  }
)
