import { assert, layer } from "@effect/vitest"
import { Array as Arr, Effect } from "effect"
import { SqlClient } from "effect/sql"
import { distributedTimers } from "../../../src/layers/timer/DistributedTimersSql.ts"
import { timestamp } from "../../../src/layers/postgres/SqlRows.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const NOW = Date.UTC(2026, 10, 25)
const SECOND = 1000
const lease = { token: "00000000-0000-4000-8000-00000000000a", until: NOW + 30 * SECOND }
const kinds = ["message", "verification"] as const
const claimOf = (limit: number) => ({ groups: [{ kinds, limit }], lease, now: NOW })

const subjectOf = (number: number) => `00000000-0000-7000-8000-${String(number).padStart(12, "0")}`

/** Timers of one customer, each a second older than the one before. */
const makeTimers = Effect.fnUntraced(function* (customerId: number, count: number) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from timers where customer_id = ${customerId}`
  for (const number of Arr.range(1, count)) {
    yield* sql`insert into timers (customer_id, kind, subject, claimable_at)
      values (${customerId}, 'message', ${subjectOf(number)}::uuid, ${timestamp(NOW - number * SECOND)})`
  }
})

const store = Effect.map(SqlClient.SqlClient, distributedTimers)
const emptied = Effect.flatMap(SqlClient.SqlClient, (sql) => sql`delete from timers`)

layer(TestDatabase, { excludeTestServices: true })("timers of a distributed store", (it) => {
  it.effect("are claimed in order of time, and once", () =>
    Effect.gen(function* () {
      yield* emptied
      yield* makeTimers(1, 3)
      const { claim: claimDue } = yield* store
      const due = yield* claimDue(claimOf(2))
      assert.deepStrictEqual(due.map(({ subject }) => subject).toSorted(), [subjectOf(2), subjectOf(3)])
      assert.deepStrictEqual(
        (yield* claimDue(claimOf(2))).map(({ subject }) => subject),
        [subjectOf(1)]
      )
    })
  )

  it.effect("are claimed by one of several processes", () =>
    Effect.gen(function* () {
      yield* emptied
      yield* makeTimers(1, 20)
      const { claim: claimDue } = yield* store
      const claims = yield* Effect.all(
        Arr.makeBy(5, () => claimDue(claimOf(20))),
        { concurrency: "unbounded" }
      )
      assert.strictEqual(claims.flat().length, 20)
    })
  )

  it.effect("of a flood leave room for those of others, and its later ones are parked", () =>
    Effect.gen(function* () {
      yield* emptied
      const sql = yield* SqlClient.SqlClient
      yield* makeTimers(1, 6)
      yield* makeTimers(2, 1)
      const { claimFairly } = yield* store
      const { due, someAreLeft } = yield* claimFairly({ kinds, lease, now: NOW, free: 3, holders: [] })
      assert.include(
        due.map(({ customerId }) => customerId),
        2
      )
      assert.isTrue(someAreLeft)
      const [row] = yield* sql<{ parked: number; held: number }>`
        select count(*) filter (where parked)::int as parked, count(lease_token)::int as held from timers`
      assert.deepStrictEqual(row, { parked: 7 - due.length, held: due.length })
    })
  )

  it.effect("are next when the first of them is due", () =>
    Effect.gen(function* () {
      yield* emptied
      yield* makeTimers(1, 2)
      const { nextClaimAt } = yield* store
      assert.strictEqual(yield* nextClaimAt(kinds, kinds), NOW - 2 * SECOND)
    })
  )

  it.effect("are renewed while they are leased by the same process", () =>
    Effect.gen(function* () {
      yield* emptied
      const sql = yield* SqlClient.SqlClient
      yield* makeTimers(1, 2)
      const { claim: claimDue, renew } = yield* store
      const due = yield* claimDue(claimOf(2))
      yield* sql`update timers set lease_token = null where subject = ${subjectOf(1)}::uuid`
      const renewed = yield* renew(due, NOW + 60 * SECOND)
      assert.deepStrictEqual(
        renewed.map(({ subject }) => subject),
        [subjectOf(2)]
      )
    })
  )
})
