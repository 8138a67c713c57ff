import { assert, describe, it } from "@effect/vitest"
import { Array as Arr, Schema } from "effect"
import { batchId } from "../../../src/layers/postgres/SqlRows.ts"

const DRAWN = "01a1ffe0-d872-7691-b337-2bb3d613ffff"
const isUuidV7 = Schema.is(Schema.String.check(Schema.isUUID(7)))

describe("the ids of a batch", () => {
  const ids = Arr.makeBy(128, (row) => Arr.makeBy(8, (place) => batchId(DRAWN, row, place))).flat()

  it("are UUIDs of version 7, each another, in the order of what is written", () => {
    assert.isTrue(ids.every(isUuidV7))
    assert.strictEqual(new Set(ids).size, ids.length)
    assert.deepStrictEqual(ids.toSorted(), ids)
  })

  it("keep the time of the one that was drawn", () => {
    assert.isTrue(ids.every((id) => id.startsWith(DRAWN.slice(0, 13))))
  })
})
