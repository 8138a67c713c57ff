/** The invariants: they hold after any fault. */
import type { Evidence, Finding, Invariant } from "./Evidence.ts"
import { acceptance } from "./invariants/Acceptance.ts"
import { answers } from "./invariants/Answers.ts"
import { codesOnce } from "./invariants/Codes.ts"
import { events } from "./invariants/Events.ts"
import { fairness } from "./invariants/Fairness.ts"
import { holdings } from "./invariants/Holdings.ts"
import { money } from "./invariants/Money.ts"
import { sentOnce } from "./invariants/SentOnce.ts"
import { states } from "./invariants/States.ts"
import { stops } from "./invariants/Stops.ts"
import { timers } from "./invariants/Timers.ts"
import { truth } from "./invariants/Truth.ts"

const invariants: ReadonlyArray<Invariant> = [
  states,
  sentOnce,
  truth,
  codesOnce,
  events,
  money,
  timers,
  answers,
  acceptance,
  holdings,
  stops,
  fairness
]

const SHOWN = 20

export const findings = (evidence: Evidence): ReadonlyArray<Finding> =>
  invariants.map((invariant) => invariant(evidence))

export const show = ({ invariant, counted, broken }: Finding): string => {
  const more = broken.length > SHOWN ? [`… and ${broken.length - SHOWN} more`] : []
  const lines = [...broken.slice(0, SHOWN), ...more].map((each) => `    ✗ ${each}`)
  return [`${broken.length === 0 ? "✓" : "✗"} ${invariant}`, `      ${counted}`, ...lines].join("\n")
}
