import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { Digest } from "effect/crypto"
import { OneShotDigest } from "../../../src/layers/crypto/Crypto.ts"

// FIPS 180-2, B.1
const ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"

describe("a digest", () => {
  it.effect("is the algorithm's, as bytes and as text", () =>
    Effect.gen(function* () {
      const { digest, digestHex } = yield* Digest.Digest
      const abc = new TextEncoder().encode("abc")
      assert.strictEqual(Buffer.from(yield* digest(Digest.sha256, abc)).toString("hex"), ABC)
      assert.strictEqual(yield* digestHex(Digest.sha256, abc), ABC)
    }).pipe(Effect.provide(OneShotDigest))
  )
})
