import { Context, type Effect } from "effect"
import type { Instant } from "../../domain/Instant.ts"
import type { DueTimer, Lease, LeasedTimer, TimerKind } from "../../domain/Timer.ts"

interface ClaimRequest {
  readonly kinds: ReadonlyArray<TimerKind>
  readonly lease: Lease
  readonly now: Instant
}

export interface FairClaim {
  readonly due: ReadonlyArray<DueTimer>
  /** Some could be claimed now and were not, for want of room. */
  readonly someAreLeft: boolean
  /** Not all that can be claimed now was looked at. */
  readonly mayBeMore: boolean
}

/** The rows that say what is due when. */
export class TimerStore extends Context.Service<
  TimerStore,
  {
    /** Leases up to `limit` timers of these kinds that can be claimed now, the first claimable first; none that is parked. */
    readonly claim: (
      claim: ClaimRequest & { readonly limit: number }
    ) => Effect.Effect<ReadonlyArray<DueTimer>>
    /**
     * The same for a backlog: of each customer within its share of the free places. More of one customer are parked, out of
     * the way of the others.
     */
    readonly claimFairly: (
      claim: ClaimRequest & {
        readonly free: number
        /** How many places each customer holds already. */
        readonly holders: ReadonlyArray<readonly [customerId: number, places: number]>
      }
    ) => Effect.Effect<FairClaim>
    /**
     * When the next timer of these kinds can be claimed; null when there is none. Of those that were parked only where
     * `withParked` names their kind, too.
     */
    readonly nextClaimAt: (
      kinds: ReadonlyArray<TimerKind>,
      withParked: ReadonlyArray<TimerKind>
    ) => Effect.Effect<Instant | null>
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
>()("peyk/services/timer/TimerStore") {}
