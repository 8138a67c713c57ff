import { assert, describe, it } from "@effect/vitest"
import { Result, Schema } from "effect"
import { readExactJson } from "../../../src/domain/text/Fingerprints.ts"

const read = (text: string) => Result.getOrUndefined(readExactJson(text))

/** What is expected for a value: a number that is too long for its digits is a text. */
const exact = (text: string): unknown =>
  JSON.parse(text, (_, value) =>
    typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(String(value))
      ? String(value)
      : value
  )

describe("JSON of others", () => {
  it.each([
    ["9007199254740993", "9007199254740993"],
    ["-9007199254740993", "-9007199254740993"],
    ["9007199254740991", 9_007_199_254_740_991],
    ["1.2345678901234567", 1.234_567_890_123_456_7],
    ["12e3", 12_000]
  ] as const)("has %s as a whole number, or as a text if no number holds it", (text, value) => {
    assert.deepStrictEqual(read(`{"a":[${text}]}`), { a: [value] })
  })

  it.prop("is read as it was written", [Schema.Json], ([value]) => {
    const text = JSON.stringify(value)
    assert.deepStrictEqual(read(text), exact(text))
    const beside = read(`{"long":9007199254740993,"value":${text}}`)
    assert.deepStrictEqual(beside, { long: "9007199254740993", value: exact(text) })
  })

  it.each(['{"a":1,"a":2}', '{"a":9007199254740993,"a":2}'])(
    "has the last value of a repeated key: %s",
    (text) => {
      assert.deepStrictEqual(read(text), { a: 2 })
    }
  )

  it.each(["", "{", "<html>", "[".repeat(100_000), `{"a":1}x`])("is undefined if it is none", (text) => {
    assert.isTrue(Result.isFailure(readExactJson(text)))
  })

  it("is refused if it is nested deeper than a reader can follow", () => {
    const depth = 100_000
    assert.isTrue(Result.isFailure(readExactJson("[".repeat(depth) + "]".repeat(depth))))
  })
})
