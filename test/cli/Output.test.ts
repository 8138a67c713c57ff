import { describe, expect, it } from "vitest"
import { asLines, asTable } from "../../src/cli/output/Output.ts"

describe("the lines of one thing", () => {
  it("have a field of an object in a line of its own, and the values in one column", () => {
    expect(asLines({ id: 7, limits: { hour: 5, day: null }, phones: ["a", "b"], empty: [] })).toBe(
      ["id           7", "limits.hour  5", "limits.day   –", "phones       a, b", "empty        –"].join("\n")
    )
  })

  it("show the control characters and overrides of direction that a text has", () => {
    expect(asLines({ label: "a\u001b[2J\u202eb\nc" })).toBe("label  a\\u001b[2J\\u202eb\\nc")
    expect(asTable([{ label: "a\u009b1m" }])).toBe("label\na\\u009b1m")
  })

  it("show objects of a list as JSON", () => {
    expect(asLines({ alarms: [{ key: "0912" }] })).toBe('alarms  {"key":"0912"}')
  })
})
