import { Clock, Context, Effect, Layer } from "effect"
import { IDLE_ROUND_MILLIS } from "../../../domain/guard/Maturity.ts"
import type { Instant } from "../../../domain/Instant.ts"
import type { DueTimer } from "../../../domain/Timer.ts"
import { Timers } from "../../timer/Timers.ts"
import { TimerStore } from "../../timer/TimerStore.ts"
import { GuardCeiling } from "../Guard.ts"
import { GuardMetrics } from "../GuardMetrics.ts"
import { GuardStore, type RoundResult, type RoundSource } from "../GuardStore.ts"
import { makeJudgeCodes } from "./Judgement.ts"
import { makeNextAt, pauseAfter } from "./NextRound.ts"
import { furtherAlarms } from "./RoundAlarms.ts"
import { budgetsOf } from "./RoundBudgets.ts"
import { daysOf } from "./RoundCounts.ts"
import { makeStartRound } from "./RoundStart.ts"

const makeRounds = Effect.gen(function* () {
  const startRound = yield* makeStartRound
  const judgeCodes = yield* makeJudgeCodes
  const nextAt = yield* makeNextAt

  return Effect.fnUntraced(function* (customerId: number, source: RoundSource, now: Instant) {
    const start = yield* startRound(customerId, source, now)
    const { judgedUntil, codes, over, open } = start
    const { known, round, customer, segments } = yield* judgeCodes(start, now)
    const raised = [...round.alarms, ...furtherAlarms(codes, customer.outage, open, now)]
    const ended = customer.outage === null ? source.alarms.filter(({ reason }) => reason === "outage") : []
    const stillOpen = [...open.filter((alarm) => !ended.includes(alarm)), ...raised]
    const pause = pauseAfter(customer, segments, stillOpen.length > 0)
    const result: RoundResult = {
      customer,
      judgedUntil,
      segments,
      credits: round.credits,
      budgets: budgetsOf(
        customer,
        segments,
        round.alarms,
        known,
        source.state?.self.onProbation === true,
        now
      ),
      raised,
      cleared: [...over, ...ended],
      days: daysOf(codes),
      enforced: source.mode === "enforcing",
      nextAt: yield* nextAt(start, pause, stillOpen, now),
      now
    }
    return result
  })
})

/** Judges codes, customer by customer, when they have matured. */
export class GuardRounds extends Context.Service<
  GuardRounds,
  { readonly runTimer: (timer: DueTimer) => Effect.Effect<void> }
>()("peyk/services/guard/round/GuardRounds") {
  static readonly layer = Layer.effect(
    GuardRounds,
    Effect.gen(function* () {
      const store = yield* GuardStore
      const timers = yield* Timers
      const timerStore = yield* TimerStore
      const metrics = yield* GuardMetrics
      const isOff = (yield* GuardCeiling) === "off"
      const makeRound = yield* makeRounds

      const runRound = Effect.fnUntraced(function* (timer: DueTimer) {
        const now = yield* Clock.currentTimeMillis
        const idle = timerStore.release(timer, now + IDLE_ROUND_MILLIS)
        if (isOff) return yield* idle
        const source = yield* store.source(timer.customerId)
        if (source.mode === "off") return yield* idle
        const result = yield* makeRound(timer.customerId, source, now)
        const raised = yield* store.save(timer, result)
        if (raised === null) return
        metrics.judged(result.days.codes)
        for (const { reason } of raised) metrics.alarmed(reason)
        timers.wakeAt(result.nextAt)
      })

      return GuardRounds.of({
        runTimer: (timer) => Effect.catchCause(runRound(timer), timers.releaseForRetry(timer))
      })
    })
  )
}
