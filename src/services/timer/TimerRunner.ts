import { Array as Arr, Cause, Clock, Context, Effect, Layer } from "effect"
import { ClockAgreement } from "../ClockAgreement.ts"
import { Settings } from "../Settings.ts"
import { inNewTrace, withoutSpans } from "../metrics/Spans.ts"
import { TimerMetrics } from "./TimerMetrics.ts"
import { makeTimerClaims } from "./TimerClaims.ts"
import { poolOf, TimerPools } from "./TimerPools.ts"
import type { DueTimer, TimerKind } from "../../domain/Timer.ts"
import { Timers } from "./Timers.ts"
import { TimerStore } from "./TimerStore.ts"
import { Workers } from "../concurrency/Workers.ts"

/** The handlers of due timers, by kind. Processes leave timers of other kinds to those that know them. */
export class TimerHandlers extends Context.Service<
  TimerHandlers,
  ReadonlyMap<TimerKind, (timer: DueTimer) => Effect.Effect<void>>
>()("peyk/services/timer/TimerRunner/TimerHandlers") {}

const ERROR_PAUSE_MILLIS = 1000

/** Finds due timers of any process, and runs their handlers. */
export class TimerRunner extends Context.Service<
  TimerRunner,
  {
    /**
     * Runs all timers that are due now, and returns their number: one round of the loop, for tests that move the
     * clock.
     */
    readonly runDue: Effect.Effect<number>
    /** Runs timers as they become due, forever, and sleeps in between. Begun work outlives its interruption. */
    readonly loop: Effect.Effect<never>
  }
>()("peyk/services/timer/TimerRunner") {
  static readonly layer = Layer.effect(
    TimerRunner,
    Effect.gen(function* () {
      const { leaseMillis, timerConcurrency } = yield* Settings
      const store = yield* TimerStore
      const timers = yield* Timers
      const handlers = yield* TimerHandlers
      const workers = yield* Workers
      const room = yield* TimerPools
      const metrics = yield* TimerMetrics
      const { mayBeApart } = yield* ClockAgreement
      const claims = yield* makeTimerClaims
      const kinds = [...handlers.keys()]
      const pools = Object.entries(Arr.groupBy(kinds, (kind) => poolOf[kind])).map(
        ([, [first, ...rest]]) => ({
          pool: poolOf[first],
          kinds: [first, ...rest]
        })
      )
      let isHalted = false

      const work = (timer: DueTimer) =>
        Effect.suspend(() => {
          metrics.begun(timer)
          const handled = handlers.get(timer.kind)?.(timer) ?? Effect.void
          return Effect.onError(handled, () => Effect.sync(() => metrics.failed(timer)))
        }).pipe(
          inNewTrace("timer", {
            kind: "consumer",
            attributes: { "peyk.timer.kind": timer.kind, "peyk.timer.subject": timer.subject }
          })
        )
      const run = (timer: DueTimer) => timers.run(timer, work(timer))

      const runDue: Effect.Effect<number> = Effect.gen(function* () {
        let done = 0
        while (true) {
          const { due } = yield* claims.byShares(kinds, timerConcurrency)
          if (due.length === 0) return done
          yield* Effect.forEach(due, run, { concurrency: "unbounded", discard: true })
          done += due.length
        }
      })

      const begin = (timer: DueTimer) => {
        const pool = poolOf[timer.kind]
        const finish = Effect.sync(() => {
          if (room.leave(pool, timer.customerId, 1)) timers.wakeAt(0)
        })
        return workers.start(Effect.ensuring(run(timer), finish))
      }

      /** Uninterruptible in between: a leased timer that is not started would look abandoned. */
      const beginDueOf = ({ pool, kinds: claimed }: (typeof pools)[number]) =>
        Effect.gen(function* () {
          const { due, mayBeMore } = yield* claims.ofPool(pool, claimed)
          yield* Effect.forEach(due, begin, { discard: true })
          return mayBeMore
        }).pipe(Effect.uninterruptible)

      /** Whether there may be more to start at once. */
      const beginDue = Effect.map(Effect.forEach(pools, beginDueOf), (more) => more.includes(true))

      /** At most half a lease: timers of a dead process are not announced. */
      const sleep = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const longest = now + leaseMillis / 2
        const withRoom = pools.filter(({ pool }) => room.free(pool) > 0)
        const kindsOf = (some: typeof pools) => some.flatMap((each) => each.kinds)
        // Parked timers wait for a free place, which wakes this up.
        const withParked = withRoom.filter(({ pool }) => room.backlog(pool) === "some")
        const next =
          withRoom.length > 0
            ? yield* withoutSpans(store.nextClaimAt(kindsOf(withRoom), kindsOf(withParked)))
            : null
        yield* timers.sleepUntil(Math.min(next ?? longest, longest))
      })

      /** Logged once when it begins and once when it is over, not every second of an outage. */
      const reportHalt = (cause: Cause.Cause<never>) => {
        const isNew = !isHalted
        isHalted = true
        return isNew ? Effect.logError("timers are halted", cause) : Effect.void
      }
      const reportRecovery = Effect.suspend(() => {
        const isOver = isHalted
        isHalted = false
        return isOver ? Effect.logInfo("timers go on") : Effect.void
      })

      const turn = Effect.tap(beginDue, reportRecovery).pipe(
        Effect.flatMap((mayBeMore) => (mayBeMore ? Effect.void : sleep)),
        Effect.catchCauseIf(
          (cause) => !Cause.hasInterrupts(cause),
          (cause) => Effect.andThen(reportHalt(cause), Effect.sleep(ERROR_PAUSE_MILLIS))
        )
      )
      /** With a wrong clock, nothing is known to be due. */
      const turnInTime = Effect.suspend(() => (mayBeApart() ? Effect.sleep(ERROR_PAUSE_MILLIS) : turn))
      return TimerRunner.of({ runDue, loop: Effect.forever(turnInTime) })
    })
  )

  /** Runs the loop for as long as the layer lives. */
  static readonly layerLoop = Layer.effectDiscard(
    Effect.flatMap(TimerRunner, ({ loop }) => Effect.forkScoped(loop))
  )
}
