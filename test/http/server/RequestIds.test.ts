import { assert, describe, it } from "@effect/vitest"
import { makeRequestIds, requestIdFor } from "../../../src/http/server/IncomingRequest.ts"

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

describe("a request's id", () => {
  it("is the caller's own where that can be one", () => {
    assert.strictEqual(requestIdFor("order-17.a_b"), "order-17.a_b")
    for (const unusable of ["", "a b", "ä", "x".repeat(129)]) assert.match(requestIdFor(unusable), UUID)
  })

  it("is a UUID that no other request of the process has", () => {
    const next = makeRequestIds()
    const ids = Array.from({ length: 100_000 }, next)
    assert.strictEqual(new Set(ids).size, ids.length)
    for (const id of ids) assert.match(id, UUID)
  })

  it("has nothing in common with those of another process", () => {
    const beginning = (id: string) => id.slice(0, 23)
    assert.notStrictEqual(beginning(makeRequestIds()()), beginning(makeRequestIds()()))
  })

  it("does not reveal how many came before it", () => {
    const next = makeRequestIds()
    const numbers = Array.from({ length: 50 }, () => Number.parseInt(next().slice(-8), 16))
    const inOrder = numbers.filter((number, index) => index > 0 && number === (numbers[index - 1] ?? 0) + 1)
    assert.isBelow(inOrder.length, numbers.length - 1)
  })
})
