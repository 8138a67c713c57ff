import { Context, Effect, Layer } from "effect"
import type { Instant } from "../../domain/Instant.ts"
import { BUDGET_WINDOW_MILLIS } from "../../domain/guard/CodeBudget.ts"
import { FIRST_ROUND_MILLIS, roundAt } from "../../domain/guard/Conversion.ts"
import { nameIn, type Segment, WHOLE } from "../../domain/guard/Segments.ts"
import { BoundedMap } from "../concurrency/Collections.ts"
import { Workers } from "../concurrency/Workers.ts"
import { type BudgetUse, CodeBudgets } from "./CodeBudgets.ts"
import { GuardStore } from "./GuardStore.ts"
import { warnOfFailure } from "../system/Observability.ts"
import { Timers } from "../timer/Timers.ts"

const MAX_SEGMENTS = 50_000

/** The customer's budgets have one alarm. */
const shownAs = (segment: Segment): Segment => (segment.kind === "customer" ? WHOLE.all : segment)

/** Raises the alarm of segments whose budget is used up: once an hour for each, in the background. */
export class BudgetAlarms extends Context.Service<
  BudgetAlarms,
  {
    readonly usedUp: (use: BudgetUse, empty: ReadonlyArray<Segment>, enforced: boolean, now: Instant) => void
  }
>()("peyk/services/guard/GuardAlarms/BudgetAlarms") {
  static readonly layer = Layer.effect(
    BudgetAlarms,
    Effect.gen(function* () {
      const store = yield* GuardStore
      const budgets = yield* CodeBudgets
      const runFork = Effect.runForkWith(yield* Effect.context<never>())
      const raisedUntil = new BoundedMap<string, Instant>(MAX_SEGMENTS)

      const raise = (customerId: number, segment: Segment, enforced: boolean, now: Instant) => {
        const name = nameIn(customerId, segment)
        if ((raisedUntil.get(name) ?? 0) > now) return
        const until = now + BUDGET_WINDOW_MILLIS
        raisedUntil.set(name, until)
        const alarm = {
          ...segment,
          reason: "budget",
          level: 1,
          action: "refuse",
          startedAt: now,
          until,
          codes: budgets.used(customerId, segment),
          verified: 0
        } as const
        runFork(
          Effect.catchCause(store.raise(customerId, alarm, enforced), (cause) => {
            raisedUntil.delete(name)
            return warnOfFailure("an alarm of the guard was not raised", cause)
          })
        )
      }

      return BudgetAlarms.of({
        usedUp: ({ customerId, segments }, empty, enforced, now) => {
          for (const segment of empty) {
            if (segment !== WHOLE.common) raise(customerId, shownAs(segment), enforced, now)
            else
              for (const part of segments)
                if (budgets.isBusy(customerId, part)) raise(customerId, part, enforced, now)
          }
        }
      })
    })
  )
}

/** A customer's rounds are ensured this often while it sends. */
const ENSURED_FOR_MILLIS = 30_000
const MAX_CUSTOMERS = 50_000

/** Ensures that codes are judged: a round is due when the first of them can be judged. */
export class GuardWakes extends Context.Service<
  GuardWakes,
  { readonly sent: (customerId: number, now: Instant) => void }
>()("peyk/services/guard/GuardAlarms/GuardWakes") {
  static readonly layer = Layer.effect(
    GuardWakes,
    Effect.gen(function* () {
      const store = yield* GuardStore
      const timers = yield* Timers
      const workers = yield* Workers
      const context = yield* Effect.context<never>()
      const ensuredAt = new BoundedMap<number, Instant>(MAX_CUSTOMERS)
      const ensure = (customerId: number, at: Instant) =>
        store.wake(customerId, at).pipe(
          Effect.andThen(Effect.sync(() => timers.wakeAt(at))),
          Effect.catchCause((cause) => {
            ensuredAt.delete(customerId)
            return warnOfFailure("a round of the guard was not ensured", cause)
          })
        )
      return GuardWakes.of({
        sent: (customerId, now) => {
          if (now - (ensuredAt.get(customerId) ?? Number.NEGATIVE_INFINITY) < ENSURED_FOR_MILLIS) return
          ensuredAt.set(customerId, now)
          workers.fork(ensure(customerId, roundAt(now + FIRST_ROUND_MILLIS)), context)
        }
      })
    })
  )
}
