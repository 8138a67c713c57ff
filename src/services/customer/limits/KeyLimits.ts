import { Context, Effect, Layer } from "effect"
import type { Principal } from "../../../domain/people/Customer.ts"
import type { TooManyRequestsApiKey } from "../../../domain/Errors.ts"
import { KeyWindowStore } from "./KeyWindowStore.ts"
import { type Allowance, makeRequestWindows } from "./RequestWindows.ts"
import { Settings } from "../../Settings.ts"

/** Requests per minute of a service key, over all processes. */
export class KeyLimits extends Context.Service<
  KeyLimits,
  {
    /** Counts one request; null for a key without a limit. */
    readonly admit: (principal: Principal) => Effect.Effect<Allowance | null, TooManyRequestsApiKey>
  }
>()("peyk/services/customer/limits/KeyLimits") {
  static readonly layer = Layer.effect(
    KeyLimits,
    Effect.gen(function* () {
      const settings = yield* Settings
      const store = yield* KeyWindowStore
      const admit = yield* makeRequestWindows(store.take, (keyId: number) => keyId)
      return KeyLimits.of({
        admit: ({ keyId, requestsPerMinute }) => admit(keyId, requestsPerMinute ?? settings.keyMinuteLimit)
      })
    })
  )
}
