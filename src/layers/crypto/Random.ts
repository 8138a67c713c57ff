import { Effect, Layer } from "effect"
import { Digest, SecureRandom } from "effect/crypto"
import { hash, randomFillSync } from "node:crypto"

const SECRET_BYTES = 32

/** The random part of a key, a token or a session: 256 bits. */
export const randomPart = (random: SecureRandom.SecureRandom["Service"]) =>
  Effect.map(random.randomBytes(SECRET_BYTES), (bytes) => Buffer.from(bytes).toString("base64url"))

/** What is stored of a secret with such a part. */
export const hashSecret = (secret: string): Buffer => hash("sha256", secret, "buffer")

/** The cache key of a secret: the memory never contains the secret itself. */
export const cacheKeyOf = (secret: string): string => hash("sha256", secret, "hex")

const POOL_BYTES = 8192

/** Each byte is used once, and wiped from the pool. */
const makePooledBytes = () => {
  const pool = new Uint8Array(POOL_BYTES)
  let used = POOL_BYTES
  return (size: number): Uint8Array => {
    if (size > POOL_BYTES) return randomFillSync(new Uint8Array(size))
    if (used + size > POOL_BYTES) {
      randomFillSync(pool)
      used = 0
    }
    const bytes = pool.slice(used, used + size)
    pool.fill(0, used, used + size)
    used += size
    return bytes
  }
}

/** If the clock is set back by less, ids stay in order, and are ahead of the clock for that long. */
const MAX_AHEAD_MILLIS = 1000

/**
 * The CSPRNG, read in large blocks: a call costs microseconds whatever its size, and a send needs half a dozen ids.
 * The generator's ids never go back in time. After a clock that was an hour ahead, they would be an hour ahead for an
 * hour, and searches by time would not find their rows. So a clock that is set back gets a new generator.
 */
export const PooledRandom = Layer.sync(SecureRandom.SecureRandom, () => {
  const bytes = makePooledBytes()
  const first = SecureRandom.make(bytes)
  let current = first
  let latest = 0

  const generatorAt = (now: number) => {
    if (now < latest - MAX_AHEAD_MILLIS) {
      current = SecureRandom.make(bytes)
      latest = now
    }
    latest = Math.max(latest, now)
    return current
  }
  const uuidV7 = (options?: { readonly format?: "string" }) =>
    Effect.clockWith((clock) => generatorAt(clock.currentTimeMillisUnsafe()).uuidV7(options))
  return { ...first, uuidV7: uuidV7 as typeof first.uuidV7 }
})

/** Hashes in one call, without an object for each: for the small texts that identify requests. */
export const OneShotDigest = Layer.succeed(
  Digest.Digest,
  Digest.Digest.of({
    digest: ({ name }, data) => Effect.sync(() => Buffer.from(hash(name, data, "latin1"), "latin1")),
    digestHex: ({ name }, data) => Effect.sync(() => hash(name, data, "hex"))
  })
)
