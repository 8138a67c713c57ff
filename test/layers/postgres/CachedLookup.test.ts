import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Fiber } from "effect"
import { TestClock } from "effect/testing"
import { cachedLookup } from "../../../src/layers/postgres/SetUpCache.ts"

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

  it.effect(
    "is made once in ten minutes while a feed of changes is heard, and of five seconds once it is not",
    () =>
      Effect.gen(function* () {
        let asked = 0
        let isUpToDate = true
        const { get, recall } = yield* cachedLookup<string, number, never, never>(
          () => Effect.sync(() => asked++),
          { isUpToDate: () => isUpToDate }
        )
        yield* get("a")
        yield* TestClock.adjust(599_999)
        assert.strictEqual(yield* get("a"), 0)
        yield* TestClock.adjust(1)
        assert.strictEqual(yield* get("a"), 1)
        yield* TestClock.adjust(5000)
        assert.strictEqual(recall("a"), 1)
        isUpToDate = false
        assert.isUndefined(recall("a"))
        assert.strictEqual(yield* get("a"), 2)
      })
  )

  it.effect("is made again of those answers that are no longer true", () =>
    Effect.gen(function* () {
      const { get, invalidateIf, recall } = yield* counting
      yield* get("a")
      yield* get("b")
      yield* get("c")
      yield* invalidateIf((answer) => answer === 1)
      assert.deepStrictEqual([recall("a"), recall("b"), recall("c")], [0, undefined, 2])
      assert.strictEqual(yield* get("b"), 3)
    })
  )

  it.effect("is remembered for the last 10 000 who asked, and for 20 000 at most", () =>
    Effect.gen(function* () {
      const { get, recall } = yield* counting
      const keys = Array.from({ length: 35_000 }, (_, index) => String(index))
      yield* Effect.forEach(keys, get, { discard: true })
      const isRemembered = (key: string) => recall(key) !== undefined
      assert.isFalse(keys.slice(0, -20_000).some(isRemembered))
      // To recall one is to ask for it: the last come first.
      assert.isTrue(keys.slice(-10_000).toReversed().every(isRemembered))
    })
  )

  it.effect("is made once for all who ask while it is under way", () =>
    Effect.gen(function* () {
      let asked = 0
      const gate = yield* Deferred.make<void>()
      const { get } = yield* cachedLookup<string, number, never, never>(() =>
        Effect.as(Deferred.await(gate), ++asked)
      )
      const asking = yield* Effect.forEach([1, 2, 3], () =>
        Effect.forkChild(get("a"), { startImmediately: true })
      )
      yield* Deferred.succeed(gate, undefined)
      assert.deepStrictEqual(yield* Effect.forEach(asking, Fiber.join), [1, 1, 1])
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
