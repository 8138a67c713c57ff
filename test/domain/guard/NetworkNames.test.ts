import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { addressesIn, MAX_NAMED, parseNetworkNames } from "../../../src/domain/guard/NetworkNames.ts"

const problemOf = (text: string): string =>
  Result.getOrElse(Result.flip(parseNetworkNames(text)), () => "none")

describe("a file of networks' names", () => {
  it("has a network and a name a line, and comments; the narrowest network is the last", () => {
    const text =
      "\uFEFF# ours\r\n203.0.113.0/24  The office\r\n\r\n5.200.0.0/16 AS44244 Irancell\n2001:db8::/32\tAn ISP\n"
    assert.deepStrictEqual(Result.getOrThrow(parseNetworkNames(text)), [
      { network: "2001:db8::/32", name: "An ISP" },
      { network: "5.200.0.0/16", name: "AS44244 Irancell" },
      { network: "203.0.113.0/24", name: "The office" }
    ])
  })

  it.each([
    ["5.200.0.0/16", "a network and its name are expected"],
    ["5.200.0.0 Irancell", "is no network"],
    ["5.200.0.300/16 Irancell", "is no network"],
    ["5.200.0.0/16/2 Irancell", "is no network"],
    ["5.200.0.0/-8 Irancell", "is no network"],
    ["Irancell 5.200.0.0/16", "is no network"],
    ["203.0.113.7/32 The office", "from /8 to /24"],
    ["0.0.0.0/0 Everybody", "from /8 to /24"],
    ["2001:db8::/64 A home", "from /29 to /48"],
    [`203.0.113.0/24 ${"x".repeat(81)}`, "longer than 80"],
    ["203.0.113.0/24 a\u0007b", "control character"]
  ])("refuses the line %j by its number", (line, reason) => {
    const problem = problemOf(`# a comment\n${line}\n`)
    assert.include(problem, "line 2: ")
    assert.include(problem, reason)
  })

  it("refuses more than is bounded", () => {
    assert.include(problemOf("203.0.113.0/24 x\n".repeat(MAX_NAMED + 1)), `line ${MAX_NAMED + 1}: more than`)
    assert.include(problemOf("5.0.0.0/8 x\n6.0.0.0/8 y\n"), "line 2: the networks up to here have more than")
    assert.include(problemOf("#".repeat(2_000_001)), "longer than")
  })
})

describe("the networks that the guard counts", () => {
  it.each([
    ["203.0.113.0/24", ["203.0.113.0"]],
    ["203.0.115.9/23", ["203.0.114.0", "203.0.115.0"]],
    ["2001:db8:7::/48", ["2001:db8:7::"]],
    ["2001:db8:7:9::/47", ["2001:db8:6::", "2001:db8:7::"]]
  ])("of %s are %j", (network, addresses) => {
    assert.deepStrictEqual(addressesIn({ network }), addresses)
  })

  it("of a /16 are 256", () => assert.lengthOf(addressesIn({ network: "5.200.0.0/16" }), 256))
})
