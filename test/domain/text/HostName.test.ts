import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { HostName } from "../../../src/domain/text/HostName.ts"

const isHostName = Schema.is(HostName)
const LABEL = "a".repeat(63)

describe("a host name", () => {
  it.each([
    "example.com",
    "example.ir",
    "www.shop.example.co.ir",
    "a.b",
    "1.example",
    "x--y.example",
    "xn--mgba3a4f16a.ir",
    "9digits-first.example",
    `${LABEL}.${LABEL}.com`
  ])("may be %s", (name) => {
    assert.isTrue(isHostName(name))
  })

  it.each([
    ["is empty", ""],
    ["has one label", "localhost"],
    ["has a capital letter", "Example.com"],
    ["has a scheme", "https://example.com"],
    ["has a port", "example.com:443"],
    ["has a path", "example.com/login"],
    ["has a final dot", "example.com."],
    ["has a first dot", ".example.com"],
    ["has an empty label", "example..com"],
    ["has a label that begins with a hyphen", "-a.example.com"],
    ["has a label that ends with a hyphen", "a-.example.com"],
    ["has a last label that ends with a hyphen", "example.com-"],
    ["has an underscore", "a_b.example.com"],
    ["has a space", "example .com"],
    ["is followed by a line", "example.com\n"],
    ["is preceded by a line", "\nexample.com"],
    ["has two lines", "example.com\n@evil.example #123456"],
    ["has a wildcard", "*.example.com"],
    ["has a user", "user@example.com"],
    ["has Persian letters", "نمونه.ایران"],
    ["has a Cyrillic letter that looks Latin", "ex\u0430mple.com"],
    ["has a full-width dot", "example\uff0ecom"],
    ["has a placeholder", "{{code}}.example.com"],
    ["has a label of 64 characters", `${LABEL}a.com`]
  ])("is refused when it %s", (_, name) => {
    assert.isFalse(isHostName(name))
  })

  it("may have 253 characters, and no more", () => {
    const longest = `${LABEL}.${LABEL}.${LABEL}.${"a".repeat(61)}`
    assert.strictEqual(longest.length, 253)
    assert.isTrue(isHostName(longest))
    assert.isFalse(isHostName(`${longest}a`))
  })

  it("is refused quickly however it is made", () => {
    assert.isFalse(isHostName(`${"a-".repeat(100_000)}!`))
    assert.isFalse(isHostName(`${"a.".repeat(126)}!`))
  })

  it.prop(
    "can be put into a URL and comes out as it was",
    [Arbitrary.schema(HostName)],
    ([name]) => {
      // a last label of digits alone makes it an IPv4 address there
      if (/\.[0-9]+$|\.0x[0-9a-f]*$|xn--/.test(name)) return
      assert.strictEqual(new URL(`https://${name}/`).host, name)
    },
    { arbitrary: { runs: 300 } }
  )
})
