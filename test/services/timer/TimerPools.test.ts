import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { defaultSettings, Settings } from "../../../src/services/Settings.ts"
import { TimerPools } from "../../../src/services/timer/TimerPools.ts"

const rooms = TimerPools.layer.pipe(
  Layer.provide(Layer.succeed(Settings, { ...defaultSettings, timerConcurrency: 2 }))
)

/** One customer has as many timers as it may, and a claim begins. */
const claimBesideFull = Effect.gen(function* () {
  const room = yield* TimerPools
  assert.isTrue(room.tryEnter("messages", 1, 2))
  const claiming = room.tryClaim("messages")
  assert.isNotNull(claiming)
  return { room, claiming }
})

describe("room for timers", () => {
  it.effect("wakes who is held back when somebody leaves", () =>
    Effect.gen(function* () {
      const { room, claiming } = yield* claimBesideFull
      claiming.settle([], "held back")
      assert.strictEqual(room.backlog("messages"), "held back")
      assert.isTrue(room.leave("messages", 1, 1))
    }).pipe(Effect.provide(rooms))
  )

  it.effect("wakes the loop when somebody leaves a full pool, though nobody was known to wait", () =>
    Effect.gen(function* () {
      const { room, claiming } = yield* claimBesideFull
      claiming.settle([2, 3], "none")
      assert.strictEqual(room.free("messages"), 0)
      assert.isTrue(room.leave("messages", 1, 1))
      assert.isFalse(room.leave("messages", 1, 1))
    }).pipe(Effect.provide(rooms))
  )

  it.effect("holds nobody back who did not see that somebody left", () =>
    Effect.gen(function* () {
      const { room, claiming } = yield* claimBesideFull
      room.leave("messages", 1, 2)
      claiming.settle([], "held back")
      // Nobody is left who would wake the loop: what is parked is claimed at once.
      assert.strictEqual(room.backlog("messages"), "some")
    }).pipe(Effect.provide(rooms))
  )

  it.effect("has room for further rounds when half of them are done, and wakes the loop then", () =>
    Effect.gen(function* () {
      const room = yield* TimerPools
      const claiming = room.tryClaim("rounds")
      assert.strictEqual(claiming?.free, 4)
      claiming?.settle([1, 2, 3, 4], "some")
      assert.isFalse(room.leave("rounds", 1, 1))
      assert.strictEqual(room.free("rounds"), 0)
      assert.isNull(room.tryClaim("rounds"))
      assert.isTrue(room.leave("rounds", 2, 1))
      // One that hangs takes nobody's place but its own.
      assert.strictEqual(room.tryClaim("rounds")?.free, 2)
      assert.isFalse(room.leave("rounds", 3, 1))
    }).pipe(Effect.provide(rooms))
  )
})
