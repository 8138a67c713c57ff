import { Context, type Effect } from "effect"
import type { Instant } from "../../domain/Instant.ts"
import type { TimerKind } from "../../domain/Timer.ts"

/** Rounds of the whole installation, each kind with one timer. */
export const platformRounds = [
  "retention",
  "account_credits",
  "activity_sums"
] as const satisfies ReadonlyArray<TimerKind>
export type PlatformRound = (typeof platformRounds)[number]

export class PlatformTimers extends Context.Service<
  PlatformTimers,
  {
    /** Ensures that there is a timer; its first round is due now. */
    readonly schedule: (round: PlatformRound, now: Instant) => Effect.Effect<void>
  }
>()("peyk/services/timer/PlatformTimers") {}
