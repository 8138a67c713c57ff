import { assert, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import { SLOT_MILLIS, slotOf } from "../../../src/domain/Activity.ts"
import { ActivityReports, ActivitySums } from "../../../src/services/activity/ActivityReports.ts"

const CUSTOMER = 1
const NOW = slotOf(1_800_000_000_000) + SLOT_MILLIS / 2

/** Sums of one slot, which take two seconds to make. */
const slowSums = (summedAt: number | null) => {
  const counts = { sumUp: 0 }
  const sums = ActivitySums.of({
    unfinished: () => Effect.succeed([{ startsAt: slotOf(NOW), summedAt, isOpen: true }]),
    sumUp: () =>
      Effect.andThen(
        Effect.sync(() => (counts.sumUp += 1)),
        Effect.sleep("2 seconds")
      ),
    read: () => Effect.succeed([]),
    usable: () => Effect.succeed([]),
    count: () => Effect.succeed([]),
    customers: Effect.succeed([]),
    sendsSince: () => Effect.succeed(0)
  })
  return { counts, layer: Layer.provide(ActivityReports.layer, Layer.succeed(ActivitySums, sums)) }
}

/** A page, and what goes on in the background after it. */
const look = Effect.gen(function* () {
  const reports = yield* ActivityReports
  const page = yield* Effect.forkChild(reports.read(CUSTOMER, { from: NOW - SLOT_MILLIS }))
  yield* TestClock.adjust("2 seconds")
  return yield* Fiber.join(page)
})

it.effect("sums that take long are made again for a hundredth of the time", () => {
  const { counts, layer } = slowSums(NOW - 60_000)
  return Effect.gen(function* () {
    yield* TestClock.setTime(NOW)
    yield* look
    yield* TestClock.adjust("3 minutes")
    yield* look
    assert.strictEqual(counts.sumUp, 1)
    yield* TestClock.adjust("18 seconds")
    yield* look
    assert.strictEqual(counts.sumUp, 2)
  }).pipe(Effect.provide(layer))
})

it.effect("sums that are missing are made at once, and the page says so until they are there", () => {
  const { counts, layer } = slowSums(null)
  return Effect.gen(function* () {
    yield* TestClock.setTime(NOW)
    assert.isFalse((yield* look).isComplete)
    yield* look
    assert.strictEqual(counts.sumUp, 2)
  }).pipe(Effect.provide(layer))
})
