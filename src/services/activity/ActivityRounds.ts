import { Clock, Context, Effect, Layer } from "effect"
import { DAY_MILLIS, HOUR_MILLIS, type Instant } from "../../domain/Instant.ts"
import type { TimeSpan } from "../../domain/Paging.ts"
import type { DueTimer } from "../../domain/Timer.ts"
import {
  isDue,
  rangesOf,
  SLOT_MILLIS,
  ACTIVITY_ROUND_MILLIS,
  ACTIVITY_TURN_MILLIS,
  activityPauseMillis
} from "../../domain/Activity.ts"
import { MAX_USAGE_DAYS } from "../../domain/money/Usage.ts"
import { ActivitySums } from "./ActivityReports.ts"
import { Workers } from "../concurrency/Workers.ts"
import { warnOfFailure } from "../system/Observability.ts"
import { Timers } from "../timer/Timers.ts"

/** A customer with fewer sends in a day: its reports read them one by one anyway. */
const BUSY_SENDS = 100
/** Later, no reports of deliveries are awaited. */
const RECENT_MILLIS = 26 * HOUR_MILLIS
/** The longest report, and the time before it that it is compared with. */
const OLDEST_MILLIS = 2 * MAX_USAGE_DAYS * DAY_MILLIS
/** One statement sums up an hour. */
const MAX_SLOTS = 2
/** A customer's turn: what is recent, or a day. */
const SLOTS_OF_TURN = RECENT_MILLIS / SLOT_MILLIS

/**
 * Sums up the sends of busy customers each hour, so that their reports need not read millions of records. First what is new
 * of all of them, then, if time is left, the past, as far as reports go back: a day of each in turn.
 */
export class ActivityRounds extends Context.Service<
  ActivityRounds,
  { readonly runTimer: (timer: DueTimer) => Effect.Effect<void> }
>()("peyk/services/activity/ActivityRounds") {
  static readonly layer = Layer.effect(
    ActivityRounds,
    Effect.gen(function* () {
      const sums = yield* ActivitySums
      const timers = yield* Timers
      const workers = yield* Workers

      /** Sums up the newest of what is due: how many slots; null if the round is over. */
      const sumUp = Effect.fnUntraced(function* (customerId: number, span: TimeSpan, end: Instant) {
        const now = yield* Clock.currentTimeMillis
        const due = (yield* sums.unfinished(customerId, span, now)).filter((slot) => isDue(slot, now))
        const newest = due.map(({ startsAt }) => startsAt).toSorted((one, other) => other - one)
        const slots = newest.slice(0, SLOTS_OF_TURN)
        for (const range of rangesOf(slots, MAX_SLOTS)) {
          const before = yield* Clock.currentTimeMillis
          if (before >= end) return null
          yield* sums.sumUp(customerId, range, before)
          const took = (yield* Clock.currentTimeMillis) - before
          if (!(yield* workers.pause(activityPauseMillis(took)))) return null
        }
        return slots.length
      })

      /** One customer's failure must not keep the others' sums from being made. */
      const trySumUp = (customerId: number, span: TimeSpan, end: Instant) =>
        Effect.catchCause(sumUp(customerId, span, end), (cause) =>
          Effect.as(warnOfFailure(`sums of customer ${customerId} failed`, cause), 0)
        )

      const isBusy = (customerId: number, now: Instant) =>
        Effect.map(sums.sendsSince(customerId, now - DAY_MILLIS, BUSY_SENDS), (sends) => sends >= BUSY_SENDS)

      const round = Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const end = now + ACTIVITY_TURN_MILLIS
        const busy = yield* Effect.filter(yield* sums.customers, (customerId) => isBusy(customerId, now))
        for (const customerId of busy) {
          const summed = yield* trySumUp(customerId, { from: now - RECENT_MILLIS, to: now }, end)
          if (summed === null) return
        }
        let left = busy
        while (left.length > 0) {
          const next: Array<number> = []
          for (const customerId of left) {
            const summed = yield* trySumUp(customerId, { from: now - OLDEST_MILLIS, to: now }, end)
            if (summed === null) return
            if (summed > 0) next.push(customerId)
          }
          left = next
        }
      })

      const moveOn = Effect.fnUntraced(function* (timer: DueTimer) {
        yield* timers.releaseUntil(timer, (yield* Clock.currentTimeMillis) + ACTIVITY_ROUND_MILLIS)
      })

      return ActivityRounds.of({ runTimer: (timer) => Effect.andThen(round, moveOn(timer)) })
    })
  )
}
