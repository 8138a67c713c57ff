import { assert, describe, it } from "@effect/vitest"
import { makeOverloadGate } from "../../../src/http/server/Gate.ts"
import { noLoad } from "../../../src/services/concurrency/Workers.ts"
import type { RequestClass } from "../../../src/http/RouteTable.ts"

const DELAY = 1000

const gateOf = (maxInFlight = 10_000, coldRequests = 0) => {
  const load = noLoad()
  return { load, gate: makeOverloadGate({ maxInFlight, maxDelayMillis: DELAY, coldRequests }, load) }
}
type Gate = ReturnType<typeof gateOf>["gate"]

/** How many of so many are let in. */
const enter = (gate: Gate, kind: RequestClass, count: number, now = 0) =>
  Array.from({ length: count }, () => gate.enter(kind, now)).filter((entered) => entered).length

const leave = (gate: Gate, kind: RequestClass, count: number) => {
  for (let left = 0; left < count; left++) gate.leave(kind)
}

/** In each of so many windows, as many come as there is room for, and only `done` of them are done. */
const overload = (gate: Gate, done: number, windows = 20) => {
  for (let window = 0; window < windows; window++) {
    enter(gate, "send", 20_000, window * DELAY)
    leave(gate, "send", Math.min(done, gate.snapshot().inFlight.send))
  }
  return windows * DELAY
}

