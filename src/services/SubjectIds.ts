import { Effect } from "effect"
import type { SecureRandom } from "effect/crypto"
import { inStripe, WALLET_STRIPES } from "../domain/Charging.ts"

/**
 * Ids (UUIDv7) for what is sent. All that one maker makes is paid from the same stripe of a wallet: what a process accepts
 * at once changes one row, and another process most probably another one.
 */
export const makeSubjectIds = (
  random: SecureRandom.SecureRandom["Service"]
): Effect.Effect<Effect.Effect<string>> =>
  Effect.map(random.intBetween(0, WALLET_STRIPES, { halfOpen: true }), (stripe) =>
    Effect.map(random.uuidV7(), (id) => inStripe(id, stripe))
  )
