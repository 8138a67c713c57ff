import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { GuardRefusals } from "../../../src/services/guard/GuardRefusals.ts"
import { GuardRecords } from "../../../src/services/guard/GuardRecords.ts"
import { customerIn, guarded } from "../../services/guard/GuardedCustomer.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

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
})
