import { Effect } from "effect"
import { BlockedPhone, SuspectedFraud } from "../../../domain/Errors.ts"
import type { Instant } from "../../../domain/Instant.ts"
import { retryAfterSeconds } from "../../../domain/people/Admission.ts"
import { GuardMetrics } from "../GuardMetrics.ts"
import { GuardRefusals } from "../GuardRefusals.ts"
import { BOMBED_BY, NO_CALLERS_LIMIT } from "./BombedPhones.ts"
import { type Decision, withoutSms } from "./CodeDecisions.ts"
import type { Admitted, GuardRequest } from "./GuardRequest.ts"

/** The answers to a send, by the decision. Each is counted. */
export const makeAnswers = Effect.gen(function* () {
  const refusals = yield* GuardRefusals
  const metrics = yield* GuardMetrics

  const recorded = ({ route }: GuardRequest, { action, mark, taken }: Decision): Admitted => {
    if (action !== null) metrics.flagged(action)
    return { route, mark: action ?? mark, callersLimit: NO_CALLERS_LIMIT, taken }
  }

  const enforced = (
    { customer, phone, route }: GuardRequest,
    { action, mark, reason, isWhole, taken, until }: Decision,
    now: Instant
  ) => {
    if (action === "refuse") {
      if (isWhole) refusals.countWhole(customer.customerId, phone, now)
      else refusals.count(customer.customerId, "refused")
      metrics.refused(reason)
      return Effect.fail(new SuspectedFraud({ retryAfterSeconds: retryAfterSeconds(until, now) }))
    }
    if (action === null) return Effect.succeed({ route, mark, callersLimit: BOMBED_BY, taken })
    metrics.refused("no_sms")
    return Effect.succeed({ route: withoutSms(route) ?? route, mark, callersLimit: BOMBED_BY, taken })
  }

  const denied = (request: GuardRequest) => {
    refusals.count(request.customer.customerId, "denied")
    metrics.refused("deny_list")
    return new BlockedPhone()
  }

  return { recorded, enforced, denied }
})
