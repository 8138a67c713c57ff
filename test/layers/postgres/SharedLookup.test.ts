import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Exit, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { cachedLookup, sharedLookup } from "../../../src/layers/postgres/SetUpCache.ts"

/** Lookups that each wait for a gate of their own, and answer which they were. */
const gated = () => {
  const gates: Array<Deferred.Deferred<void>> = []
  return {
    gates,
    open: (nth: number) => Deferred.succeed(gates[nth] ?? Deferred.makeUnsafe<void>(), undefined),
    lookup: () =>
      Effect.suspend(() => {
        const gate = Deferred.makeUnsafe<void>()
        const nth = gates.push(gate) - 1
        return Effect.as(Deferred.await(gate), nth)
      })
  }
}

const forked = <A, E>(effect: Effect.Effect<A, E>) => Effect.forkChild(effect, { startImmediately: true })

const settle = Effect.repeat(Effect.yieldNow, { times: 20 })

describe("a shared lookup", () => {
  it.effect("is made again, once, for all who asked after it had begun", () =>
    Effect.gen(function* () {
      const { gates, open, lookup } = gated()
      const { lookUp } = yield* sharedLookup<string, number, never, never>(lookup)
      const first = yield* forked(lookUp("a"))
      yield* settle
      const later = yield* Effect.forEach(Array.from({ length: 100 }), () => forked(lookUp("a")))
      yield* settle
      assert.strictEqual(gates.length, 1)
      yield* open(0)
      assert.strictEqual(yield* Fiber.join(first), 0)
      yield* settle
      yield* open(1)
      assert.deepStrictEqual(
        yield* Effect.forEach(later, Fiber.join),
        later.map(() => 1)
      )
      assert.strictEqual(gates.length, 2)
    })
  )

  it.effect(
    "is not made again for those who waited, when the store was silent: they would wait as long again",
    () =>
      Effect.gen(function* () {
        let lookups = 0
        const { lookUp } = yield* sharedLookup<string, number, never, never>(() =>
          Effect.suspend(() => {
            lookups += 1
            return Effect.andThen(Effect.sleep("5 seconds"), Effect.die("no response"))
          })
        )
        const first = yield* forked(Effect.exit(lookUp("a")))
        yield* settle
        const later = yield* forked(Effect.exit(lookUp("a")))
        yield* TestClock.adjust("5 seconds")
        assert.isTrue(Exit.hasDies(yield* Fiber.join(first)))
        assert.isTrue(Exit.hasDies(yield* Fiber.join(later)))
        assert.strictEqual(lookups, 1)
      })
  )

  it.effect("goes on for the others when the one who asked first hangs up", () =>
    Effect.gen(function* () {
      const { open, lookup } = gated()
      const { lookUp, inProgress } = yield* sharedLookup<string, number, never, never>(lookup)
      const first = yield* forked(lookUp("a"))
      yield* settle
      const second = yield* forked(inProgress("a") ?? Effect.die("nothing is under way"))
      yield* Fiber.interrupt(first)
      yield* open(0)
      assert.strictEqual(yield* Fiber.join(second), 0)
    })
  )
})

describe("a cached lookup", () => {
  it.effect("takes no failure from a lookup that began before it was asked for", () =>
    Effect.gen(function* () {
      const gate = Deferred.makeUnsafe<void>()
      let asked = 0
      const { get } = yield* cachedLookup<string, string, string, never>(() =>
        Effect.suspend(() =>
          ++asked === 1
            ? Effect.andThen(Deferred.await(gate), Effect.fail("not made yet"))
            : Effect.succeed("there")
        )
      )
      const before = yield* forked(Effect.flip(get("a")))
      yield* settle
      const after = yield* forked(get("a"))
      yield* Deferred.succeed(gate, undefined)
      assert.deepStrictEqual([yield* Fiber.join(before), yield* Fiber.join(after)], ["not made yet", "there"])
    })
  )

  it.effect("is made again once a newer version than the remembered one is known", () =>
    Effect.gen(function* () {
      let newest = 1
      const { get, recall } = yield* cachedLookup<string, number, never, never>(
        () => Effect.sync(() => newest),
        {
          isUpToDate: () => true,
          isCurrent: (version) => version >= newest
        }
      )
      assert.strictEqual(yield* get("a"), 1)
      newest = 2
      assert.isUndefined(recall("a"))
      assert.strictEqual(yield* get("a"), 2)
      assert.strictEqual(recall("a"), 2)
    })
  )
})
