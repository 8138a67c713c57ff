import { Context, Effect, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import { inStripe, WALLET_STRIPES } from "../domain/money/Charging.ts"

/**
 * Ids (UUIDv7) for what is sent. What is accepted together is paid from the same stripe of a wallet, one row; what is
 * accepted next from another, so that it need not wait until the outcomes of the first are written.
 */
export class SubjectIds extends Context.Service<
  SubjectIds,
  {
    readonly next: Effect.Effect<string>
    /** What had its id until now is being accepted. */
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
