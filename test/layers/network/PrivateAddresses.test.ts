import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { isPrivateAddress } from "../../../src/layers/network/PrivateAddresses.ts"
import { PUBLIC, PUBLIC_V6 } from "./PublicAddresses.ts"

/** Each range, with its first and its last address, and those just outside. */
const ranges: ReadonlyArray<readonly [string, ReadonlyArray<string>, ReadonlyArray<string>]> = [
  ["this network", ["0.0.0.0", "0.255.255.255"], ["1.0.0.0"]],
  ["private 10/8", ["10.0.0.0", "10.255.255.255"], ["9.255.255.255", "11.0.0.0"]],
  ["carrier-grade NAT", ["100.64.0.0", "100.127.255.255"], ["100.63.255.255", "100.128.0.0"]],
  ["loopback", ["127.0.0.0", "127.0.0.1", "127.255.255.255"], ["126.255.255.255", "128.0.0.0"]],
  ["link-local", ["169.254.0.0", "169.254.169.254", "169.254.255.255"], ["169.253.255.255", "169.255.0.0"]],
  ["private 172.16/12", ["172.16.0.0", "172.31.255.255"], ["172.15.255.255", "172.32.0.0"]],
  ["protocol assignments", ["192.0.0.0", "192.0.0.255"], ["191.255.255.255", "192.0.1.0"]],
  ["documentation 1", ["192.0.2.0", "192.0.2.255"], ["192.0.1.255", "192.0.3.0"]],
  ["6to4 relays", ["192.88.99.0", "192.88.99.255"], ["192.88.98.255", "192.88.100.0"]],
  ["private 192.168/16", ["192.168.0.0", "192.168.255.255"], ["192.167.255.255", "192.169.0.0"]],
  ["benchmarks", ["198.18.0.0", "198.19.255.255"], ["198.17.255.255", "198.20.0.0"]],
  ["documentation 2", ["198.51.100.0", "198.51.100.255"], ["198.51.99.255", "198.51.101.0"]],
  ["documentation 3", ["203.0.113.0", "203.0.113.255"], ["203.0.112.255", "203.0.114.0"]],
  [
    "multicast, reserved and broadcast",
    ["224.0.0.0", "239.255.255.255", "240.0.0.0", "255.255.255.255"],
    ["223.255.255.255"]
  ],
  ["IPv6 unspecified and loopback", ["::", "::1"], []],
  ["IPv4-compatible", ["::127.0.0.1", "::8.8.8.8"], []],
  ["IPv4-mapped", ["::ffff:127.0.0.1", "::ffff:7f00:1", "::ffff:10.0.0.1", "::ffff:8.8.8.8"], []],
  ["NAT64", ["64:ff9b::", "64:ff9b::7f00:1", "64:ff9b::8.8.8.8", "64:ff9b:1::a00:1"], []],
  ["discard", ["100::", "100::ffff"], []],
  ["Teredo and protocol assignments", ["2001::", "2001:1ff:ffff::1"], ["2001:200::", PUBLIC_V6]],
  [
    "IPv6 documentation 1",
    ["2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff"],
    ["2001:db7:ffff::", "2001:db9::"]
  ],
  ["6to4", ["2002::", "2002:7f00:1::", "2002:808:808::1", "2002:ffff::"], ["2001:ffff::", "2003::"]],
  ["IPv6 documentation 2", ["3fff::", "3fff:fff:ffff::"], ["3ffe:ffff::", "3fff:1000::"]],
  ["not global unicast", ["1fff:ffff::", "4000::", "5f00::1", "8000::1"], ["2000::", "3fff:ffff::"]],
  ["unique local", ["fc00::", "fc00::1", "fd12:3456::1", "fdff::"], []],
  ["IPv6 link-local", ["fe80::1", "fe80::1%eth0", "febf::"], []],
  ["site-local", ["fec0::1", "feff::"], []],
  ["IPv6 multicast", ["ff00::", "ff02::1", "ffff::"], []]
]

const octet = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 255 })))

describe("an address", () => {
  it.each(ranges)("of %s is private, and its neighbours are not", (_, inside, outside) => {
    for (const address of inside) assert.isTrue(isPrivateAddress(address), address)
    for (const address of outside) assert.isFalse(isPrivateAddress(address), address)
  })

  it.each([
    "1.1.1.1",
    "8.8.8.8",
    PUBLIC,
    "5.160.1.1",
    "2001:4860:4860::8888",
    "2a00:1450:4001::1",
    PUBLIC_V6
  ])("%s of the public internet is not private", (address) => {
    assert.isFalse(isPrivateAddress(address))
    assert.isFalse(isPrivateAddress(address.toUpperCase()))
  })

  it.each([
    "",
    "localhost",
    "example.com",
    "127.1",
    "0x7f000001",
    "2130706433",
    "1.2.3",
    "1.1.1.1.1",
    "01.1.1.1",
    "1.1.1.1:80",
    " 1.1.1.1",
    "[2606:4700::1]"
  ])("%j is none, and counts as private", (text) => {
    assert.isTrue(isPrivateAddress(text))
  })

  it.prop(
    "of IPv4 is private in whatever form IPv6 holds it, as mapped, compatible, NAT64 and 6to4",
    [Arbitrary.array(octet, { minLength: 4, maxLength: 4 })],
    ([octets]) => {
      const hex = octets.map((value) => value.toString(16).padStart(2, "0")).join("")
      const [high, low] = [hex.slice(0, 4), hex.slice(4)]
      const dotted = octets.join(".")
      for (const address of [
        `::ffff:${dotted}`,
        `::${high}:${low}`,
        `64:ff9b::${dotted}`,
        `2002:${high}:${low}::1`
      ]) {
        assert.isTrue(isPrivateAddress(address), address)
      }
    }
  )
})
