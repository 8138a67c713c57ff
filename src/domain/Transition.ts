import type { ReportRequest } from "./ProviderOutcome.ts"
import type { Instant } from "./Instant.ts"

/** A state after an event, the events that it announces, and when its timer is due (null: never again). */
export interface Transition<State, Event extends string, Due = Instant | null> {
  readonly next: State
  readonly events: ReadonlyArray<Event>
  readonly dueAt: Due
  /** Present if a provider has accepted and will report the delivery. */
  readonly report?: ReportRequest
}
