import { Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { randomFillSync } from "node:crypto"

const POOL_BYTES = 8192

/**
 * The CSPRNG, read in large blocks: a call costs microseconds whatever its size, and a send needs half a dozen ids.
 * Each byte is used once, and wiped from the pool.
 */
export const PooledRandom = Layer.sync(SecureRandom.SecureRandom, () => {
  const pool = new Uint8Array(POOL_BYTES)
  let used = POOL_BYTES
  return SecureRandom.make((size) => {
    if (size > POOL_BYTES) return randomFillSync(new Uint8Array(size))
    if (used + size > POOL_BYTES) {
      randomFillSync(pool)
      used = 0
    }
    const bytes = pool.slice(used, used + size)
    pool.fill(0, used, used + size)
    used += size
    return bytes
  })
})
