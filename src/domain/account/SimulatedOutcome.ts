import { Schema } from "effect"

/** The outcomes that an account of the simulator can have. */
export const SimulatedOutcome = Schema.Literals([
  "accepted",
  "rejected",
  "unreachable",
  "throttled",
  "unavailable",
  "unknown"
])
export type SimulatedOutcome = typeof SimulatedOutcome.Type
