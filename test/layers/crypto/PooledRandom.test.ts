import { assert, describe, it } from "@effect/vitest"
import { Array as Arr, Effect } from "effect"
import { SecureRandom } from "effect/crypto"
import { TestClock } from "effect/testing"
import { instantOf } from "../../../src/domain/Paging.ts"
import { PooledRandom } from "../../../src/layers/crypto/Crypto.ts"

const take = (sizes: ReadonlyArray<number>) =>
  Effect.gen(function* () {
    const random = yield* SecureRandom.SecureRandom
    return yield* Effect.forEach(sizes, (size) => random.randomBytes(size))
  }).pipe(Effect.provide(PooledRandom))

describe("pooled randomness", () => {
  it.effect("no bytes are given out twice, also where the pool is refilled", () =>
    Effect.gen(function* () {
      const taken = yield* take(Arr.makeBy(5000, () => 10))
      const distinct = new Set(taken.map((bytes) => Buffer.from(bytes).toString("hex")))
      assert.strictEqual(distinct.size, 5000)
    })
  )

  it.effect("any size can be taken, and what was taken never changes", () =>
    Effect.gen(function* () {
      const taken = yield* take([0, 1, 8192, 8193, 100_000, 16, 8000, 500])
      assert.deepStrictEqual(
        taken.map(({ length }) => length),
        [0, 1, 8192, 8193, 100_000, 16, 8000, 500]
      )
      assert.isTrue(
        taken.filter(({ length }) => length >= 16).every((bytes) => bytes.some((byte) => byte !== 0))
      )
    })
  )

  it.effect("every byte value comes up about as often as any other", () =>
    Effect.gen(function* () {
      const counts = Array.from({ length: 256 }, () => 0)
      for (const bytes of yield* take(Arr.makeBy(4000, () => 64))) {
        for (const byte of bytes) counts[byte] = (counts[byte] ?? 0) + 1
      }
      // 256 000 draws over 256 values: 1000 each, and ten standard deviations are 316.
      assert.isTrue(counts.every((count) => Math.abs(count - 1000) < 316))
    })
  )

  it.effect("after the clock was set back, ids have its time again", () =>
    Effect.gen(function* () {
      const random = yield* SecureRandom.SecureRandom
      yield* TestClock.setTime(7_200_000)
      yield* random.uuidV7()
      yield* TestClock.setTime(3_600_000)
      assert.strictEqual(instantOf(yield* random.uuidV7()), 3_600_000)
    }).pipe(Effect.provide(PooledRandom))
  )

  it.effect("ids stay in order if the clock goes back a little", () =>
    Effect.gen(function* () {
      const random = yield* SecureRandom.SecureRandom
      yield* TestClock.setTime(7_200_000)
      const earlier = yield* random.uuidV7()
      yield* TestClock.setTime(7_199_500)
      assert.isTrue((yield* random.uuidV7()) > earlier)
    }).pipe(Effect.provide(PooledRandom))
  )
})
