import { Context, type Duration, Effect, Fiber, Latch, Layer, Option } from "effect"
import { Settings } from "../Settings.ts"
import { LinkedSet } from "./Collections.ts"
import { gauge } from "../system/Observability.ts"

/** Whether the whole fiber already runs to its end: then its parts need no fiber of their own for that. */
const RunsToEnd = Context.Reference<boolean>("peyk/services/concurrency/Workers/RunsToEnd", {
  defaultValue: () => false
})

/** The work that waits for another system or a worker: a send for its provider or slot, a sign-in or the change of a password for its hash. */
export type Waiting = "send" | "sign_in" | "password"

export interface Load {
  readonly running: number
  readonly waiting: Readonly<Record<Waiting, number>>
}

export const noLoad = () => ({
  running: 0,
  waiting: { send: 0, sign_in: 0, password: 0 } satisfies Record<Waiting, number>
})

/** Fibers that no other fiber waits for, until they are interrupted with the scope. */
const makeFibers = Effect.gen(function* () {
  const fibers = new LinkedSet<Fiber.Fiber<unknown, unknown>>()
  const emptied = Latch.makeUnsafe(false)
  let isClosed = false
  yield* Effect.addFinalizer(() =>
    Effect.suspend(() => {
      isClosed = true
      return Fiber.interruptAll([...fibers])
    })
  )
  const add = (fiber: Fiber.Fiber<unknown, unknown>) => {
    if (isClosed) return fiber.interruptUnsafe()
    if (fiber.pollUnsafe() !== undefined) return
    const link = fibers.add(fiber)
    fiber.addObserver(() => {
      fibers.remove(link)
      if (fibers.size === 0) emptied.openUnsafe()
    })
  }
  const idle: Effect.Effect<void> = Effect.suspend(() => {
    if (fibers.size === 0) return Effect.void
    emptied.closeUnsafe()
    return Effect.andThen(emptied.await, idle)
  })
  return {
    add,
    idle,
    size: () => fibers.size,
    /** Uninterruptible in between: otherwise nothing would wait for the fiber when the process stops. */
    run: <A, E, R>(work: Effect.Effect<A, E, R>) =>
      Effect.suspend(() =>
        Effect.map(
          Effect.forkDetach(isClosed ? Effect.interrupt : work, { startImmediately: true }),
          (fiber) => {
            add(fiber)
            return fiber
          }
        )
      ).pipe(Effect.uninterruptible)
  }
})

/**
 * Work that must be finished once it began: a client that disconnects does not interrupt it, and a stopping process
 * waits for it (within its grace time).
 */
export class Workers extends Context.Service<
  Workers,
  {
    readonly runToEnd: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** Starts a fiber that runs to its end. */
    readonly fork: <A>(work: Effect.Effect<A>, context: Context.Context<never>) => Fiber.Fiber<A>
    /** Starts work, and returns its fiber at once. */
    readonly start: <A, E, R>(work: Effect.Effect<A, E, R>) => Effect.Effect<Fiber.Fiber<A, E>, never, R>
    /** None if the process begins to stop before this is done: for waiting work that can begin again elsewhere. */
    readonly untilStop: <A, E, R>(wait: Effect.Effect<A, E, R>) => Effect.Effect<Option.Option<A>, E, R>
    /** Sleeps; false if the process began to stop. */
    readonly pause: (millis: number) => Effect.Effect<boolean>
    /** For a part of a request that waits for others (a provider), or in a queue of its own, not for this process. */
    readonly waitOutside: (who: Waiting) => <A, E, R>(wait: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** When all work that began has ended. */
    readonly idle: Effect.Effect<void>
    /** How much of such work is in progress; changes with it. */
    readonly load: Load
  }
>()("peyk/services/concurrency/Workers") {
  static readonly layer = Layer.effect(
    Workers,
    Effect.gen(function* () {
      const { graceMillis } = yield* Settings
      const fibers = yield* makeFibers
      const context = yield* Effect.context<never>()
      gauge(context, "peyk_workers_running", {
        description: "Sends, timers and other work that this process must finish.",
        read: fibers.size
      })
      const { idle } = fibers
      const stopping = Latch.makeUnsafe(false)
      const load = {
        running: 0,
        waiting: { send: 0, sign_in: 0, password: 0 } satisfies Record<Waiting, number>
      }
      const ended = () => {
        load.running -= 1
        return undefined
      }
      const running = <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
        Effect.suspend(() => {
          load.running += 1
          return Effect.onExitPrimitive(work, ended)
        })
      yield* Effect.addFinalizer(() => Effect.andThen(stopping.open, Effect.timeoutOption(idle, graceMillis)))
      const untilStop = <A, E, R>(wait: Effect.Effect<A, E, R>) =>
        Effect.raceFirst(Effect.asSome(wait), Effect.as(stopping.await, Option.none()))

      return Workers.of({
        runToEnd: (work) =>
          Effect.withFiber((fiber) =>
            fiber.getRef(RunsToEnd)
              ? running(work)
              : Effect.flatMap(fibers.run(running(work)), (worker) => Fiber.join(worker))
          ),
        fork: (work, forkContext) => {
          const fiber = Effect.runForkWith(Context.add(forkContext, RunsToEnd, true))(work)
          fibers.add(fiber)
          return fiber
        },
        start: fibers.run,
        untilStop,
        pause: (millis) => Effect.map(untilStop(Effect.sleep(millis)), Option.isSome),
        waitOutside: (who) => {
          const counts = load.waiting
          return (wait) =>
            Effect.withFiber((fiber) => {
              const time = fiber.getRef(CurrentRequestTime)
              time.stop()
              counts[who] += 1
              return Effect.onExitPrimitive(wait, () => {
                counts[who] -= 1
                time.goOn()
                return undefined
              })
            })
        },
        idle,
        load
      })
    })
  )
}

/**
 * The time that a request spends in this process and its store. Waits for others do not count: for a provider, or in a
 * queue that has its own limit.
 */
export interface RequestTime {
  readonly stop: () => void
  readonly goOn: () => void
  /**
   * The rest of the response is a stream that its client keeps open: it counts neither as load nor as time. `end` is
   * called when the server begins to stop.
   */
  readonly stream: (end: () => void) => void
}

/** Of the request that a fiber works for, if there is one. */
export const CurrentRequestTime = Context.Reference<RequestTime>(
  "peyk/services/concurrency/Workers/CurrentRequestTime",
  { defaultValue: () => ({ stop: () => {}, goOn: () => {}, stream: () => {} }) }
)

const around =
  (before: "stop" | "goOn", after: "stop" | "goOn") =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber((fiber) => {
      const time = fiber.getRef(CurrentRequestTime)
      time[before]()
      return Effect.onExitPrimitive(work, () => {
        time[after]()
        return undefined
      })
    })

/** A wait that does not count as time of the request. */
export const outsideRequestTime = around("stop", "goOn")

/** A statement within such a wait counts. */
export const insideRequestTime = around("goOn", "stop")

/**
 * For what is gathered, to be written at once. Returns a function to call after each addition: `interval` after the
 * first one, `flush` runs, and at the end. While nothing is added the process sleeps.
 */
export const flushAfter = Effect.fnUntraced(function* (interval: Duration.Input, flush: Effect.Effect<void>) {
  const hasSome = Latch.makeUnsafe(false)
  const round = Effect.gen(function* () {
    yield* hasSome.await
    yield* Effect.sleep(interval)
    hasSome.closeUnsafe()
    yield* flush
  })
  yield* Effect.addFinalizer(() => flush)
  yield* Effect.forkScoped(Effect.forever(round))
  return () => void hasSome.openUnsafe()
})
