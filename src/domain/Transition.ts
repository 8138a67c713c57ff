import type { Instant } from "./Instant.ts"

/** A state after an event, what it announces, and when its timer is due (null: never again). */
export interface Transition<State, Event extends string, Due = Instant | null> {
  readonly next: State
  readonly events: ReadonlyArray<Event>
  readonly dueAt: Due
}
