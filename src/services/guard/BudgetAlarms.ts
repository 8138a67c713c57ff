import { Context, Effect, Layer } from "effect"
import { BUDGET_WINDOW_MILLIS } from "../../domain/guard/CodeBudget.ts"
import { nameIn, type Segment, WHOLE } from "../../domain/guard/Segments.ts"
import type { Instant } from "../../domain/Instant.ts"
import { BoundedMap } from "../concurrency/BoundedMap.ts"
import { type BudgetUse, CodeBudgets } from "./CodeBudgets.ts"
import { GuardStore } from "./GuardStore.ts"
import { warnOfFailure } from "../metrics/LoggedCause.ts"

const MAX_SEGMENTS = 50_000

/** The customer's budgets have one alarm. */
const shownAs = (segment: Segment): Segment => (segment.kind === "customer" ? WHOLE.all : segment)

/** Raises the alarm of segments whose budget is used up: once an hour for each, in the background. */
export class BudgetAlarms extends Context.Service<
  BudgetAlarms,
  {
    readonly usedUp: (use: BudgetUse, empty: ReadonlyArray<Segment>, enforced: boolean, now: Instant) => void
  }
>()("peyk/services/guard/BudgetAlarms") {
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
