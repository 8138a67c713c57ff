import { Clock, Context, Effect, Layer } from "effect"
import type { Instant } from "../../domain/Instant.ts"
import { MINUTE_MILLIS } from "../../domain/Instant.ts"
import type { SkipReason } from "../../domain/account/Pace.ts"
import { flushAfter } from "../concurrency/FlushAfter.ts"
import { warnOfFailure } from "../system/LoggedCause.ts"

/** Steps that skipped an account in one minute. */
interface SkipsOfMinute {
  readonly accountId: number
  readonly startsAt: Instant
  readonly reason: SkipReason
  readonly steps: number
}

/** Where counts of skipped steps are kept, for as long as somebody asks about them. */
export class AccountSkipStore extends Context.Service<
  AccountSkipStore,
  {
    /** Adds to the counts that are there. Accounts that are gone are left out. */
    readonly add: (counts: ReadonlyArray<SkipsOfMinute>, now: Instant) => Effect.Effect<void>
  }
>()("peyk/services/account/AccountSkips/AccountSkipStore") {}

const INTERVAL = "1 second"

const keyOf = ({ accountId, startsAt, reason }: Omit<SkipsOfMinute, "steps">) =>
  `${accountId} ${startsAt} ${reason}`

/** Counts the steps that skip an account: a skip only adds to a number, which is written within about a second. */
export class AccountSkips extends Context.Service<
  AccountSkips,
  {
    readonly count: (accountId: number, reason: SkipReason) => void
    /** Writes what was counted. */
    readonly flush: Effect.Effect<void>
  }
>()("peyk/services/account/AccountSkips") {
  static readonly layer = Layer.effect(
    AccountSkips,
    Effect.gen(function* () {
      const store = yield* AccountSkipStore
      const clock = yield* Clock.Clock
      let counts = new Map<string, SkipsOfMinute>()

      const flush = Effect.suspend(() => {
        if (counts.size === 0) return Effect.void
        const taken = [...counts.values()]
        counts = new Map()
        return store.add(taken, clock.currentTimeMillisUnsafe())
      }).pipe(Effect.catchCause((cause) => warnOfFailure("skipped steps were not counted", cause)))

      const added = yield* flushAfter(INTERVAL, flush)
      return AccountSkips.of({
        flush,
        count: (accountId, reason) => {
          const now = clock.currentTimeMillisUnsafe()
          const minute = { accountId, reason, startsAt: now - (now % MINUTE_MILLIS) }
          const key = keyOf(minute)
          counts.set(key, { ...minute, steps: (counts.get(key)?.steps ?? 0) + 1 })
          added()
        }
      })
    })
  )
}
