import { assert, layer } from "@effect/vitest"
import { Array as Arr, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TimerStoreSql } from "../../../src/layers/timer/TimerStoreSql.ts"
import { TimerStore } from "../../../src/services/timer/TimerStore.ts"
import { timestamp } from "../../../src/layers/postgres/SqlRows.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

const NOW = Date.UTC(2026, 10, 26)
const SECOND = 1000
const lease = { token: "00000000-0000-4000-8000-00000000000a", until: NOW + 30 * SECOND }

/** So many timers of each kind, due one second after the other, of different customers. */
const makeTimers = Effect.fnUntraced(function* (counts: Readonly<Record<string, number>>) {
  const sql = yield* SqlClient.SqlClient
  yield* sql`delete from timers`
  for (const [kind, count] of Object.entries(counts)) {
    for (const nth of Arr.range(1, count)) {
      yield* sql`insert into timers (customer_id, kind, subject, claimable_at)
        values (${nth}, ${kind}, gen_random_uuid(), ${timestamp(NOW - (count - nth) * SECOND)})`
    }
  }
})

layer(Layer.provideMerge(TimerStoreSql, TestDatabase), { excludeTestServices: true })(
  "one claim for several groups of kinds",
  (it) => {
    it.effect("takes the first of each group up to its limit", () =>
      Effect.gen(function* () {
        yield* makeTimers({ message: 4, sandbox_message: 4, verification: 3, webhook: 2 })
        const { claim } = yield* TimerStore
        const due = yield* claim({
          groups: [
            { kinds: ["message", "sandbox_message"], limit: 4 },
            { kinds: ["verification"], limit: 1 },
            { kinds: ["webhook"], limit: 5 }
          ],
          lease,
          now: NOW
        })
        assert.deepStrictEqual(due.map(({ kind, customerId }) => `${kind} ${customerId}`).toSorted(), [
          "message 1",
          "message 2",
          "sandbox_message 1",
          "sandbox_message 2",
          "verification 1",
          "webhook 1",
          "webhook 2"
        ])
      })
    )

    it.effect("leases no more than it returns", () =>
      Effect.gen(function* () {
        yield* makeTimers({ message: 3, sandbox_message: 3 })
        const { claim } = yield* TimerStore
        yield* claim({ groups: [{ kinds: ["message", "sandbox_message"], limit: 2 }], lease, now: NOW })
        const sql = yield* SqlClient.SqlClient
        const [row] = yield* sql<{ count: number }>`
          select count(*)::int as count from timers where lease_token is not null`
        assert.strictEqual(row?.count, 2)
      })
    )
  }
)
