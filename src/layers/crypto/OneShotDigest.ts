import { Effect, Layer } from "effect"
import { Digest } from "effect/crypto"
import { hash } from "node:crypto"

/** Hashes in one call, without an object for each: for the small texts that identify requests. */
export const OneShotDigest = Layer.succeed(
  Digest.Digest,
  Digest.Digest.of({
    digest: ({ name }, data) => Effect.sync(() => Buffer.from(hash(name, data, "latin1"), "latin1")),
    digestHex: ({ name }, data) => Effect.sync(() => hash(name, data, "hex"))
  })
)
