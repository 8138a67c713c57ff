import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { FairShares } from "../../../src/services/concurrency/FairQueue.ts"

const Size = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 200 }))
const Customers = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 20 }))
const Step = Schema.Struct({
  customerId: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 8 })),
  leaves: Schema.Boolean
})

/** Each in its turn enters once, until nobody may any more. */
const fill = (shares: FairShares, customerIds: ReadonlyArray<number>) => {
  for (let entered = true; entered;) {
    entered = false
    for (const customerId of customerIds) {
      if (!shares.mayEnter(customerId)) continue
      shares.enter(customerId)
      entered = true
    }
  }
}

describe("places that customers share", () => {
  it.prop("gives a customer who is alone as many places as it says", [Size], ([size]) => {
    const shares = new FairShares(size)
    fill(shares, [1])
    assert.strictEqual(shares.permitsOf(1), size)
  })

  it.prop(
    "gives customers who all want as much as they get equal shares, and keeps as much for the next",
    [Size, Customers],
    ([size, count]) => {
      const shares = new FairShares(size)
      const customerIds = Array.from({ length: count }, (_, n) => n + 1)
      fill(shares, customerIds)
      const held = customerIds.map((customerId) => shares.permitsOf(customerId))
      const share = (2 * size) / (count + 1)
      for (const places of held) {
        assert.isAtMost(places, Math.ceil(share))
        assert.isAtLeast(places, Math.min(Math.floor(share), 1))
      }
      assert.isAtLeast(shares.free, Math.floor(share) - 1)
    }
  )

  it.prop(
    "never holds more than it has room for, and always has a place for one who holds none while any is free",
    [Size, Schema.Array(Step)],
    ([size, steps]) => {
      const shares = new FairShares(size)
      for (const { customerId, leaves } of steps) {
        if (leaves && shares.permitsOf(customerId) > 0) shares.leave(customerId)
        else if (shares.mayEnter(customerId)) shares.enter(customerId)
        assert.isAtMost(shares.taken, shares.capacity)
        assert.strictEqual(shares.mayEnter(99), shares.free > 0)
      }
      for (const [customerId, places] of shares.holders) shares.leave(customerId, places)
      assert.strictEqual(shares.taken, 0)
    }
  )

  it("lets several enter at once only as it would let them one after the other", () => {
    const shares = new FairShares(4)
    assert.isTrue(shares.mayEnter(1, 4))
    assert.isFalse(shares.mayEnter(1, 5))
    shares.enter(2, 2)
    assert.isTrue(shares.mayEnter(1, 3))
    assert.isFalse(shares.mayEnter(1, 4))
  })
})
