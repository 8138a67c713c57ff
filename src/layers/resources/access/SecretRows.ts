import { Effect, Schema } from "effect"
import type { SecureRandom } from "effect/crypto"
import { InstantColumn } from "../../postgres/SqlRows.ts"

const SECRET_BYTES = 32

/** The times in the row of a key or a token. */
export const secretTimes = {
  createdAt: InstantColumn,
  expiresAt: Schema.NullOr(InstantColumn),
  revokedAt: Schema.NullOr(InstantColumn),
  lastUsedAt: Schema.NullOr(InstantColumn)
}

/** The random part of a key or a token: 256 bits. */
export const randomPart = (random: SecureRandom.SecureRandom["Service"]) =>
  Effect.map(random.randomBytes(SECRET_BYTES), (bytes) => Buffer.from(bytes).toString("base64url"))
