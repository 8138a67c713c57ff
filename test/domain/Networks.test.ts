import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { isIP } from "node:net"
import { guardNetwork, ipFamily, plainAddress, signInNetwork } from "../../src/domain/Networks.ts"

const group = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 0xffff })))

describe("the address that a proxy names", () => {
  it.each([
    [" ::ffff:203.0.113.7", "203.0.113.7"],
    ["203.0.113.7:5060", "203.0.113.7"],
    ["[2001:db8::1]:443", "2001:db8::1"],
    ["[2001:db8::1]", "2001:db8::1"],
    ["2001:db8::1", "2001:db8::1"]
  ])("is, of %s, %s", (given, address) => assert.strictEqual(plainAddress(given), address))
})

describe("the family of an address", () => {
  it.each([
    "1.2.3.4",
    "0.0.0.0",
    "255.255.255.255",
    "256.1.1.1",
    "1.2.3",
    "01.2.3.4",
    "1.2.3.4.",
    "1.2.3.4.5",
    "",
    "a",
    "::",
    "::1",
    "1::",
    "2001:db8::1",
    "1:2:3:4:5:6:7:8",
    "1:2:3:4:5:6:7:8:9",
    "::ffff:1.2.3.4",
    "::ffff:1.2.3.444",
    "1:2:3:4:5:6:7::",
    "g::1",
    "1::2::3",
    "12345::",
    ":1",
    "[::1]",
    "1:2:3:4:5:6:1.2.3.4"
  ])("is, of %j, what Node finds", (text) => assert.strictEqual(ipFamily(text), isIP(text) || null))
})

describe("the network of an address", () => {
  it.prop(
    "of IPv6 is its first half, however it is written",
    [Arbitrary.array(group, { minLength: 8, maxLength: 8 })],
    ([groups]) => {
      const hex = [0x2001, ...groups.slice(1)].map((each) => each.toString(16))
      const padded = hex.map((each) => each.padStart(4, "0").toUpperCase())
      const expected = `${hex.slice(0, 4).join(":")}::/64`
      for (const network of [signInNetwork, guardNetwork]) {
        assert.strictEqual(network(hex.join(":")), expected)
        assert.strictEqual(network(padded.join(":")), expected)
      }
    }
  )

  it.each([
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["::1", "0:0:0:0::/64"],
    ["fe80::1%eth0", "fe80:0:0:0::/64"],
    ["192.0.2.7", "192.0.2.7"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["::FFFF:c000:207", "192.0.2.7"]
  ])("in which sign-ins are counted is, of %s, %s", (address, network) =>
    assert.strictEqual(signInNetwork(address), network)
  )

  it.each(["unknown", "unknown:1", "192.0.2.7:5060", "1:2:3", "::12345", "1:2:3:4:5:6:7:8:9", "::g"])(
    "in which sign-ins are counted is, of %s, that text: a proxy can send any",
    (text) => assert.strictEqual(signInNetwork(text), text)
  )

  it.each([
    ["2001:db8::1", "2001:db8:0:0::/64"],
    ["192.0.2.7", "192.0.2.0/24"],
    ["::ffff:192.0.2.7", "192.0.2.0/24"],
    ["0:0:0:0:0:ffff:c000:207", "192.0.2.0/24"]
  ])("that the guard counts is, of %s, %s", (address, network) =>
    assert.strictEqual(guardNetwork(address), network)
  )
})
