import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { SharedRoom } from "../../../src/services/concurrency/SharedRoom.ts"

const Size = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 200 }))
const Customers = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 20 }))
const Step = Schema.Struct({
  customerId: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 8 })),
  leaves: Schema.Boolean
})

/** Each in its turn enters once, until nobody may any more. */
const fill = (room: SharedRoom, customerIds: ReadonlyArray<number>) => {
  for (let entered = true; entered;) {
    entered = false
    for (const customerId of customerIds) {
      if (!room.mayEnter(customerId)) continue
      room.enter(customerId)
      entered = true
    }
  }
}

describe("a room that customers share", () => {
  it.prop("gives a customer who is alone as many places as it says", [Size], ([size]) => {
    const room = new SharedRoom(size)
    fill(room, [1])
    assert.strictEqual(room.heldBy(1), size)
  })

  it.prop(
    "gives customers who all want as much as they get equal shares, and keeps as much for the next",
    [Size, Customers],
    ([size, count]) => {
      const room = new SharedRoom(size)
      const customerIds = Array.from({ length: count }, (_, n) => n + 1)
      fill(room, customerIds)
      const held = customerIds.map((customerId) => room.heldBy(customerId))
      const share = (2 * size) / (count + 1)
      for (const places of held) {
        assert.isAtMost(places, Math.ceil(share))
        assert.isAtLeast(places, Math.min(Math.floor(share), 1))
      }
      assert.isAtLeast(room.free, Math.floor(share) - 1)
    }
  )

  it.prop(
    "never holds more than it has room for, and always has a place for one who holds none while any is free",
    [Size, Schema.Array(Step)],
    ([size, steps]) => {
      const room = new SharedRoom(size)
      for (const { customerId, leaves } of steps) {
        if (leaves && room.heldBy(customerId) > 0) room.leave(customerId)
        else if (room.mayEnter(customerId)) room.enter(customerId)
        assert.isAtMost(room.taken, room.capacity)
        assert.strictEqual(room.mayEnter(99), room.free > 0)
      }
      for (const [customerId, places] of room.holders) room.leave(customerId, places)
      assert.strictEqual(room.taken, 0)
    }
  )

  it("lets several enter at once only as it would let them one after the other", () => {
    const room = new SharedRoom(4)
    assert.isTrue(room.mayEnter(1, 4))
    assert.isFalse(room.mayEnter(1, 5))
    room.enter(2, 2)
    assert.isTrue(room.mayEnter(1, 3))
    assert.isFalse(room.mayEnter(1, 4))
  })
})
