import { Context, type Effect } from "effect"
import type { Instant } from "../domain/Instant.ts"
import type { DueTimer, Lease, LeasedTimer, TimerKind } from "./Timers.ts"

/** The rows that say what is due when. */
export class TimerStore extends Context.Service<
  TimerStore,
  {
    /** Leases up to `limit` timers of these kinds that can be claimed now, the first claimable first. */
    readonly claim: (claim: {
      readonly kinds: ReadonlyArray<TimerKind>
      readonly limit: number
      readonly lease: Lease
      readonly now: Instant
    }) => Effect.Effect<ReadonlyArray<DueTimer>>
    /** When the next timer of these kinds can be claimed; null when there is none. */
    readonly nextClaimAt: (kinds: ReadonlyArray<TimerKind>) => Effect.Effect<Instant | null>
    /** Extends those leases that nobody has taken over, and returns their timers. */
    readonly renew: (
      timers: ReadonlyArray<LeasedTimer>,
      until: Instant
    ) => Effect.Effect<ReadonlyArray<LeasedTimer>>
    /** Gives a lease back, if nobody has taken it over: the timer can be claimed again at `dueAt`. */
    readonly release: (timer: LeasedTimer, dueAt: Instant) => Effect.Effect<void>
    /** Removes a timer, if nobody has taken its lease over. */
    readonly remove: (timer: LeasedTimer) => Effect.Effect<void>
  }
>()("peyk/services/TimerStore") {}
