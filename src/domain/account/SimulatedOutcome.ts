import { Schema } from "effect"

/** What the simulator's accounts can do with a send. */
export const SimulatedOutcome = Schema.Literals([
  "accepted",
  "rejected",
  "unreachable",
  "throttled",
  "unavailable",
  "unknown"
])
export type SimulatedOutcome = typeof SimulatedOutcome.Type
