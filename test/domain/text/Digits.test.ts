import { assert, describe, it } from "@effect/vitest"
import { plainNumber } from "../../../src/domain/text/PastedText.ts"

describe("a typed number", () => {
  it.each([
    ["in Persian digits", "۱۲", "12"],
    ["in Arabic digits", "٣٠٠٠", "3000"],
    ["with the Persian separator of thousands", "۱٬۲۵۰٬۰۰۰", "1250000"],
    ["with the comma of a Persian keyboard", "۱،۲۵۰", "1250"],
    ["with English commas", "1,250", "1250"],
    ["with a sign", "+۹۸۳۰۰۰", "+983000"]
  ])("is read %s", (_, typed, number) => {
    assert.strictEqual(plainNumber(typed), number)
  })

  it.each(["ورود۲", "۱۲٬۳۴", "۱۲.۵", "measured", ""])("is not what only has digits in it: %s", (typed) => {
    assert.strictEqual(plainNumber(typed), typed)
  })
})
