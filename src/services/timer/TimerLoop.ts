import { Array as Arr, Cause, Clock, Data, Effect } from "effect"
import type { Instant } from "../../domain/Instant.ts"
import { afterErrors, untilNextDue } from "../../domain/Schedules.ts"
import type { DueTimer, TimerKind } from "../../domain/Timer.ts"
import { ClockAgreement } from "../ClockAgreement.ts"
import { Workers } from "../concurrency/Workers.ts"
import { withoutSpans } from "../metrics/Spans.ts"
import { Settings } from "../Settings.ts"
import { type Claimed, makeTimerClaims, type PoolKinds } from "./TimerClaims.ts"
import { makeTimerWork } from "./TimerHandlers.ts"
import { poolOf, TimerPools } from "./TimerPools.ts"
import { Timers } from "./Timers.ts"
import { TimerStore } from "./TimerStore.ts"

const AT_ONCE = 0

const poolsOf = (kinds: ReadonlyArray<TimerKind>): ReadonlyArray<PoolKinds> =>
  Object.values(Arr.groupBy(kinds, (kind) => poolOf[kind])).map((grouped) => ({
    pool: poolOf[grouped[0]],
    kinds: grouped
  }))

/** This process's time may be wrong, so nothing is known to be due. */
class TimeInDoubt extends Data.TaggedError("TimeInDoubt")<{}> {}

/** Reading the due timers failed. */
class Halt extends Data.TaggedError("Halt")<{ readonly cause: Cause.Cause<never> }> {}

/** Begins what is due, in each pool within its room; returns whether there may be more to begin at once. */
const makeBeginDue = Effect.gen(function* () {
  const timers = yield* Timers
  const workers = yield* Workers
  const timerPools = yield* TimerPools
  const claims = yield* makeTimerClaims
  const { run } = yield* makeTimerWork

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
      yield* Effect.forEach(due, begin, { discard: true })
      return mayBeMore
    }).pipe(Effect.uninterruptible)

  return Effect.fnUntraced(function* (pools: ReadonlyArray<PoolKinds>) {
    const now = yield* Clock.currentTimeMillis
    const more = yield* Effect.forEach(claims.ofPools(pools, now), beginClaimed)
    return more.includes(true)
  })
})

/** When the next timer is due for which there is room; null if there is none. */
const makeNextDue = Effect.gen(function* () {
  const store = yield* TimerStore
  const timerPools = yield* TimerPools
  const kindsOf = (pools: ReadonlyArray<PoolKinds>) => pools.flatMap(({ kinds }) => kinds)

  return (pools: ReadonlyArray<PoolKinds>) =>
    Effect.suspend(() => {
      const withRoom = pools.filter(({ pool }) => timerPools.free(pool) > 0)
      if (withRoom.length === 0) return Effect.succeed(null)
      // Parked timers wait for another to leave, which wakes the loop.
      const withParked = withRoom.filter(({ pool }) => timerPools.backlog(pool) === "some")
      return withoutSpans(store.nextClaimAt(kindsOf(withRoom), kindsOf(withParked)))
    })
})

/** Logs the beginning and the end of an outage, not each error in between. */
const makeHaltLog = () => {
  let isHalted = false
  return {
    failed: (cause: Cause.Cause<never>) => {
      const isNew = !isHalted
      isHalted = true
      return isNew ? Effect.logError("timers are halted", cause) : Effect.void
    },
    succeeded: Effect.suspend(() => {
      const isOver = isHalted
      isHalted = false
      return isOver ? Effect.logInfo("timers go on") : Effect.void
    })
  }
}

/** Does what is due as it becomes due, for ever. What it began outlives its interruption. */
export const makeTimerLoop = Effect.gen(function* () {
  const { leaseMillis } = yield* Settings
  const { sleepUntil } = yield* Timers
  const { mayBeApart } = yield* ClockAgreement
  const { kinds } = yield* makeTimerWork
  const beginDue = yield* makeBeginDue
  const nextDue = yield* makeNextDue
  const halts = makeHaltLog()
  const pools = poolsOf(kinds)

  const pass = Effect.tap(beginDue(pools), halts.succeeded).pipe(
    Effect.flatMap((mayBeMore) => (mayBeMore ? Effect.succeed(AT_ONCE) : nextDue(pools))),
    Effect.catchCauseIf(
      (cause) => !Cause.hasInterrupts(cause),
      (cause) => Effect.andThen(halts.failed(cause), Effect.fail(new Halt({ cause })))
    )
  )
  const passInTime = Effect.suspend((): Effect.Effect<Instant | null, Halt | TimeInDoubt> =>
    mayBeApart() ? new TimeInDoubt() : pass
  )
  const loop = passInTime.pipe(
    Effect.retry(afterErrors),
    Effect.repeat(untilNextDue(leaseMillis, sleepUntil)),
    // Neither schedule ends.
    Effect.orDie,
    Effect.asVoid
  )
  return { loop }
})
