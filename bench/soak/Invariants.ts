/** The invariants: they hold after any fault. */
import type { Evidence, Finding, Invariant } from "./Evidence.ts"
import { acceptance } from "./invariants/Acceptance.ts"
import { answers } from "./invariants/Answers.ts"
import { codesOnce } from "./invariants/Codes.ts"
import { events } from "./invariants/Events.ts"
import { fairness } from "./invariants/Fairness.ts"
import { holdings } from "./invariants/Holdings.ts"
import { money } from "./invariants/Money.ts"
import { promptness } from "./invariants/Promptness.ts"
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
  promptness,
  fairness
]

const SHOWN = 20

/** The verdict on a run, in words. */
export const verdictOn = (found: ReadonlyArray<Finding>, seed: string): string => {
  const broken = found.filter((each) => each.broken.length > 0).length
  if (broken > 0) return `${broken} invariants are broken: --seed ${seed}`
  const uncovered = found.filter(({ isCovered }) => !isCovered).length
  return uncovered === 0
    ? "every invariant was held"
    : `every invariant was held, but ${uncovered} were not covered`
}

export const findings = (evidence: Evidence): ReadonlyArray<Finding> =>
  invariants.map((invariant) => invariant(evidence))

const markOf = ({ broken, isCovered }: Finding): string => {
  if (broken.length > 0) return "✗"
  return isCovered ? "✓" : "– not covered:"
}

export const show = (finding: Finding): string => {
  const { invariant, counted, broken } = finding
  const more = broken.length > SHOWN ? [`… and ${broken.length - SHOWN} more`] : []
  const lines = [...broken.slice(0, SHOWN), ...more].map((each) => `    ✗ ${each}`)
  return [`${markOf(finding)} ${invariant}`, `      ${counted}`, ...lines].join("\n")
}
