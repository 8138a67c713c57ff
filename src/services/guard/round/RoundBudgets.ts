import type { Alarm } from "../../../domain/guard/Alarm.ts"
import { budgetOf, leastBudget, PROBATION_BUDGET } from "../../../domain/guard/CodeBudget.ts"
import { usualPerHour } from "../../../domain/guard/Conversion.ts"
import type { CustomerState } from "../../../domain/guard/round/CustomerState.ts"
import type { Round } from "../../../domain/guard/round/Round.ts"
import type { SegmentState } from "../../../domain/guard/SegmentState.ts"
import { CUSTOMER_SEGMENT, type Segment, segmentName } from "../../../domain/guard/Segments.ts"
import type { Instant } from "../../../domain/Instant.ts"
import type { RoundResult } from "../GuardStore.ts"

/** The budgets of segments that are not at the least. */
export const budgetsOf = (
  customer: CustomerState,
  segments: Round["segments"],
  raised: ReadonlyArray<Alarm>,
  known: ReadonlyMap<string, SegmentState>,
  now: Instant
): RoundResult["budgets"] => {
  const budgets = new Map<string, { budget: number; restarts: boolean }>()
  const note = (segment: Segment, state: SegmentState, wasOnProbation: boolean) => {
    const usual = usualPerHour(state.profile, now)
    const budget = state.onProbation ? PROBATION_BUDGET : budgetOf(segment.kind, usual)
    if (budget !== leastBudget(segment.kind) || wasOnProbation) {
      budgets.set(segmentName(segment), { budget, restarts: false })
    }
  }
  note(CUSTOMER_SEGMENT, customer.self, true)
  for (const [name, { segment, state }] of segments) {
    note(segment, state, known.get(name)?.onProbation ?? false)
  }
  for (const alarm of raised) {
    if (alarm.reason === "unverified") {
      budgets.set(segmentName(alarm), { budget: PROBATION_BUDGET, restarts: true })
    }
  }
  return budgets
}
