import { describe, expect, it } from "vitest"
import { conversionFall, fallenGroups, noCodeSums } from "../../src/domain/Insights.ts"

const sums = (key: string, codes: number, verified: number) => ({ ...noCodeSums, key, codes, verified })

describe("a fall of conversion", () => {
  it("is the difference of the shares, where it is beyond chance", () => {
    expect(conversionFall(sums("", 1000, 700), sums("", 800, 640))).toBeCloseTo(0.1)
  })

  it.each([
    ["too few codes", sums("", 49, 10), sums("", 800, 640)],
    ["too few codes before", sums("", 1000, 700), sums("", 49, 49)],
    ["chance", sums("", 100, 77), sums("", 100, 80)],
    ["a rise", sums("", 1000, 900), sums("", 1000, 700)],
    ["less than a point", sums("", 1_000_000, 795_000), sums("", 1_000_000, 800_000)],
    ["no codes at all", sums("", 0, 0), sums("", 0, 0)]
  ])("is none: %s", (_, now, before) => {
    expect(conversionFall(now, before)).toBeNull()
  })

  it("is named first where the most codes were lost by it", () => {
    const now = [sums("bale", 2000, 1200), sums("eitaa", 200, 60), sums("sms", 500, 450), sums("new", 500, 1)]
    const before = [sums("bale", 2000, 1600), sums("eitaa", 200, 160), sums("sms", 500, 450)]
    expect(fallenGroups(now, before).map(({ key }) => key)).toEqual(["bale", "eitaa"])
  })
})
