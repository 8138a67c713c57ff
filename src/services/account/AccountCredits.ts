import { Clock, Context, Effect, Layer } from "effect"
import { CREDIT_ROUND_MILLIS } from "../../domain/Schedules.ts"
import type { DueTimer, LeasedTimer } from "../../domain/Timer.ts"
import { Accounts } from "../resources/accounts/Accounts.ts"
import { Timers } from "../timer/Timers.ts"

/** Asks providers regularly for the remaining credit of each account, so that operators see early that one runs out. */
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
