import { assert, layer } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { stripeOf, WALLET_STRIPES } from "../../src/domain/money/Charging.ts"
import { PooledRandom } from "../../src/layers/crypto/Crypto.ts"
import { SubjectIds } from "../../src/services/Subjects.ts"

const FreshIds = Layer.fresh(Layer.provide(SubjectIds.layer, PooledRandom))

layer(FreshIds)("the ids of what is sent", (it) => {
  it.effect("are all paid from one stripe until it turns, and then from the next, round all of them", () =>
    Effect.gen(function* () {
      const { next, turn } = yield* SubjectIds
      const stripes: Array<number> = []
      for (let turns = 0; turns < WALLET_STRIPES; turns++) {
        const ids = [yield* next, yield* next, yield* next]
        assert.strictEqual(new Set(ids).size, 3)
        const [stripe = -1, ...others] = ids.map(stripeOf)
        assert.deepStrictEqual(others, [stripe, stripe])
        stripes.push(stripe)
        turn()
      }
      assert.strictEqual(new Set(stripes).size, WALLET_STRIPES)
      assert.strictEqual(stripeOf(yield* next), stripes[0])
    })
  )
})
