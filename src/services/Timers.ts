import { Clock, Context, Effect, Latch, Layer } from "effect"
import { SecureRandom } from "effect/crypto"
import type { Instant } from "../domain/Verification.ts"
import { Settings } from "./Settings.ts"
import { TimerStore } from "./TimerStore.ts"

export type TimerKind = "verification" | "sandbox_verification"

/** One timer for one subject: something is due for it at some time. */
export interface TimerRef {
  readonly kind: TimerKind
  readonly customerId: number
  readonly subject: string
}

export interface DueTimer extends TimerRef {
  /** Another process had leased it and never came back: what it had begun has an unknown outcome. */
  readonly wasAbandoned: boolean
}

/** The right of one process to work on a timer, until it runs out. */
export interface Lease {
  readonly owner: string
  readonly until: Instant
}

const NEVER = Number.POSITIVE_INFINITY

/** This process's part in the timers: its leases, and when its loop has to wake up. */
export class Timers extends Context.Service<
  Timers,
  {
    readonly newLease: Effect.Effect<Lease>
    /** Runs work on a timer that this process has leased; the lease is renewed while it lasts. */
    readonly holding: <A, E, R>(timer: TimerRef, work: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
    /** Tells the loop that something is due then, in case it would sleep longer. */
    readonly wakeAt: (dueAt: Instant) => Effect.Effect<void>
    readonly sleepUntil: (instant: Instant) => Effect.Effect<void>
  }
>()("peyk/services/Timers") {
  static readonly layer = Layer.effect(
    Timers,
    Effect.gen(function* () {
      const { leaseMillis } = yield* Settings
      const store = yield* TimerStore
      const random = yield* SecureRandom.SecureRandom
      const owner = yield* random.uuidV4()
      const held = new Map<string, { readonly timer: TimerRef; readonly since: Instant }>()
      const wakeUp = Latch.makeUnsafe(false)
      let sleepingUntil = NEVER

      const newLease = Effect.map(Clock.currentTimeMillis, (now): Lease => ({
        owner,
        until: now + leaseMillis
      }))

      const renewHeld = Effect.gen(function* () {
        const lease = yield* newLease
        const oldest = lease.until - leaseMillis - leaseMillis / 3
        const timers = [...held.values()].filter(({ since }) => since <= oldest).map(({ timer }) => timer)
        if (timers.length > 0) yield* store.renew(timers, lease)
      })
      yield* Effect.sleep(leaseMillis / 3).pipe(
        Effect.andThen(renewHeld),
        Effect.catchCause((cause) => Effect.logWarning("leases were not renewed", cause)),
        Effect.forever,
        Effect.forkScoped
      )

      return Timers.of({
        newLease,
        holding: (timer, work) =>
          Effect.acquireUseRelease(
            Effect.map(Clock.currentTimeMillis, (since) => void held.set(timer.subject, { timer, since })),
            () => work,
            () => Effect.sync(() => held.delete(timer.subject))
          ),
        wakeAt: (dueAt) => Effect.sync(() => (dueAt < sleepingUntil ? wakeUp.openUnsafe() : false)),
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
