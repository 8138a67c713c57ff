import { released, releasedCustomer } from "../../../domain/guard/round/Probation.ts"
import type { Round } from "../../../domain/guard/round/Round.ts"
import type { SegmentState } from "../../../domain/guard/SegmentState.ts"
import { segmentName } from "../../../domain/guard/Segments.ts"
import type { Instant } from "../../../domain/Instant.ts"
import type { OpenStoredAlarm } from "../GuardStore.ts"

/** Releases the segments whose block is over. */
export const releaseAll = (
  round: Pick<Round, "customer" | "segments">,
  known: ReadonlyMap<string, SegmentState>,
  over: ReadonlyArray<OpenStoredAlarm>,
  now: Instant
): Pick<Round, "customer" | "segments"> => {
  let { customer } = round
  const segments = new Map(round.segments)
  for (const alarm of over) {
    if (alarm.reason !== "unverified") continue
    const { enforced } = alarm
    const name = segmentName(alarm)
    if (alarm.kind === "customer") {
      customer = releasedCustomer(customer, enforced, now)
      continue
    }
    const state = segments.get(name)?.state ?? known.get(name)
    if (state !== undefined) {
      segments.set(name, { segment: alarm, state: released(state, enforced, now) })
    }
  }
  return { customer, segments }
}
