import { describe, expect, it } from "vitest"
import { isSameToken } from "../../../src/http/console/frame/Cookies.ts"

const expected = "A".repeat(43)

describe("a form's token", () => {
  it("is the right one if it is the expected one", () => {
    expect(isSameToken(expected, expected)).toBe(true)
  })

  it.each([
    ["another", `${"A".repeat(42)}B`],
    ["a shorter one", "A"],
    ["one of as many characters, and more bytes", "س".repeat(43)],
    ["none", null]
  ])("is wrong if it is %s", (_, given) => {
    expect(isSameToken(given, expected)).toBe(false)
  })
})
