import { Clock, Context, Effect, Layer } from "effect"
import { MINUTE_MILLIS } from "../../domain/Instant.ts"
import type { DueTimer, LeasedTimer } from "../../domain/Timer.ts"
import { Accounts } from "./Accounts.ts"
import { Timers } from "../timer/Timers.ts"

/** How often providers are asked what is left to spend. */
const CREDIT_ROUND_MILLIS = 15 * MINUTE_MILLIS

/** Reads the remaining credit of each account from its provider, so that operators see early that one runs out. */
export class AccountCredits extends Context.Service<
  AccountCredits,
  { readonly runTimer: (timer: DueTimer) => Effect.Effect<void> }
>()("peyk/services/account/AccountCredits") {
  static readonly layer = Layer.effect(
    AccountCredits,
    Effect.gen(function* () {
      const accounts = yield* Accounts
      const timers = yield* Timers
      const moveOn = Effect.fnUntraced(function* (timer: LeasedTimer) {
        yield* timers.releaseUntil(timer, (yield* Clock.currentTimeMillis) + CREDIT_ROUND_MILLIS)
      })
      return AccountCredits.of({
        runTimer: (timer) => Effect.andThen(accounts.noteCredits, moveOn(timer))
      })
    })
  )
}
