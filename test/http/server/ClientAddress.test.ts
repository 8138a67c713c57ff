import { assert, describe, it } from "@effect/vitest"
import { Option } from "effect"
import { clientAddress } from "../../../src/http/server/ClientAddress.ts"

const forwarded = (path: string) => ({
  headers: { "x-forwarded-for": path },
  remoteAddress: Option.some("::ffff:10.0.0.9")
})

describe("the address of a client", () => {
  it("is the one that the trusted proxy appended", () => {
    assert.strictEqual(clientAddress(forwarded("198.51.100.1, 203.0.113.7"), 1), "203.0.113.7")
  })

  it.each(["10.0.0.1, ::ffff:203.0.113.7", "10.0.0.1,::ffff:203.0.113.7", "::FFFF:203.0.113.7 "])(
    "is plain IPv4, even if it is in IPv6 form in %j",
    (path) => assert.strictEqual(clientAddress(forwarded(path), 1), "203.0.113.7")
  )

  it("without a trusted proxy is the connection's", () => {
    assert.strictEqual(clientAddress(forwarded("203.0.113.7"), 0), "10.0.0.9")
  })
})
