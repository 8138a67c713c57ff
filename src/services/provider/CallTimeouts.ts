import { Clock, type Context, Effect, Exit, Fiber } from "effect"
import { ProviderOutcome } from "../../domain/ProviderOutcome.ts"
import { type Link, LinkedSet } from "../concurrency/Collections.ts"

const NO_RESPONSE = "no answer within the time-out"
const noResponse = Effect.succeed(ProviderOutcome.Unknown({ providerError: NO_RESPONSE }))

/** The last part of a time-out is waited for by itself: a process that was paused first reads the responses that arrived. */
const LAST_MILLIS = 100
const NANOS_PER_MILLI = 1_000_000n

/** A call whose provider has not responded yet. Times are monotonic milliseconds. */
interface PendingCall {
  readonly endsAt: number
  /** When the last part of the time-out ends; null before that part. */
  lastEndsAt: number | null
  readonly end: () => void
}

/** Calls of the same time-out, so they end in the order in which they began. */
class PendingCalls {
  readonly #millis: number
  readonly #lastMillis: number
  readonly #calls = new LinkedSet<PendingCall>()

  constructor(millis: number) {
    this.#millis = millis
    this.#lastMillis = Math.min(LAST_MILLIS, millis)
  }

  add(now: number, end: () => void): Link<PendingCall> {
    return this.#calls.add({ endsAt: now + this.#millis, lastEndsAt: null, end })
  }

  remove(link: Link<PendingCall>): void {
    this.#calls.remove(link)
  }

  /** Ends the calls whose time is over. Returns when to look again; null: there is none. */
  endLate(now: number): number | null {
    let next: number | null = null
    for (const call of this.#calls) {
      const lastStartsAt = call.endsAt - this.#lastMillis
      if (call.lastEndsAt === null && lastStartsAt > now) return Math.min(next ?? lastStartsAt, lastStartsAt)
      call.lastEndsAt ??= now + this.#lastMillis
      if (call.lastEndsAt <= now) call.end()
      else next ??= call.lastEndsAt
    }
    return next
  }
}

/** Ends a call that has no response in time: its outcome is then unknown. */
export type InTime = (call: Effect.Effect<ProviderOutcome>) => Effect.Effect<ProviderOutcome>

/**
 * The time-out of calls, all of which one fiber watches. With a fiber and a timer for each, a call takes 3.7 kB more, and
 * several times as long.
 */
export const makeInTime = Effect.fnUntraced(function* (millis: number) {
  const clock = yield* Clock.Clock
  const runFork = Effect.runForkWith(yield* Effect.context<never>())
  const calls = new PendingCalls(millis)
  let watcher: Fiber.Fiber<void> | null = null
  yield* Effect.addFinalizer(() => (watcher === null ? Effect.void : Fiber.interrupt(watcher)))

  const nowMillis = () => Number(clock.monotonicTimeNanosUnsafe() / NANOS_PER_MILLI)

  const watch: Effect.Effect<void> = Effect.suspend(() => {
    const now = nowMillis()
    const next = calls.endLate(now)
    if (next !== null) return Effect.flatMap(Effect.sleep(next - now), () => watch)
    watcher = null
    return Effect.void
  })

  /** Not as a child: the set of its children would take as much memory as the fiber itself. */
  const callWith = (context: Context.Context<never>, call: Effect.Effect<ProviderOutcome>) => {
    let responding: Fiber.Fiber<ProviderOutcome> | null = null
    let link: Link<PendingCall> | null = null
    const outcome = Effect.callback<ProviderOutcome>((resume) => {
      responding = Effect.runForkWith(context)(call)
      const exit = responding.pollUnsafe()
      if (exit !== undefined) return resume(exit)
      link = calls.add(nowMillis(), () => resume(noResponse))
      responding.addObserver(resume)
      watcher ??= runFork(watch)
    })
    return Effect.onExitPrimitive(outcome, () => {
      if (link !== null) calls.remove(link)
      return responding !== null && responding.pollUnsafe() === undefined
        ? Fiber.interrupt(responding)
        : undefined
    })
  }

  const inTime: InTime = (call) =>
    Exit.isExit(call) ? call : Effect.withFiber(({ context }) => callWith(context, call))
  return inTime
})
