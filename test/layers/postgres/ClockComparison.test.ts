import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { TestClock } from "effect/testing"
import { ClockComparison } from "../../../src/layers/postgres/ClockComparison.ts"
import { ClockAgreement } from "../../../src/services/ClockAgreement.ts"
import { TestDatabase } from "../../support/TestDatabase.ts"

/** The store's clock goes on while a test runs, by far less than what these clocks are apart. */
const storeTime = Effect.flatMap(SqlClient.SqlClient, (sql) =>
  Effect.map(
    sql<{ readonly now: Date }>`select clock_timestamp() as now`,
    ([row]) => row?.now.getTime() ?? Number.NaN
  )
)

const setAhead = (millis: number) => Effect.flatMap(storeTime, (now) => TestClock.setTime(now + millis))

/** A process that begins with its clock ahead by so much. */
const startedAhead = (millis: number) =>
  Layer.provideMerge(
    ClockComparison,
    Layer.provideMerge(Layer.effectDiscard(setAhead(millis)), TestClock.layer())
  )

layer(TestDatabase, { excludeTestServices: true })("a process's clock", (it) => {
  it.effect.each([
    [3_600_000, /3(?:59\d|600)\.\d s ahead of PostgreSQL's/],
    [-60_000, /[56]\d\.\d s behind PostgreSQL's/]
  ] as const)("that is %s ms ahead at the start refuses it, and says so", ([millis, message]) =>
    Effect.gen(function* () {
      const error = yield* Effect.flip(Layer.build(startedAhead(millis)))
      assert.match(error.message, message)
      assert.match(error.message, /NTP/)
    }).pipe(Effect.scoped)
  )

  it.effect("that is less than five seconds off may serve", () =>
    Effect.gen(function* () {
      const { isApart, mayBeApart } = yield* ClockAgreement
      assert.isFalse(isApart())
      assert.isFalse(mayBeApart())
    }).pipe(Effect.provide(startedAhead(2000)))
  )
})
