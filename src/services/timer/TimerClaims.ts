import { Clock, Effect } from "effect"
import { withoutSpans } from "../metrics/Spans.ts"
import { type Backlog, type ClaimingRoom, type Pool, TimerPools } from "./TimerPools.ts"
import type { DueTimer, TimerKind } from "../../domain/Timer.ts"
import { Timers } from "./Timers.ts"
import { TimerStore } from "./TimerStore.ts"

/** If one customer may take fewer than this at once, shares apply. */
const LEAST_IN_ORDER = 16
/** Other processes may have parked timers for which this one has room. */
const LOOK_FOR_PARKED_MILLIS = 5000

const NO_TIMERS: ReadonlyArray<DueTimer> = []

/** In any order, this many at most are within the share of any customer. */
const mostInOrder = ({ free, holders }: Pick<ClaimingRoom, "free" | "holders">): number => {
  const most = holders.reduce((all, [, places]) => Math.max(all, places), 0)
  return Math.floor((free + 1 - most) / 2)
}

/** Claims a pool's due timers: in order of time, or by shares of customers if one of them has too many due. */
export const makeTimerClaims = Effect.gen(function* () {
  const store = yield* TimerStore
  const timers = yield* Timers
  const pools = yield* TimerPools
  const lookedForParkedAt = new Map<Pool, number>()

  const byShares = Effect.fnUntraced(function* (
    kinds: ReadonlyArray<TimerKind>,
    { free, holders }: Pick<ClaimingRoom, "free" | "holders">
  ) {
    const lease = yield* timers.newLease
    const now = yield* Clock.currentTimeMillis
    const { due, someAreLeft, mayBeMore } = yield* store.claimFairly({ kinds, free, holders, lease, now })
    const backlog: Backlog = someAreLeft ? "held back" : mayBeMore ? "some" : "none"
    return { due, mayBeMore, backlog }
  })

  const inOrder = Effect.fnUntraced(function* (kinds: ReadonlyArray<TimerKind>, limit: number) {
    const lease = yield* timers.newLease
    const due = yield* store.claim({ kinds, limit, lease, now: yield* Clock.currentTimeMillis })
    const mayBeMore = due.length === limit
    const backlog: Backlog = mayBeMore ? "some" : "none"
    return { due, mayBeMore, backlog }
  })

  const mayHaveParked = (pool: Pool, now: number) => {
    const lookAgainAt = (lookedForParkedAt.get(pool) ?? Number.NEGATIVE_INFINITY) + LOOK_FOR_PARKED_MILLIS
    if (pools.backlog(pool) === "none" && now < lookAgainAt) return false
    lookedForParkedAt.set(pool, now)
    return true
  }

  return {
    /** Among all due timers, of any customer. */
    byShares: (kinds: ReadonlyArray<TimerKind>, free: number) =>
      withoutSpans(byShares(kinds, { free, holders: [] })),

    /** Claims as much as this process has room for; `mayBeMore`: claim again at once. */
    ofPool: Effect.fnUntraced(function* (pool: Pool, kinds: ReadonlyArray<TimerKind>) {
      const claiming = pools.tryClaim(pool)
      if (claiming === null) return { due: NO_TIMERS, mayBeMore: false }
      const limit = mostInOrder(claiming)
      const now = yield* Clock.currentTimeMillis
      const isFair = mayHaveParked(pool, now) || limit < LEAST_IN_ORDER
      const claim = isFair ? byShares(kinds, claiming) : inOrder(kinds, limit)
      const { due, mayBeMore, backlog } = yield* Effect.onError(withoutSpans(claim), () =>
        Effect.sync(() => claiming.settle([], "held back"))
      )
      claiming.settle(
        due.map(({ customerId }) => customerId),
        backlog
      )
      return { due, mayBeMore }
    })
  }
})
