import { Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { inStripe, WALLET_STRIPES } from "../domain/money/Charging.ts"

/**
 * Ids (UUIDv7) for sends. Sends accepted together use the same stripe of a wallet, one row. The next ones use another
 * stripe, so they do not wait until the first outcomes are written.
 */
export class SubjectIds extends Context.Service<
  SubjectIds,
  {
    readonly next: Effect.Effect<string>
    /** The sends with the ids so far are being accepted: the next ids use another stripe. */
    readonly turn: () => void
  }
>()("peyk/services/SubjectIds") {
  /** Other processes most probably begin with another stripe. */
  static readonly layer = Layer.effect(
    SubjectIds,
    Effect.gen(function* () {
      const random = yield* SecureRandom.SecureRandom
      let stripe = yield* random.intBetween(0, WALLET_STRIPES, { halfOpen: true })
      return SubjectIds.of({
        next: Effect.map(random.uuidV7(), (id) => inStripe(id, stripe)),
        turn: () => {
          stripe = (stripe + 1) % WALLET_STRIPES
        }
      })
    })
  )
}
