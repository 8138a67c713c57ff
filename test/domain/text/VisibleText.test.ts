import { assert, describe, it } from "@effect/vitest"
import { inOneLine, isBlank, isMisleading, shown, trimmedName } from "../../../src/domain/text/VisibleText.ts"

const controls = [
  "\u0000",
  "\u0007",
  "\n",
  "\r",
  "\t",
  "\u001b",
  "\u007f",
  "\u0085",
  "\u009b",
  "\u2028",
  "\u2029"
]
const overrides = [..."\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069"]

describe("a text of which a reader sees nothing", () => {
  it.each([
    "",
    " \t\r\n",
    "\u00a0\u2003\u3000",
    "\u200b\u200c\u200d\u200e\u200f",
    "\u2066\u2069",
    "\u202e",
    "\ufeff",
    "\u00ad",
    "\u2060\u180e",
    "\u2800\u2800",
    "\u3164",
    "\u115f\u1160\uffa0",
    "\u034f\ufe0f",
    "\u0000\u001b"
  ])("is blank: %j", (text) => {
    assert.isTrue(isBlank(text))
    assert.isFalse(isBlank(`${text}.${text}`))
  })

  it.each(["a", "می‌خواهم", "🙂", "👨‍👩‍👧", "\u2066کد\u2069", "0", "‌و‌"])("is not %j", (text) => {
    assert.isFalse(isBlank(text))
  })
})

describe("a name that misleads", () => {
  it.each([...controls, ...overrides])("has %j", (character) => {
    assert.isTrue(isMisleading(`a${character}b`))
  })

  it.each(["می‌خواهم", "क्‍ष", "a b", "«پیک»", "\u200fپیک", "👨‍👩‍👧"])("is not %j", (text) => {
    assert.isFalse(isMisleading(text))
  })
})

describe("a name", () => {
  it("loses marks of direction at its ends, with the white space around them, and no joiner", () => {
    assert.strictEqual(trimmedName("\u200f \u061c\ufeffپیک\u200e \u200f"), "پیک")
    assert.strictEqual(trimmedName("a\u200fb"), "a\u200fb")
    assert.strictEqual(trimmedName("\u200cو\u200d"), "\u200cو\u200d")
    assert.strictEqual(trimmedName("\u200f \u200e"), "")
    assert.strictEqual(trimmedName(" a "), " a ")
  })

  it("is trimmed in linear time", () => {
    const long = `${" \u200f".repeat(500_000)}a${" \u200f".repeat(500_000)}b`
    assert.strictEqual(trimmedName(long), long.slice(1_000_000))
  })
})

describe("a stored text that misleads", () => {
  it("is in one line of a terminal or a log, with its characters named", () => {
    assert.strictEqual(inOneLine("a\u001b[31mb\u009b\u202ec\nd\te"), "a\\u001b[31mb\\u009b\\u202ec\\nd\\te")
    assert.strictEqual(inOneLine("می‌خواهم"), "می‌خواهم")
  })

  it("keeps its line breaks in a page", () => {
    assert.strictEqual(shown("a\n\u202eb\t\u001b"), "a\n\\u202eb\t\\u001b")
  })

  it("means the same in JSON", () => {
    const value = { name: "a\u001b\n\u0085\u202e\u2069\u2028b" }
    const json = shown(JSON.stringify(value))
    assert.deepStrictEqual(JSON.parse(json), value)
    assert.notMatch(json, /[\u0080-\u009f\u202a-\u202e\u2066-\u2069]/)
  })
})
