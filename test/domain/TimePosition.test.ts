import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { idAt, instantOf } from "../../src/domain/Paging.ts"

const instants = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 2 ** 48 - 1 })))

describe("an id", () => {
  it.prop("contains the time at which it was made", [instants], ([instant]) => {
    assert.strictEqual(instantOf(idAt(instant)), instant)
  })

  it("of RFC 9562's example was made when that says", () => {
    assert.strictEqual(instantOf("017f22e2-79b0-7cc3-98c4-dc0c0c07398f"), Date.parse("2022-02-22T19:22:22Z"))
  })
})
