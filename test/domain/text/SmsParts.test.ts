import { assert, describe, it } from "@effect/vitest"
import { smsSize } from "../../../src/domain/text/SmsParts.ts"

describe("the parts of an SMS", () => {
  it("is one of 160 places for Latin text, then of 153 each", () => {
    assert.deepStrictEqual(smsSize("a".repeat(160)), { encoding: "gsm7", length: 160, parts: 1, left: 0 })
    assert.deepStrictEqual(smsSize("a".repeat(161)), { encoding: "gsm7", length: 161, parts: 2, left: 145 })
    assert.strictEqual(smsSize("a".repeat(306)).parts, 2)
    assert.strictEqual(smsSize("a".repeat(307)).parts, 3)
  })

  it("is one of 70 places for Persian text, then of 67 each", () => {
    assert.deepStrictEqual(smsSize("س".repeat(70)), { encoding: "ucs2", length: 70, parts: 1, left: 0 })
    assert.deepStrictEqual(smsSize("س".repeat(71)), { encoding: "ucs2", length: 71, parts: 2, left: 63 })
    assert.strictEqual(smsSize("س".repeat(135)).parts, 3)
  })

  it("is UCS-2 as a whole for a single character that GSM-7 lacks", () => {
    assert.strictEqual(smsSize(`${"a".repeat(70)}’`).encoding, "ucs2")
    assert.strictEqual(smsSize("Ünïcode é").encoding, "ucs2")
    assert.strictEqual(smsSize("Ü é à £ @").encoding, "gsm7")
  })

  it("has two places for escaped characters, and for those beyond U+FFFF", () => {
    assert.strictEqual(smsSize("{}€").length, 6)
    assert.strictEqual(smsSize("🙂").length, 2)
  })

  it("divides no character between two parts", () => {
    assert.strictEqual(smsSize(`${"a".repeat(152)}€${"a".repeat(151)}`).parts, 2)
    assert.strictEqual(smsSize(`${"a".repeat(152)}€${"a".repeat(152)}`).parts, 3)
  })

  it("is none without a text", () => {
    assert.strictEqual(smsSize("").parts, 0)
  })
})
