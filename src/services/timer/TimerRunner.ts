import { Array as Arr, Cause, Clock, Context, Data, Effect, Fiber, Layer } from "effect"
import type { Instant } from "../../domain/Instant.ts"
import { afterErrors, untilNextDue } from "../../domain/Schedules.ts"
import { type DueTimer, type TimerKind, timerKinds } from "../../domain/Timer.ts"
import { ClockAgreement } from "../ClockAgreement.ts"
import { Settings } from "../Settings.ts"
import { Workers } from "../concurrency/Workers.ts"
import { CustomerRows } from "../customer/CustomerRows.ts"
import { counters, histograms, inNewTrace, logFailure, withoutSpans } from "../system/Observability.ts"
import {
  type Backlog,
  type ClaimingRoom,
  type Pool,
  poolOf,
  type PoolRoom,
  TimerPools
} from "./TimerPools.ts"
import { TimerStore } from "./TimerStore.ts"
import { Timers } from "./Timers.ts"

const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 900]
const MILLIS_PER_SECOND = 1000

/** Figures about timers for operators. */
export class TimerMetrics extends Context.Service<
  TimerMetrics,
  {
    /** Work on a claimed timer begins. */
    readonly begun: (timer: DueTimer) => void
    /** Work on it failed. */
    readonly failed: (timer: DueTimer) => void
  }
>()("peyk/services/timer/TimerRunner/TimerMetrics") {
  static readonly layer = Layer.effect(
    TimerMetrics,
    Effect.gen(function* () {
      const context = yield* Effect.context<never>()
      const clock = yield* Clock.Clock
      const claimed = counters(context, "peyk_timers_claimed_total", {
        description: "Due timers that this process claimed, by kind.",
        labels: ["kind"]
      })
      const abandoned = counters(context, "peyk_timers_abandoned_total", {
        description: "Claimed timers whose last holder let its lease run out, by kind.",
        labels: ["kind"]
      })
      const lateness = histograms(context, "peyk_timer_lateness_seconds", {
        description: "From when a timer was due to when work on it began, by kind.",
        labels: ["kind"],
        boundaries: SECONDS
      })
      const failed = counters(context, "peyk_timers_failed_total", {
        description: "Claimed timers whose work failed; they are due again. By kind.",
        labels: ["kind"]
      })
      for (const each of [claimed, abandoned, failed]) for (const kind of timerKinds) each(kind)(0)
      return TimerMetrics.of({
        begun: ({ kind, dueAt, wasAbandoned }) => {
          claimed(kind)(1)
          if (wasAbandoned) abandoned(kind)(1)
          lateness(kind)(Math.max(0, clock.currentTimeMillisUnsafe() - dueAt) / MILLIS_PER_SECOND)
        },
        failed: ({ kind }) => failed(kind)(1)
      })
    })
  )
}

/** Does the work that is due, by kind of timer. Timers of other kinds are left to the processes that know them. */
export class TimerHandlers extends Context.Service<
  TimerHandlers,
  ReadonlyMap<TimerKind, (timer: DueTimer) => Effect.Effect<void>>
>()("peyk/services/timer/TimerRunner/TimerHandlers") {}

/** Runs the handler of a timer under its lease, in a trace of its own. */
const makeTimerWork = Effect.gen(function* () {
  const timers = yield* Timers
  const handlers = yield* TimerHandlers
  const { within } = yield* CustomerRows
  const metrics = yield* TimerMetrics

  const work = (timer: DueTimer) =>
    Effect.suspend(() => {
      metrics.begun(timer)
      const handled = within(timer.customerId, handlers.get(timer.kind)?.(timer) ?? Effect.void)
      return Effect.onError(handled, () => Effect.sync(() => metrics.failed(timer)))
    }).pipe(
      inNewTrace("timer", {
        kind: "consumer",
        attributes: { "peyk.timer.kind": timer.kind, "peyk.timer.subject": timer.subject }
      })
    )

  return {
    kinds: [...handlers.keys()],
    run: (timer: DueTimer) => timers.run(timer, work(timer))
  }
})

/** If one customer may take fewer than this at once, shares apply. */
const LEAST_IN_ORDER = 16
/** Other processes may have parked timers for which this one has room. */
const LOOK_FOR_PARKED_MILLIS = 5000

