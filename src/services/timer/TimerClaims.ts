import { Clock, Effect } from "effect"
import { withoutSpans } from "../metrics/Spans.ts"
import type { Instant } from "../../domain/Instant.ts"
import type { DueTimer, TimerKind } from "../../domain/Timer.ts"
import {
  type Backlog,
  type ClaimingRoom,
  type Pool,
  poolOf,
  type PoolRoom,
  TimerPools
} from "./TimerPools.ts"
import { Timers } from "./Timers.ts"
import { TimerStore } from "./TimerStore.ts"

/** If one customer may take fewer than this at once, shares apply. */
const LEAST_IN_ORDER = 16
/** Other processes may have parked timers for which this one has room. */
const LOOK_FOR_PARKED_MILLIS = 5000

export interface PoolKinds {
  readonly pool: Pool
  readonly kinds: ReadonlyArray<TimerKind>
}

export interface Claimed {
  readonly due: ReadonlyArray<DueTimer>
  /** Claim again at once. */
  readonly mayBeMore: boolean
}

const NOTHING: Claimed = { due: [], mayBeMore: false }

/** In any order, this many at most are within the share of any customer. */
const mostInOrder = ({ free, holders }: PoolRoom): number => {
  const most = holders.reduce((all, [, places]) => Math.max(all, places), 0)
  return Math.floor((free + 1 - most) / 2)
}

/**
 * Claims due timers: those of all pools in order of time, in one statement. Where one customer has too many due, those of
 * that pool by shares of customers.
 */
export const makeTimerClaims = Effect.gen(function* () {
  const store = yield* TimerStore
  const timers = yield* Timers
  const pools = yield* TimerPools
  const lookedForParkedAt = new Map<Pool, number>()

  const byShares = Effect.fnUntraced(function* (
    kinds: ReadonlyArray<TimerKind>,
    { free, holders }: PoolRoom
  ) {
    const lease = yield* timers.newLease
    const now = yield* Clock.currentTimeMillis
    const { due, someAreLeft, mayBeMore } = yield* store.claimFairly({ kinds, free, holders, lease, now })
    const backlog: Backlog = someAreLeft ? "held back" : mayBeMore ? "some" : "none"
    return { due, mayBeMore, backlog }
  })

  const mayHaveParked = (pool: Pool, now: Instant) => {
    const lookAgainAt = (lookedForParkedAt.get(pool) ?? Number.NEGATIVE_INFINITY) + LOOK_FOR_PARKED_MILLIS
    if (pools.backlog(pool) === "none" && now < lookAgainAt) return false
    lookedForParkedAt.set(pool, now)
    return true
  }

  const needsShares = (pool: Pool): boolean =>
    pools.backlog(pool) !== "none" || mostInOrder(pools.room(pool)) < LEAST_IN_ORDER

  const settleAsFailed = (rooms: ReadonlyArray<ClaimingRoom>) =>
    Effect.sync(() => rooms.forEach(({ settle }) => settle([], "held back")))

  const inOrder = Effect.fnUntraced(function* (wanted: ReadonlyArray<PoolKinds>) {
    const groups = wanted.flatMap(({ pool, kinds }) => {
      const claiming = pools.tryClaim(pool)
      // Others may have entered since the pool was found to need no shares.
      return claiming === null ? [] : [{ pool, kinds, claiming, limit: Math.max(1, mostInOrder(claiming)) }]
    })
    if (groups.length === 0) return NOTHING
    const due = yield* Effect.gen(function* () {
      const lease = yield* timers.newLease
      return yield* store.claim({ groups, lease, now: yield* Clock.currentTimeMillis })
    }).pipe(
      withoutSpans,
      Effect.onError(() => settleAsFailed(groups.map(({ claiming }) => claiming)))
    )
    const full = groups.filter(({ pool, claiming, limit }) => {
      const customerIds = due.flatMap(({ kind, customerId }) => (poolOf[kind] === pool ? [customerId] : []))
      const mayBeMore = customerIds.length === limit
      claiming.settle(customerIds, mayBeMore ? "some" : "none")
      return mayBeMore
    })
    return { due, mayBeMore: full.length > 0 }
  })

  const fairly = Effect.fnUntraced(function* ({ pool, kinds }: PoolKinds) {
    const claiming = pools.tryClaim(pool)
    if (claiming === null) return NOTHING
    const { due, mayBeMore, backlog } = yield* Effect.onError(withoutSpans(byShares(kinds, claiming)), () =>
      settleAsFailed([claiming])
    )
    claiming.settle(
      due.map(({ customerId }) => customerId),
      backlog
    )
    return { due, mayBeMore }
  })

  /** The claims to make one after the other, each of as much as this process has room for. */
  return (wanted: ReadonlyArray<PoolKinds>, now: Instant): ReadonlyArray<Effect.Effect<Claimed>> => {
    const ordered = wanted.filter(({ pool }) => !needsShares(pool))
    const shared = wanted.filter((each) => mayHaveParked(each.pool, now) || !ordered.includes(each))
    return [inOrder(ordered), ...shared.map(fairly)]
  }
})
