import { Cause, Clock, Context, Effect, Latch, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import type { Instant } from "../../domain/Instant.ts"
import { leaseRenewalMillis, RELEASED_TIMER_MILLIS } from "../../domain/Schedules.ts"
import type { DueTimer, Lease, LeasedTimer } from "../../domain/Timer.ts"
import { ClockAgreement } from "../ClockAgreement.ts"
import { Settings } from "../Settings.ts"
import { logFailure, warnOfFailure, withoutSpans } from "../system/Observability.ts"
import { TimerStore } from "./TimerStore.ts"
import { LinkedSet } from "../concurrency/Collections.ts"

const NEVER = Number.POSITIVE_INFINITY

/** This process's part in the timers: its leases, and when its loop must wake up. */
export class Timers extends Context.Service<
  Timers,
  {
    readonly newLease: Effect.Effect<Lease>
    /** For a new timer, which cannot have been leased before: all of this process have the same token. */
    readonly initialLease: () => Lease
    /** Runs work on a timer that this process has leased; the lease is renewed while it lasts. */
    readonly holding: <A, E, R>(timer: LeasedTimer, work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** Runs background work under the lease. After a failure the lease runs out: then the timer is due as abandoned. */
    readonly run: (timer: LeasedTimer, work: Effect.Effect<unknown>) => Effect.Effect<void>
    /** Check this right before something is sent: if this process was paused, another one may have the lease. */
    readonly isLeased: (timer: LeasedTimer) => boolean
    /**
     * For a failure before anything was sent: releases the timer, to be claimed again shortly. Not if its last holder
     * may have sent something: that must show as abandoned.
     */
    readonly releaseForRetry: (timer: DueTimer) => (cause: Cause.Cause<never>) => Effect.Effect<never>
    /** Releases the timer, to be claimed then. */
    readonly releaseUntil: (timer: LeasedTimer, dueAt: Instant) => Effect.Effect<void>
    /** Reports to the loop that something is due then, in case it would sleep longer. */
    readonly wakeAt: (dueAt: Instant) => void
    /** Wakes the loop if a write made any timers due at once, such as those of webhooks. */
    readonly wakeFor: (dueAtOnce: number) => void
    readonly sleepUntil: (instant: Instant) => Effect.Effect<void>
  }
>()("peyk/services/timer/Timers") {
  static readonly layer = Layer.effect(
    Timers,
    Effect.gen(function* () {
      const { leaseMillis } = yield* Settings
      const clock = yield* Clock.Clock
      const store = yield* TimerStore
      const { mayBeApart } = yield* ClockAgreement
      const random = yield* SecureRandom.SecureRandom
      const leased = new LinkedSet<LeasedTimer>()
      /** Closed while nothing is leased: then there is nothing to renew. */
      const someLeased = Latch.makeUnsafe(false)
      const wakeUp = Latch.makeUnsafe(false)
      let sleepingUntil = NEVER

      const tokenAtBirth = yield* random.uuidV4()
      const leaseOf = (token: string): Lease => ({
        token,
        until: clock.currentTimeMillisUnsafe() + leaseMillis
      })

      const renew = (timers: ReadonlyArray<LeasedTimer>) =>
        Effect.gen(function* () {
          // A lease until a distant time would outlive this process.
          if (timers.length === 0 || mayBeApart()) return
          const until = (yield* Clock.currentTimeMillis) + leaseMillis
          for (const timer of yield* store.renew(timers, until)) timer.leasedUntil = until
        }).pipe(
          Effect.catchDefect((defect) => warnOfFailure("leases were not renewed", Cause.die(defect))),
          withoutSpans
        )
      const renewLeases = Effect.suspend(() => {
        if (leased.size === 0) someLeased.closeUnsafe()
        const soon = clock.currentTimeMillisUnsafe() + (leaseMillis * 2) / 3
        return renew([...leased].filter(({ leasedUntil }) => leasedUntil <= soon))
      })
      yield* renewLeases.pipe(
        Effect.delay(leaseRenewalMillis(leaseMillis)),
        someLeased.whenOpen,
        Effect.forever,
        Effect.forkScoped
      )

      /** Getting it took so long that it could run out before it is renewed with the others. One that has is given up. */
      const runsOutSoon = ({ leasedUntil }: LeasedTimer) => {
        const now = clock.currentTimeMillisUnsafe()
        return leasedUntil > now && leasedUntil <= now + leaseMillis / 2
      }

      const holding = <A, E, R>(timer: LeasedTimer, work: Effect.Effect<A, E, R>) =>
        Effect.suspend(() => {
          const link = leased.add(timer)
          someLeased.openUnsafe()
          const kept = runsOutSoon(timer) ? Effect.andThen(renew([timer]), work) : work
          return Effect.onExitPrimitive(kept, () => {
            leased.remove(link)
            return undefined
          })
        })

      const wakeAt = (dueAt: Instant) => {
        if (dueAt < sleepingUntil) wakeUp.openUnsafe()
      }

      return Timers.of({
        newLease: Effect.map(random.uuidV4(), leaseOf),
        initialLease: () => leaseOf(tokenAtBirth),
        holding,
        isLeased: (timer) => clock.currentTimeMillisUnsafe() < timer.leasedUntil,
        run: (timer, work) =>
          Effect.catchCause(Effect.asVoid(holding(timer, work)), (cause) =>
            logFailure(`timer ${timer.kind} ${timer.subject} failed`, cause)
          ),
        releaseForRetry: (timer) => (cause) =>
          Effect.gen(function* () {
            const now = yield* Clock.currentTimeMillis
            if (!timer.wasAbandoned) yield* store.release(timer, now + RELEASED_TIMER_MILLIS)
            return yield* Effect.failCause(cause)
          }),
        releaseUntil: (timer, dueAt) => Effect.map(store.release(timer, dueAt), () => wakeAt(dueAt)),
        wakeAt,
        wakeFor: (dueAtOnce) => {
          if (dueAtOnce > 0) wakeAt(0)
        },
        sleepUntil: (instant) =>
          Effect.gen(function* () {
            const now = yield* Clock.currentTimeMillis
            sleepingUntil = instant
            yield* Effect.timeoutOption(wakeUp.await, Math.max(0, instant - now))
            sleepingUntil = NEVER
            wakeUp.closeUnsafe()
          })
      })
    })
  )
}
