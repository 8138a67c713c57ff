import { assert, describe, it } from "@effect/vitest"
import { submittedNumber } from "../../../src/http/console/forms/Forms.ts"

describe("a number field of a form", () => {
  it("takes Persian and Arabic digits, and separators of thousands", () => {
    assert.deepStrictEqual([" ۱۲ ", "٦٠", "۵۰٬۰۰۰", "-۳"].map(submittedNumber), [12, 60, 50_000, -3])
  })

  it("keeps what is no number as it was typed, and reads an empty field as none", () => {
    assert.deepStrictEqual(["یک", "۱۲.۵", " "].map(submittedNumber), ["یک", "۱۲.۵", null])
  })
})
