import { Context, Effect, Layer } from "effect"
import type { Instant } from "../domain/Instant.ts"
import type { ProviderOutcome } from "../domain/ProviderOutcome.ts"
import type { RouteAccount } from "../domain/RouteAccount.ts"

/** The right to send once over one of the accounts asked for, or when the earliest of them may send. */
export type Slot =
  | { readonly _tag: "Taken"; readonly index: number }
  | { readonly _tag: "FreeAt"; readonly at: Instant }

/** When each sending account may send. */
export class AccountSlots extends Context.Service<
  AccountSlots,
  {
    /** Takes a slot of the first of these accounts that may send at `now`. */
    readonly take: (accounts: ReadonlyArray<RouteAccount>, now: Instant) => Effect.Effect<Slot>
    /** What a send came to: an account that fails, or is told to slow down, rests. */
    readonly report: (account: RouteAccount, outcome: ProviderOutcome, now: Instant) => Effect.Effect<void>
  }
>()("peyk/services/AccountSlots") {
  /** Every account may always send. */
  static readonly layerUnlimited = Layer.succeed(
    AccountSlots,
    AccountSlots.of({
      take: () => Effect.succeed({ _tag: "Taken", index: 0 }),
      report: () => Effect.void
    })
  )
}
