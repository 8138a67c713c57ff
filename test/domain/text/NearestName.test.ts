import { describe, expect, it } from "vitest"
import { nearest } from "../../../src/domain/text/NearestName.ts"

const known = ["PEYK_PORT", "PEYK_HOST", "PEYK_DATA_DIR", "PEYK_METRICS_TOKEN"]

describe("the name that was probably meant", () => {
  it.each([
    ["PEYK_PRT", "PEYK_PORT"],
    ["PEYK_DATADIR", "PEYK_DATA_DIR"],
    ["PEYK_METRIC_TOKENS", "PEYK_METRICS_TOKEN"]
  ])("of %s is %s", (name, meant) => {
    expect(nearest(name, known)).toBe(meant)
  })

  it.each(["PEYK_COLOUR_SCHEME", "X", ""])("of %j is none: nothing is near", (name) => {
    expect(nearest(name, known)).toBeUndefined()
  })

  it("is none where nothing is known", () => {
    expect(nearest("PEYK_PORT", [])).toBeUndefined()
  })
})
