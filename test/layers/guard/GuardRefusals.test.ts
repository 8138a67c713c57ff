import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { MINUTE_MILLIS } from "../../../src/domain/Instant.ts"
import { GuardRefusals } from "../../../src/services/guard/GuardRefusals.ts"
import { GuardRecords } from "../../../src/services/guard/GuardRecords.ts"
import { customerIn, guarded } from "../../services/guard/GuardedCustomer.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

/** In Tehran, of 28 November. */
const MIDNIGHT = Date.UTC(2026, 10, 27, 20, 30)

layer(TestDatabase, { excludeTestServices: true })("what the guard refuses", (it) => {
  it.effect("is counted once PostgreSQL takes it again", () =>
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const customerId = yield* customerIn("enforcing")
      const refusals = yield* GuardRefusals
      yield* Effect.orDie(sql`alter table guard_days add constraint nothing check (false) not valid`)
      refusals.count(customerId, "refused")
      yield* refusals.flush
      yield* Effect.orDie(sql`alter table guard_days drop constraint nothing`)
      yield* refusals.flush
      const days = yield* (yield* GuardRecords).days(customerId)
      assert.deepStrictEqual(
        days.map(({ refused }) => refused),
        [1]
      )
    }).pipe(Effect.provide(guarded()))
  )

  it.effect("counts for the day that it is in Tehran", () =>
    Effect.gen(function* () {
      const customerId = yield* customerIn("enforcing")
      const refusals = yield* GuardRefusals
      for (const minutes of [-1, 0]) {
        yield* TestClock.setTime(MIDNIGHT + minutes * MINUTE_MILLIS)
        refusals.count(customerId, "refused")
        yield* refusals.flush
      }
      const days = yield* (yield* GuardRecords).days(customerId)
      assert.deepStrictEqual(
        days.map(({ day, refused }) => [day, refused]),
        [
          ["2026-11-28", 1],
          ["2026-11-27", 1]
        ]
      )
    }).pipe(Effect.provide(guarded()))
  )
})
