import type { ReportRequest } from "./account/DeliveryReport.ts"
import type { Instant } from "./Instant.ts"

/** A state after an event, what it announces, and when its timer is due (null: never again). */
export interface Transition<State, Event extends string, Due = Instant | null> {
  readonly next: State
  readonly events: ReadonlyArray<Event>
  readonly dueAt: Due
  /** Present when a provider has accepted and will tell what became of it. */
  readonly report?: ReportRequest
}
