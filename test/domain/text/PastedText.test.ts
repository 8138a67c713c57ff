import { assert, describe, it } from "@effect/vitest"
import { bareNumber, pasted, pastedText, withoutFormat } from "../../../src/domain/text/PastedText.ts"

const FORMAT = [
  ..."\u00ad\u061c\u180e\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"
]

describe("a pasted identifier", () => {
  it("loses every format character, and the white space at its ends", () => {
    for (const character of FORMAT) {
      assert.strictEqual(withoutFormat(`${character}a${character}b${character}`), "ab")
      assert.strictEqual(pasted(` ${character} a b${character}\u00a0`), "a b")
    }
  })
})

describe("a pasted text", () => {
  it("keeps the joiners that Persian needs, and loses the other format characters", () => {
    assert.strictEqual(pastedText("\u200f می‌خواهم \u2069"), "می‌خواهم")
    for (const character of FORMAT.filter((each) => each !== "\u200c" && each !== "\u200d"))
      assert.strictEqual(pastedText(`${character}a${character}b`), "ab")
  })
})

describe("a number that was written by hand", () => {
  it.each([
    ["123456", "123456"],
    ["۱۲۳۴۵۶", "123456"],
    [" 123 456 ", "123456"],
    ["\u2066123456\u2069", "123456"],
    ["123\u2013456", "123456"],
    ["\u200f۱۲۳\u2212۴۵۶", "123456"],
    ["(123)\u00a0456", "123456"],
    ["+98 912", "+98912"],
    ["12a456", "12a456"],
    ["1.5", "1.5"],
    ["", ""]
  ])("is in ASCII digits without separators: %j", (text, bare) => {
    assert.strictEqual(bareNumber(text), bare)
  })
})
