import { Clock, Context, Effect, Layer } from "effect"
import { ALERT_ROUND_MILLIS, seen, subjectKey } from "../../domain/alert/AlertPace.ts"
import { PLATFORM } from "../../domain/customer/Customer.ts"
import type { Instant } from "../../domain/Instant.ts"
import type { DueTimer } from "../../domain/Timer.ts"
import { CustomerRows } from "../customer/CustomerRows.ts"
import { Timers } from "../timer/Timers.ts"
import { TimerStore } from "../timer/TimerStore.ts"
import { AlertConditions } from "./AlertConditions.ts"
import { AlertStore } from "./AlertStore.ts"

/**
 * Looks at each customer that has somebody to alert, once a minute, under a timer of its own: so rounds are shared among
 * processes, and survive each of them. The installation's timer also makes those of customers.
 */
export class AlertRounds extends Context.Service<
  AlertRounds,
  { readonly runTimer: (timer: DueTimer) => Effect.Effect<void> }
>()("peyk/services/alert/AlertRounds") {
  static readonly layer = Layer.effect(
    AlertRounds,
    Effect.gen(function* () {
      const store = yield* AlertStore
      const conditions = yield* AlertConditions
      const timers = yield* Timers
      const timerStore = yield* TimerStore
      const { split } = yield* CustomerRows

      /** Only what may change something is written: a condition that lasts costs no write. */
      const observe = Effect.fnUntraced(function* (customerId: number, now: Instant) {
        const found = yield* conditions.read(customerId, now)
        const open = new Map((yield* store.subjects(customerId)).map((each) => [subjectKey(each), each]))
        for (const condition of found) {
          const known = open.get(subjectKey(condition))
          open.delete(subjectKey(condition))
          if (known !== undefined && seen(known, "found", now).state === known) continue
          const dueAt = yield* store.sight(customerId, condition, "found", now)
          if (dueAt !== null) timers.wakeAt(dueAt)
        }
        if (open.size > 0) yield* store.close(customerId, [...open.values()], now)
      })

      const scheduleCustomers = Effect.fnUntraced(function* (watched: ReadonlyArray<number>, now: Instant) {
        const customers = watched.filter((customerId) => customerId !== PLATFORM)
        if (customers.length === 0) return
        yield* split(
          customers,
          (customerId) => customerId,
          (own) => store.scheduleWatches(own, now)
        )
        timers.wakeAt(now)
      })

      const ofInstallation = Effect.fnUntraced(function* (now: Instant) {
        const watched = yield* store.watched
        yield* scheduleCustomers(watched, now)
        if (watched.includes(PLATFORM)) yield* observe(PLATFORM, now)
      })

      const round = Effect.fnUntraced(function* (timer: DueTimer) {
        const { customerId } = timer
        const now = yield* Clock.currentTimeMillis
        if (customerId === PLATFORM) yield* ofInstallation(now)
        else if (yield* store.isWatched(customerId)) yield* observe(customerId, now)
        // The installation's round makes it again when there is somebody.
        else return yield* timerStore.remove(timer)
        yield* timers.releaseUntil(timer, (yield* Clock.currentTimeMillis) + ALERT_ROUND_MILLIS)
      })

      return AlertRounds.of({
        runTimer: (timer) => Effect.catchCause(round(timer), timers.releaseForRetry(timer))
      })
    })
  )
}
