import { Context, type Effect } from "effect"
import type { Instant } from "../../domain/Instant.ts"
import type { DueTimer, Lease, LeasedTimer, TimerKind } from "../../domain/Timer.ts"

interface ClaimRequest {
  readonly lease: Lease
  readonly now: Instant
}

/** Kinds that have permits in common, and how many of their timers may be claimed. */
interface ClaimGroup {
  readonly kinds: ReadonlyArray<TimerKind>
  readonly limit: number
}

export interface FairClaim {
  readonly due: ReadonlyArray<DueTimer>
  /** Some could be claimed now but found no room. */
  readonly someAreLeft: boolean
  /** Not all claimable timers were read. */
  readonly mayBeMore: boolean
}

/** The rows that show what is due when. */
export class TimerStore extends Context.Service<
  TimerStore,
  {
    /** Leases claimable timers of each group up to its limit, the first claimable first; no parked one. */
    readonly claim: (
      claim: ClaimRequest & { readonly groups: ReadonlyArray<ClaimGroup> }
    ) => Effect.Effect<ReadonlyArray<DueTimer>>
    /**
     * Leases from a backlog: each customer gets its share of the free permits. A customer's further timers are
     * parked, so that they do not delay others.
     */
    readonly claimFairly: (
      claim: ClaimRequest & {
        readonly kinds: ReadonlyArray<TimerKind>
        readonly free: number
        /** How many permits each customer holds already. */
        readonly holders: ReadonlyArray<readonly [customerId: number, permits: number]>
      }
    ) => Effect.Effect<FairClaim>
    /** Those of these kinds of which timers are parked, by any process. */
    readonly parkedKinds: (kinds: ReadonlyArray<TimerKind>) => Effect.Effect<ReadonlyArray<TimerKind>>
    /**
     * When the next timer of these kinds can be claimed; null without one. Parked timers count only if `withParked`
     * names their kind.
     */
    readonly nextClaimAt: (
      kinds: ReadonlyArray<TimerKind>,
      withParked: ReadonlyArray<TimerKind>
    ) => Effect.Effect<Instant | null>
    /** Extends those leases that no other process has taken over, and returns their timers. */
    readonly renew: (
      timers: ReadonlyArray<LeasedTimer>,
      until: Instant
    ) => Effect.Effect<ReadonlyArray<LeasedTimer>>
    /** Releases a lease, if no other process has taken it over: the timer can be claimed again at `dueAt`. */
    readonly release: (timer: LeasedTimer, dueAt: Instant) => Effect.Effect<void>
    /** Removes a timer, if no other process has taken its lease over. */
    readonly remove: (timer: LeasedTimer) => Effect.Effect<void>
  }
>()("peyk/services/timer/TimerStore") {}

/** Rounds of the whole installation, each kind with one timer. */
export const platformRounds = [
  "retention",
  "account_credits",
  "activity_sums",
  "alert_watch"
] as const satisfies ReadonlyArray<TimerKind>
type PlatformRound = (typeof platformRounds)[number]

export class PlatformTimers extends Context.Service<
  PlatformTimers,
  {
    /** Ensures that there is a timer; its first round is due now. */
    readonly schedule: (round: PlatformRound, now: Instant) => Effect.Effect<void>
  }
>()("peyk/services/timer/TimerStore/PlatformTimers") {}