interface PoolKinds {
  readonly pool: Pool
  readonly kinds: ReadonlyArray<TimerKind>
}

interface Claimed {
  readonly due: ReadonlyArray<DueTimer>
  /** Claim again at once. */
  readonly mayBeMore: boolean
}

const NOTHING: Claimed = { due: [], mayBeMore: false }

/** In any order, this many at most are within the share of any customer. */
const mostInOrder = ({ free, holders, isShared }: PoolRoom): number => {
  if (!isShared) return free
  const most = holders.reduce((all, [, permits]) => Math.max(all, permits), 0)
  return Math.floor((free + 1 - most) / 2)
}

/**
 * Claims due timers: those of all pools in order of time, in one statement. Where one customer has too many due, those of
 * that pool by shares of customers.
 */
const makeTimerClaims = Effect.gen(function* () {
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

  const isLookDue = (pool: Pool, now: Instant): boolean =>
    now >= (lookedForParkedAt.get(pool) ?? Number.NEGATIVE_INFINITY) + LOOK_FOR_PARKED_MILLIS

  /** Those pools of which any process has parked timers: one look at an index that is mostly empty. */
  const withParked = Effect.fnUntraced(function* (some: ReadonlyArray<PoolKinds>) {
    if (some.length === 0) return []
    const parked = yield* withoutSpans(store.parkedKinds(some.flatMap(({ kinds }) => kinds)))
    return some.filter(({ kinds }) => kinds.some((kind) => parked.includes(kind)))
  })

  const needsShares = (pool: Pool): boolean => {
    const room = pools.room(pool)
    return room.isShared && (pools.backlog(pool) !== "none" || mostInOrder(room) < LEAST_IN_ORDER)
  }

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
  return Effect.fnUntraced(function* (wanted: ReadonlyArray<PoolKinds>, now: Instant) {
    const crowded = wanted.filter(({ pool }) => needsShares(pool))
    const ordered = wanted.filter((each) => !crowded.includes(each))
    const unsure = ordered.filter(({ pool }) => isLookDue(pool, now))
    for (const { pool } of [...crowded, ...unsure]) lookedForParkedAt.set(pool, now)
    const shared = [...crowded, ...(yield* withParked(unsure))]
    return [inOrder(ordered), ...shared.map(fairly)]
  })
})

const AT_ONCE = 0

/** The outcome of one pass. */
interface Pass {
  /** The work that it began. */
  readonly begun: ReadonlyArray<Fiber.Fiber<void>>
  /** When the next pass has something to do; null if nothing is known to become due. */
  readonly nextAt: Instant | null
}

const poolsOf = (kinds: ReadonlyArray<TimerKind>): ReadonlyArray<PoolKinds> =>
  Object.values(Arr.groupBy(kinds, (kind) => poolOf[kind])).map((grouped) => ({
    pool: poolOf[grouped[0]],
    kinds: grouped
  }))

/** This process's time may be wrong, so nothing is known to be due. */
class TimeInDoubt extends Data.TaggedError("TimeInDoubt")<{}> {}

/** Reading the due timers failed. */
class Halt extends Data.TaggedError("Halt")<{ readonly cause: Cause.Cause<never> }> {}

