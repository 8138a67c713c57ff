import type { Alarm } from "../../../domain/guard/Alarm.ts"
import { budgetOf, leastBudget, PROBATION_BUDGET } from "../../../domain/guard/CodeBudget.ts"
import { usualPerHour } from "../../../domain/guard/Conversion.ts"
import type { CustomerState } from "../../../domain/guard/round/CustomerState.ts"
import { isOfMost, type Round } from "../../../domain/guard/round/Round.ts"
import type { SegmentState } from "../../../domain/guard/SegmentState.ts"
import { type Segment, segmentName, WHOLE } from "../../../domain/guard/Segments.ts"
import type { Instant } from "../../../domain/Instant.ts"
import type { RoundResult } from "../GuardStore.ts"

/** The budgets of segments that are not at the least. */
export const budgetsOf = (
  customer: CustomerState,
  segments: Round["segments"],
  raised: ReadonlyArray<Alarm>,
  known: ReadonlyMap<string, SegmentState>,
  wasOnProbation: boolean,
  now: Instant
): RoundResult["budgets"] => {
  const budgets = new Map<string, { budget: number; restarts: boolean }>()
  const ofMost = (segment: Segment, state: SegmentState) =>
    isOfMost(customer, segment, state) ? budgetOf(WHOLE.all, usualPerHour(customer.self.profile, now)) : 0
  const note = (segment: Segment, state: SegmentState, isStored: boolean) => {
    const { profile, onProbation } = state
    const own = budgetOf(segment, usualPerHour(profile, now))
    // What the customer's two budgets for all let pass, a network of most users does not refuse.
    const budget = onProbation ? PROBATION_BUDGET : Math.max(own, 2 * ofMost(segment, state))
    if (budget !== leastBudget(segment) || isStored) {
      budgets.set(segmentName(segment), { budget, restarts: false })
    }
  }
  note(WHOLE.all, customer.self, true)
  note(WHOLE.common, customer.self, wasOnProbation)
  // An attack on others is no reason to refuse known networks.
  const calm = { ...customer.self, onProbation: false }
  note(WHOLE.known, calm, false)
  note(WHOLE.vouched, calm, false)
  for (const [name, { segment, state }] of segments) {
    note(segment, state, known.get(name)?.onProbation ?? false)
  }
  for (const alarm of raised) {
    if (alarm.reason !== "unverified") continue
    for (const segment of alarm.kind === "customer" ? [WHOLE.all, WHOLE.common] : [alarm]) {
      budgets.set(segmentName(segment), { budget: PROBATION_BUDGET, restarts: true })
    }
  }
  return budgets
}
