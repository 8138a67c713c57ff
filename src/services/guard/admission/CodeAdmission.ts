import { Clock, Effect } from "effect"
import type { BlockedPhone, SuspectedFraud } from "../../../domain/Errors.ts"
import type { GuardMode } from "../../../domain/guard/GuardSettings.ts"
import { NO_TRACES } from "../../../domain/guard/Segments.ts"
import { verdictOf } from "../../../domain/guard/Verdict.ts"
import { CodeBudgets } from "../CodeBudgets.ts"
import { GuardWakes } from "../GuardWakes.ts"
import { Networks } from "../Networks.ts"
import { NO_CALLERS_LIMIT } from "./BombedPhones.ts"
import { type Decision, makeDecide, passing } from "./CodeDecisions.ts"
import { makeAnswers } from "./DecisionAnswers.ts"
import { type Admitted, askedCode, type GuardRequest, tracesOf, useOf } from "./GuardRequest.ts"

/** Admits codes, or refuses them, as the guard is set. */
export const makeAdmit = Effect.fnUntraced(function* (modeOf: (set: GuardMode) => GuardMode) {
  const clock = yield* Clock.Clock
  const networks = yield* Networks
  const budgets = yield* CodeBudgets
  const wakes = yield* GuardWakes
  const decide = yield* makeDecide
  const { recorded, enforced, denied } = yield* makeAnswers

  return (request: GuardRequest): Effect.Effect<Admitted, BlockedPhone | SuspectedFraud> =>
    Effect.suspend((): Effect.Effect<Admitted, BlockedPhone | SuspectedFraud> => {
      const { customer, route } = request
      const { customerId, guard } = customer
      const mode = modeOf(guard.mode)
      const traces = mode === "off" ? NO_TRACES : tracesOf(request)
      const now = clock.currentTimeMillisUnsafe()
      const verdict = verdictOf(guard, askedCode(request, traces), networks.isIn, now)
      if (verdict._tag === "Denied") return denied(request)
      if (mode === "off") return Effect.succeed({ route, mark: null, callersLimit: 0, taken: null })
      wakes.sent(customerId, now)
      if (verdict._tag === "Exempt") {
        return Effect.succeed({
          route,
          mark: "exempt" as const,
          callersLimit: NO_CALLERS_LIMIT,
          taken: null
        })
      }
      const isEnforced = mode === "enforcing"
      const answer = (decision: Decision) =>
        isEnforced ? enforced(request, decision, now) : Effect.succeed(recorded(request, decision))
      if (verdict.action === null) {
        const use = useOf(request, verdict)
        const { empty, isCommon } = budgets.takeAtHand(use, now)
        if (empty.length === 0) return answer(passing(use, isCommon))
      }
      return Effect.flatMap(decide(request, verdict, traces, isEnforced, now), answer)
    })
})
