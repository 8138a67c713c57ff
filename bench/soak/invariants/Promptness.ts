/** Nothing is late; after a fault, nothing waits longer than a lease. */
import { type DisturbanceKind, LOSSES, type Span } from "../Disturbances.ts"
import type { Invariant } from "../Evidence.ts"

/** Without a fault, a due timer is taken up within this time. */
const PROMPT_MILLIS = 3000
/** Faults after which others take over. */
const TAKEOVERS: ReadonlyArray<DisturbanceKind> = [...LOSSES, "roll"]

export const promptness: Invariant = ({ disturbances, lateness, leaseMillis, records }) => {
  /** A lease of a process that stopped or was stopped has to run out first, or of one whose statements were lost. */
  const mayBeLate = (timer: Span): number =>
    (disturbances.during(timer, TAKEOVERS) ? leaseMillis : PROMPT_MILLIS) + lateness.ofMachine
  const latest = Math.max(0, ...lateness.timers.map(({ millis }) => millis))
  return {
    invariant: "Nothing is late, after a fault by more than the lease",
    counted: `the latest timer ${latest.toFixed(0)} ms after its time (lease ${leaseMillis} ms, the machine itself late by ${lateness.ofMachine.toFixed(0)} ms at worst), in ${lateness.looks} looks`,
    isCovered: lateness.looks > 0 && records.subjects.length > 0,
    broken: lateness.timers
      .filter((timer) => timer.millis > mayBeLate(timer))
      .map(({ timer, millis }) => `${timer} waited ${millis.toFixed(0)} ms`)
  }
}
