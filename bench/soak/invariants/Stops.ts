/**
 * In an orderly stop no request that was read fails, and after a crash nothing waits longer than a lease.
 *
 * A request that a stopping process never read can break: its client repeats it, and the repeat is the first.
 */
import type { Outcome } from "../Client.ts"
import { type DisturbanceKind, LOSSES, type Span } from "../Disturbances.ts"
import type { Evidence, Invariant } from "../Evidence.ts"

const isDoneAlready = (outcome: Outcome): boolean =>
  outcome._tag === "Reply" && (outcome.isReplayed || Object(outcome.body).reason === "already_verified")

/** Whether an orderly stop is the only thing that can have caused the lost response. */
const isTakenByStop = (outcome: Outcome, { disturbances }: Evidence): boolean =>
  outcome._tag === "Broken" &&
  outcome.error !== "ECONNREFUSED" &&
  !outcome.byUs &&
  disturbances.during(outcome, ["roll"], outcome.server)

const readAndFailed = (attempts: ReadonlyArray<Outcome>, evidence: Evidence): boolean => {
  const earlier = attempts.slice(0, -1)
  const last = attempts.at(-1)
  if (last === undefined || !isDoneAlready(last)) return false
  const mayHaveBeenRead = earlier.filter((each) => !(each._tag === "Broken" && each.error === "ECONNREFUSED"))
  return (
    mayHaveBeenRead.length > 0 &&
    mayHaveBeenRead.every((each) => isTakenByStop(each, evidence)) &&
    !mayHaveBeenRead.some((each) => evidence.disturbances.during(each, LOSSES))
  )
}

/** A call to a provider can be in progress, and its outcome must be recorded. */
const LONGEST_STOP_MILLIS = 10_000

/** Without a fault, a due timer is taken up within this time. */
const PROMPT_MILLIS = 3000
/** Faults after which others take over. */
const TAKEOVERS: ReadonlyArray<DisturbanceKind> = [...LOSSES, "roll"]

export const stops: Invariant = (evidence) => {
  const { journal, lateness, leaseMillis, problems, stopMillis } = evidence
  const slowest = Math.max(0, ...stopMillis)
  /** A lease of a process that stopped or was stopped has to run out first, or of one whose statements were lost. */
  const mayBeLate = (timer: Span): number =>
    (evidence.disturbances.during(timer, TAKEOVERS) ? leaseMillis : PROMPT_MILLIS) + lateness.ofMachine
  const cutByRolls = journal.broken.filter((each) => isTakenByStop(each, evidence)).length
  const latest = Math.max(0, ...lateness.timers.map(({ millis }) => millis))
  return {
    invariant:
      "In an orderly stop no request that was read fails; nothing is late, after a fault by more than the lease",
    counted: `${stopMillis.length} orderly stops, the longest ${slowest.toFixed(0)} ms; ${cutByRolls} connections closed by them before a request was read; the latest timer ${latest.toFixed(0)} ms after its time (lease ${leaseMillis} ms, the machine itself late by ${lateness.ofMachine.toFixed(0)} ms at worst)`,
    isCovered: stopMillis.length > 0,
    broken: [
      ...problems,
      ...(slowest > LONGEST_STOP_MILLIS ? [`an orderly stop took ${slowest.toFixed(0)} ms`] : []),
      ...journal.repeated
        .filter((attempts) => readAndFailed(attempts, evidence))
        .map(
          (attempts) =>
            `${attempts[0]?.operation} was read by a process that stopped in order, and not answered`
        ),
      ...lateness.timers
        .filter((timer) => timer.millis > mayBeLate(timer))
        .map(({ timer, millis }) => `${timer} waited ${millis.toFixed(0)} ms`)
    ]
  }
}
