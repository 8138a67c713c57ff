import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { cachedLookup } from "../../src/layers/CachedLookup.ts"

/** Looks up how often it was asked before. */
const counting = Effect.gen(function* () {
  let asked = 0
  const cached = yield* cachedLookup<string, number, never, never>(() => Effect.sync(() => asked++))
  return cached
})

describe("a cached lookup", () => {
  it.effect("is made once in five seconds", () =>
    Effect.gen(function* () {
      const { get } = yield* counting
      assert.strictEqual(yield* get("a"), 0)
      yield* TestClock.adjust(4999)
      assert.strictEqual(yield* get("a"), 0)
      yield* TestClock.adjust(1)
      assert.strictEqual(yield* get("a"), 1)
    })
  )

  it.effect("is made again after its key, or all, were invalidated", () =>
    Effect.gen(function* () {
      const { get, invalidate, invalidateAll, recall } = yield* counting
      yield* get("a")
      yield* get("b")
      yield* invalidate("a")
      assert.deepStrictEqual([recall("a"), recall("b")], [undefined, 1])
      assert.strictEqual(yield* get("a"), 2)
      yield* invalidateAll
      assert.deepStrictEqual([recall("a"), recall("b")], [undefined, undefined])
      assert.strictEqual(yield* get("b"), 3)
    })
  )

  it.effect("that was under way while its key was invalidated is not remembered", () =>
    Effect.gen(function* () {
      const gate = yield* Deferred.make<string>()
      const { get, invalidate, recall } = yield* cachedLookup<string, string, never, never>(() =>
        Deferred.await(gate)
      )
      const asking = yield* Effect.forkChild(get("a"), { startImmediately: true })
      yield* invalidate("a")
      yield* Deferred.succeed(gate, "as it was")
      yield* Effect.exit(Fiber.join(asking))
      assert.isUndefined(recall("a"))
    })
  )

  it.effect("that fails is made again at once", () =>
    Effect.gen(function* () {
      let asked = 0
      const { get } = yield* cachedLookup<string, string, string, never>(() =>
        Effect.suspend(() => (asked++ === 0 ? Effect.fail("not yet") : Effect.succeed("there")))
      )
      assert.strictEqual(yield* Effect.flip(get("a")), "not yet")
      assert.strictEqual(yield* get("a"), "there")
    })
  )
})
