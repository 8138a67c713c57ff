import { Context, type Effect } from "effect"
import type { Instant } from "../domain/Verification.ts"
import type { DueTimer, Lease, TimerRef } from "./Timers.ts"

/** The rows that say what is due when. */
export class TimerStore extends Context.Service<
  TimerStore,
  {
    /** Leases up to `limit` due timers to this process, the longest due first. */
    readonly claim: (limit: number, lease: Lease, now: Instant) => Effect.Effect<ReadonlyArray<DueTimer>>
    /** When the next timer can be claimed; null when there is none. */
    readonly nextClaimAt: Effect.Effect<Instant | null>
    /** Extends those leases that this process still holds. */
    readonly renew: (timers: ReadonlyArray<TimerRef>, lease: Lease) => Effect.Effect<void>
    /** Gives back a lease that this process still holds: the timer is due again at `dueAt`. */
    readonly release: (timer: TimerRef, lease: Lease, dueAt: Instant) => Effect.Effect<void>
    readonly remove: (timer: TimerRef) => Effect.Effect<void>
  }
>()("peyk/services/TimerStore") {}
