import { Context, Effect, Hash, Layer } from "effect"
import { type Actor, credentialOf } from "../../domain/user/Actor.ts"
import type { TooManyRequestsApiKey } from "../../domain/Errors.ts"
import { type Allowance, KeyWindowStore, makeRequestWindows } from "../customer/RequestWindows.ts"
import { Settings } from "../Settings.ts"

/** Management requests per minute of a token or a session, over all processes. */
export class CredentialLimits extends Context.Service<
  CredentialLimits,
  {
    /** Counts one request; null if there is no limit. */
    readonly admit: (actor: Actor) => Effect.Effect<Allowance | null, TooManyRequestsApiKey>
  }
>()("peyk/services/access/CredentialLimits") {
  static readonly layer = Layer.effect(
    CredentialLimits,
    Effect.gen(function* () {
      const { manageMinuteLimit } = yield* Settings
      const store = yield* KeyWindowStore
      const admit = yield* makeRequestWindows(store.takeOfCredential, (credential: string) =>
        Math.abs(Hash.string(credential))
      )
      return CredentialLimits.of({ admit: (actor) => admit(credentialOf(actor), manageMinuteLimit) })
    })
  )
}
