import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { createHmac } from "node:crypto"
import { oneShotMac } from "../../../src/layers/crypto/Crypto.ts"

const key = Uint8Array.from({ length: 32 }, (_, index) => index * 7)
const mac = oneShotMac(key)
const byNode = (text: string) => createHmac("sha256", key).update(text).digest("hex")

describe("a one-shot MAC", () => {
  it.prop("is HMAC-SHA256 of any text", { text: Arbitrary.schema(Schema.String) }, ({ text }) => {
    assert.strictEqual(mac(text).toString("hex"), byNode(text))
  })

  it("is HMAC-SHA256 of texts around the size of its scratch, and of short ones after them", () => {
    for (const length of [341, 342, 1023, 1024, 1025, 5000, 3, 0]) {
      for (const letter of ["a", "ک", "😀"]) {
        assert.strictEqual(mac(letter.repeat(length)).toString("hex"), byNode(letter.repeat(length)))
      }
    }
  })

  it("is not changed by the next one", () => {
    const first = mac("first")
    mac("second")
    assert.strictEqual(first.toString("hex"), byNode("first"))
  })
})