/** Begins what is due, in each pool within its room, and says when the next pass has something to do. */
const makePass = Effect.gen(function* () {
  const store = yield* TimerStore
  const timers = yield* Timers
  const workers = yield* Workers
  const timerPools = yield* TimerPools
  const claimsOf = yield* makeTimerClaims
  const { kinds, run } = yield* makeTimerWork
  const pools = poolsOf(kinds)

  const begin = (timer: DueTimer) => {
    const pool = poolOf[timer.kind]
    const finish = Effect.sync(() => {
      if (timerPools.leave(pool, timer.customerId, 1)) timers.wakeAt(AT_ONCE)
    })
    return workers.start(Effect.ensuring(run(timer), finish))
  }

  /** Not interrupted in between: a leased timer that nobody starts would look abandoned. */
  const beginClaimed = (claim: Effect.Effect<Claimed>) =>
    Effect.gen(function* () {
      const { due, mayBeMore } = yield* claim
      return { begun: yield* Effect.forEach(due, begin), mayBeMore }
    }).pipe(Effect.uninterruptible)

  /** When the next timer is due for which there is room; null if there is none. */
  const nextDueAt = Effect.suspend(() => {
    const withRoom = pools.filter(({ pool }) => timerPools.free(pool) > 0)
    if (withRoom.length === 0) return Effect.succeed(null)
    // Parked timers wait for another to leave, which wakes the loop.
    const withParked = withRoom.filter(({ pool }) => timerPools.backlog(pool) === "some")
    const kindsOf = (some: ReadonlyArray<PoolKinds>) => some.flatMap((each) => each.kinds)
    return withoutSpans(store.nextClaimAt(kindsOf(withRoom), kindsOf(withParked)))
  })

  return Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    const parts = yield* Effect.forEach(yield* claimsOf(pools, now), beginClaimed)
    const mayBeMore = parts.some((part) => part.mayBeMore)
    return {
      begun: parts.flatMap(({ begun }) => begun),
      nextAt: mayBeMore ? AT_ONCE : yield* nextDueAt
    } satisfies Pass
  })
})

/** Logs the beginning and the end of an outage, not each error in between. */
const makeHaltLog = () => {
  let isHalted = false
  return {
    failed: (cause: Cause.Cause<never>) => {
      const isNew = !isHalted
      isHalted = true
      return isNew ? logFailure("timers are halted", cause) : Effect.void
    },
    succeeded: Effect.suspend(() => {
      const isOver = isHalted
      isHalted = false
      return isOver ? Effect.logInfo("timers go on") : Effect.void
    })
  }
}

/** Passes for ever, with a sleep until the next has something to do. What was begun outlives the interruption. */
const makeLoop = Effect.fnUntraced(function* (pass: Effect.Effect<Pass>) {
  const { leaseMillis } = yield* Settings
  const { sleepUntil } = yield* Timers
  const { mayBeApart } = yield* ClockAgreement
  const halts = makeHaltLog()

  const loggedPass = Effect.tap(pass, halts.succeeded).pipe(
    Effect.catchCauseIf(
      (cause) => !Cause.hasInterrupts(cause),
      (cause) => Effect.andThen(halts.failed(cause), Effect.fail(new Halt({ cause })))
    )
  )
  return Effect.suspend((): Effect.Effect<Pass, Halt | TimeInDoubt> =>
    mayBeApart() ? new TimeInDoubt() : loggedPass
  ).pipe(
    Effect.map(({ nextAt }) => nextAt),
    Effect.retry(afterErrors),
    Effect.repeat(untilNextDue(leaseMillis, sleepUntil)),
    // Neither schedule ends.
    Effect.orDie,
    Effect.asVoid
  )
})

/** Finds due timers of any process, and runs their handlers. */
export class TimerRunner extends Context.Service<
  TimerRunner,
  {
    /**
     * Passes of the loop until nothing is due, each after the work of the last; returns how many timers were run. For
     * tests that move the clock. An interruption stops that work too, as the death of a process does.
     */
    readonly runDue: Effect.Effect<number>
    /** Runs timers as they become due, forever, and sleeps in between. Begun work outlives its interruption. */
    readonly loop: Effect.Effect<void>
  }
>()("peyk/services/timer/TimerRunner") {
  static readonly layer = Layer.effect(
    TimerRunner,
    Effect.gen(function* () {
      const pass = yield* makePass
      const passAndWait = Effect.uninterruptibleMask((restore) =>
        Effect.tap(pass, ({ begun }) =>
          Effect.onInterrupt(restore(Fiber.awaitAll(begun)), () => Fiber.interruptAll(begun))
        )
      )
      const runDue = Effect.gen(function* () {
        let done = 0
        while (true) {
          const { begun } = yield* passAndWait
          if (begun.length === 0) return done
          done += begun.length
        }
      })
      return TimerRunner.of({ runDue, loop: yield* makeLoop(pass) })
    })
  )

  /** Runs the loop for as long as the layer lives. */
  static readonly layerLoop = Layer.effectDiscard(
    Effect.flatMap(TimerRunner, ({ loop }) => Effect.forkScoped(loop))
  )
}
