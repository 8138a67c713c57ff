import { assert, layer } from "@effect/vitest"
import { Effect } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { clock } from "../../src/cli/server/DoctorCommand.ts"
import { TestDatabase } from "../support/TestDatabase.ts"

const setAhead = (millis: number) =>
  Effect.gen(function* () {
    const sql = yield* SqlClient.SqlClient
    const [row] = yield* sql<{ readonly now: Date }>`select clock_timestamp() as now`
    yield* TestClock.setTime((row?.now.getTime() ?? Number.NaN) + millis)
  })

layer(TestDatabase, { excludeTestServices: true })("doctor compares the clocks", (it) => {
  it.effect("and fails if a server would not start", () =>
    Effect.gen(function* () {
      yield* setAhead(60_000)
      const { message } = yield* Effect.flip(clock)
      assert.match(message, /(?:59\.\d|60\.0) s ahead of PostgreSQL's; set it right \(NTP/)
    }).pipe(Effect.provide(TestClock.layer()))
  )

  it.effect("and advises while they differ by a few seconds", () =>
    Effect.gen(function* () {
      yield* setAhead(-3_000)
      assert.match(yield* clock, /^advice: .*3\.\d s behind PostgreSQL's/)
    }).pipe(Effect.provide(TestClock.layer()))
  )

  it.effect("and says so if they agree", () =>
    Effect.gen(function* () {
      yield* setAhead(0)
      assert.strictEqual(yield* clock, "agrees with PostgreSQL's")
    }).pipe(Effect.provide(TestClock.layer()))
  )
})
