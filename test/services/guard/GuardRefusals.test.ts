import { assert, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { GuardRefusals } from "../../../src/services/guard/GuardRefusals.ts"
import { CountsRefused, GuardStore, type RefusalCounts } from "../../../src/services/guard/GuardStore.ts"

const CUSTOMER = 7

/** Refusals of a customer, written to a store whose first writes end so. */
const writtenAfter = (...ends: Array<Effect.Effect<void, CountsRefused>>) => {
  const written: Array<RefusalCounts> = []
  const Store = Layer.mock(GuardStore)({
    countRefused: (counts) => ends.shift() ?? Effect.sync(() => void written.push(...counts))
  })
  return Effect.gen(function* () {
    const refusals = yield* GuardRefusals
    for (const phone of ["+989121234567", "+989121234567"]) refusals.countWhole(CUSTOMER, phone, 1000)
    refusals.count(CUSTOMER, "denied")
    yield* refusals.flush
    refusals.count(CUSTOMER, "refused")
    yield* refusals.flush
    return written
  }).pipe(Effect.provide(Layer.provide(GuardRefusals.layer, Store)))
}

it.effect("refusals that the store did not take are written with the next ones", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* writtenAfter(Effect.fail(new CountsRefused({ cause: "no disk" }))), [
      { customerId: CUSTOMER, refused: 3, refusedWhole: 1, denied: 1 }
    ])
  })
)

it.effect("refusals are not written again if the store may have taken them", () =>
  Effect.gen(function* () {
    assert.deepStrictEqual(yield* writtenAfter(Effect.die("the connection was lost")), [
      { customerId: CUSTOMER, refused: 1, refusedWhole: 0, denied: 0 }
    ])
  })
)

it.effect("of a phone that is refused again and again, one counts in an hour", () => {
  const written: Array<number> = []
  const Store = Layer.mock(GuardStore)({
    countRefused: (counts) =>
      Effect.sync(() => void written.push(...counts.map(({ refusedWhole }) => refusedWhole)))
  })
  return Effect.gen(function* () {
    const refusals = yield* GuardRefusals
    const minute = 60_000
    for (let at = 0; at < 60; at += 2) refusals.countWhole(CUSTOMER, "+989121234567", at * minute)
    yield* refusals.flush
    refusals.countWhole(CUSTOMER, "+989121234567", 60 * minute)
    yield* refusals.flush
    assert.deepStrictEqual(written, [1, 1])
  }).pipe(Effect.provide(Layer.provide(GuardRefusals.layer, Store)))
})

it.effect("refusals that the store did not take are tried again by themselves", () => {
  const tries: Array<number> = []
  const Store = Layer.mock(GuardStore)({
    countRefused: (_, now) =>
      Effect.suspend(() =>
        tries.push(now) < 3 ? Effect.fail(new CountsRefused({ cause: "no disk" })) : Effect.void
      )
  })
  return Effect.gen(function* () {
    const refusals = yield* GuardRefusals
    refusals.count(CUSTOMER, "refused")
    yield* TestClock.adjust("1 minute")
    assert.deepStrictEqual(tries, [5000, 10_000, 15_000])
  }).pipe(Effect.provide(Layer.provide(GuardRefusals.layer, Store)))
})

it.effect("refusals that the store refuses for five minutes are dropped", () => {
  const written: Array<RefusalCounts> = []
  let isRefusing = true
  const Store = Layer.mock(GuardStore)({
    countRefused: (counts) =>
      isRefusing
        ? Effect.fail(new CountsRefused({ cause: "no disk" }))
        : Effect.sync(() => void written.push(...counts))
  })
  return Effect.gen(function* () {
    const refusals = yield* GuardRefusals
    refusals.count(CUSTOMER, "refused")
    for (let tries = 0; tries < 60; tries++) yield* refusals.flush
    isRefusing = false
    yield* refusals.flush
    assert.deepStrictEqual(written, [])
  }).pipe(Effect.provide(Layer.provide(GuardRefusals.layer, Store)))
})
