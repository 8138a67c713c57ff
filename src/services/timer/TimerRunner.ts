import { Array as Arr, Cause, Clock, Context, Data, Effect, Fiber, Layer } from "effect"
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
import { logFailure } from "../metrics/LoggedCause.ts"

const AT_ONCE = 0

/** What one pass came to. */
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
    const parts = yield* Effect.forEach(claimsOf(pools, now), beginClaimed)
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
