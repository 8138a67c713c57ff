import { Clock, Context, Effect, Layer } from "effect"
import { Settings } from "./Settings.ts"
import { type DueTimer, type TimerKind, Timers } from "./Timers.ts"
import { TimerStore } from "./TimerStore.ts"
import { Workers } from "./Workers.ts"

/** Who does what is due, by kind of timer. */
export class TimerHandlers extends Context.Service<
  TimerHandlers,
  Readonly<Record<TimerKind, (timer: DueTimer) => Effect.Effect<void>>>
>()("peyk/services/TimerRunner/TimerHandlers") {}

const ERROR_PAUSE_MILLIS = 1000

/** Finds out what is due, in any process, and has it done. */
export class TimerRunner extends Context.Service<
  TimerRunner,
  {
    /** Does all that is due now, and returns how much that was. */
    readonly runDue: Effect.Effect<number>
    /** Does what is due as it becomes due, for ever. Sleeps in between; what it began outlives its interruption. */
    readonly loop: Effect.Effect<never>
  }
>()("peyk/services/TimerRunner") {
  static readonly layer = Layer.effect(
    TimerRunner,
    Effect.gen(function* () {
      const { leaseMillis, timerConcurrency } = yield* Settings
      const store = yield* TimerStore
      const timers = yield* Timers
      const handlers = yield* TimerHandlers
      const workers = yield* Workers
      let inFlight = 0

      /** A failure leaves the lease to run out: then the timer is due again, as abandoned. */
      const run = (timer: DueTimer) =>
        timers
          .holding(timer, handlers[timer.kind](timer))
          .pipe(
            Effect.catchCause((cause) =>
              Effect.logError(`timer ${timer.kind} ${timer.subject} failed`, cause)
            )
          )

      const claim = (limit: number) =>
        Effect.gen(function* () {
          return yield* store.claim(limit, yield* timers.newLease, yield* Clock.currentTimeMillis)
        })

      const runDue: Effect.Effect<number> = Effect.gen(function* () {
        let done = 0
        while (true) {
          const due = yield* claim(timerConcurrency)
          if (due.length === 0) return done
          yield* Effect.forEach(due, run, { concurrency: "unbounded", discard: true })
          done += due.length
        }
      })

      const begin = (timer: DueTimer) => {
        inFlight++
        const finish = Effect.suspend(() => {
          const wasFull = inFlight-- >= timerConcurrency
          return wasFull ? timers.wakeAt(0) : Effect.void
        })
        return workers.start(Effect.ensuring(run(timer), finish))
      }

      /** Not to be interrupted in between: a leased timer that nobody starts would look abandoned. */
      const beginDue = Effect.gen(function* () {
        const free = timerConcurrency - inFlight
        const due = free > 0 ? yield* claim(free) : []
        yield* Effect.forEach(due, begin, { discard: true })
        return due.length > 0 && due.length === free
      }).pipe(Effect.uninterruptible)

      /** Never longer than half a lease: timers of a process that died are not announced. */
      const sleep = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const longest = now + leaseMillis / 2
        const next = inFlight < timerConcurrency ? yield* store.nextClaimAt : null
        yield* timers.sleepUntil(Math.min(next ?? longest, longest))
      })

      const turn = Effect.flatMap(beginDue, (mayBeMore) => (mayBeMore ? Effect.void : sleep)).pipe(
        Effect.catchCauseIf(
          (cause) => cause.reasons.every((reason) => reason._tag !== "Interrupt"),
          (cause) =>
            Effect.andThen(Effect.logError("timers are halted", cause), Effect.sleep(ERROR_PAUSE_MILLIS))
        )
      )
      return TimerRunner.of({ runDue, loop: Effect.forever(turn) })
    })
  )

  /** Runs the loop for as long as the layer lives. */
  static readonly layerLoop = Layer.effectDiscard(
    Effect.flatMap(TimerRunner, ({ loop }) => Effect.forkScoped(loop))
  )
}