describe("the overload gate", () => {
  it("compares each class with its own count, so that one that is full stops no other", () => {
    const { gate } = gateOf(100)
    assert.strictEqual(enter(gate, "public", 100), 12)
    assert.strictEqual(enter(gate, "manage", 100), 25)
    assert.strictEqual(enter(gate, "send", 100), 50)
    assert.strictEqual(enter(gate, "check", 150), 100)
    assert.deepStrictEqual(gate.snapshot().shed, {
      vital: 0,
      check: 50,
      send: 50,
      manage: 75,
      public: 88,
      asset: 0
    })
  })

  it("lets a request go on that left while its client was reading, whatever came meanwhile", () => {
    const { gate } = gateOf(100)
    assert.strictEqual(enter(gate, "manage", 25), 25)
    gate.leave("manage")
    assert.isTrue(gate.enter("manage", 0))
    gate.enterAgain("manage")
    assert.strictEqual(gate.snapshot().inFlight.manage, 26)
    assert.isFalse(gate.enter("manage", 0))
  })

  it("says whether there is room without taking it", () => {
    const { gate } = gateOf(100)
    for (let asked = 0; asked < 100; asked++) assert.isTrue(gate.hasRoom("public", 0))
    assert.strictEqual(enter(gate, "public", 100), 12)
    assert.isFalse(gate.hasRoom("public", 0))
    assert.strictEqual(gate.snapshot().shed.public, 89)
  })

  it("always lets health checks in", () => {
    const { gate } = gateOf(1)
    assert.strictEqual(enter(gate, "check", 2), 1)
    assert.strictEqual(enter(gate, "vital", 50), 50)
  })

  it("lets one of each in, however small the bound", () => {
    const { gate } = gateOf(1)
    assert.isTrue(gate.enter("manage", 0))
    assert.isFalse(gate.enter("manage", 0))
    assert.isTrue(gate.enter("check", 0))
    assert.isTrue(gate.enter("send", 0))
  })

  it("has room again as soon as somebody leaves", () => {
    const { gate } = gateOf(2)
    assert.strictEqual(enter(gate, "send", 2), 1)
    leave(gate, "send", 1)
    assert.strictEqual(enter(gate, "send", 2), 1)
  })

  it("counts work that outlives its client", () => {
    const { gate, load } = gateOf(100)
    load.running = 49
    assert.isTrue(gate.enter("send", 0))
    load.running = 50
    assert.isFalse(gate.enter("send", 0))
    assert.isTrue(gate.enter("check", 0))
  })

  it("lets in about as many sends as are done in the time that an answer may take", () => {
    const { gate } = gateOf()
    const now = overload(gate, 300)
    enter(gate, "send", 1000, now)
    assert.isAtMost(gate.snapshot().inFlight.send, 400)
    assert.isFalse(gate.enter("send", now))
    assert.isTrue(gate.enter("check", now))
  })

  it("never lets in fewer than a few, even when nothing is done", () => {
    const { gate } = gateOf()
    overload(gate, 0)
    assert.strictEqual(gate.snapshot().limit, 128)
  })

  it("lets checks in while sends that came before it was too much still fill all there is", () => {
    const { gate } = gateOf()
    enter(gate, "send", 5000)
    enter(gate, "vital", 1, DELAY)
    assert.strictEqual(enter(gate, "check", 200, 2 * DELAY), 128)
    assert.isFalse(gate.enter("send", 2 * DELAY))
  })

  it("sheds nothing once load has fallen", () => {
    const { gate } = gateOf()
    const now = overload(gate, 0)
    leave(gate, "send", gate.snapshot().inFlight.send)
    assert.strictEqual(enter(gate, "send", 50, now + 1), 50)
  })

  it("lets more in again when more is done", () => {
    const { gate } = gateOf()
    const now = overload(gate, 0)
    leave(gate, "send", gate.snapshot().inFlight.send)
    for (let window = 1; window <= 3; window++) {
      for (let turn = 0; turn < 100; turn++)
        leave(gate, "send", enter(gate, "send", 60, now + window * DELAY))
    }
    assert.isAtLeast(gate.snapshot().limit, 6000)
  })

  it("does not take waiting for providers for a delay of its own", () => {
    const { gate, load } = gateOf()
    for (let window = 0; window < 10; window++) {
      load.waiting.send += enter(gate, "send", 300, window * DELAY)
    }
    assert.strictEqual(gate.snapshot().shed.send, 0)
    assert.strictEqual(gate.snapshot().working, 0)
    assert.strictEqual(gate.snapshot().limit, 10_000)
  })

  it.each([
    ["manage", "password"],
    ["public", "sign_in"]
  ] as const)("does not take the queue for hashes for work of the class %s, nor of others", (kind, who) => {
    const { gate, load } = gateOf()
    const now = overload(gate, 0) - 1
    leave(gate, "send", gate.snapshot().inFlight.send)
    // The shares of the 128 requests that may work under overload.
    const room = { manage: 32, public: 16 }[kind]
    assert.strictEqual(enter(gate, kind, 100, now), room)
    load.waiting[who] = room
    assert.strictEqual(enter(gate, kind, 100, now), room)
    assert.strictEqual(enter(gate, "send", 100, now), 64)
  })

  /** Every half `DELAY`, 50 of 300 sends are done, and as many come: one takes three times `DELAY`. */
  const slowly = (gate: Gate, halves: number, from = 0) => {
    for (let half = 0; half < halves; half++) {
      const now = from + (half * DELAY) / 2
      leave(gate, "send", Math.min(50, gate.snapshot().inFlight.send))
      enter(gate, "send", Math.max(1, 300 - gate.snapshot().inFlight.send), now)
    }
    return from + (halves * DELAY) / 2
  }

  it("refuses nothing of a new process that it answers within four times as long", () => {
    const { gate } = gateOf(10_000, 1000)
    enter(gate, "send", 300)
    slowly(gate, 8 * 2)
    assert.strictEqual(gate.snapshot().shed.send, 0)
  })

  it("expects of a process that has finished enough what it expects of any", () => {
    const { gate } = gateOf(10_000, 1000)
    enter(gate, "send", 300)
    const now = slowly(gate, 20)
    slowly(gate, 20, now)
    assert.isAbove(gate.snapshot().shed.send, 0)
  })

  it("refuses of a new process what takes still longer", () => {
    const { gate } = gateOf(10_000, 1000)
    enter(gate, "send", 3000)
    slowly(gate, 18)
    assert.isAbove(gate.snapshot().shed.send, 0)
  })
})
