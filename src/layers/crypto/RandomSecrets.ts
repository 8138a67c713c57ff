import { Effect } from "effect"
import type { SecureRandom } from "effect/crypto"
import { hash } from "node:crypto"

const SECRET_BYTES = 32

/** The random part of a key, a token or a session: 256 bits. */
export const randomPart = (random: SecureRandom.SecureRandom["Service"]) =>
  Effect.map(random.randomBytes(SECRET_BYTES), (bytes) => Buffer.from(bytes).toString("base64url"))

/** What is stored of a secret with such a part. */
export const hashSecret = (secret: string): Buffer => hash("sha256", secret, "buffer")

/** The cache key of a secret: the memory never contains the secret itself. */
export const cacheKeyOf = (secret: string): string => hash("sha256", secret, "hex")
