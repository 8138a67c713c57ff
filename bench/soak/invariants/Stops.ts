/**
 * In an orderly stop no request that was read fails.
 *
 * A request that a stopping process never read can break: its client repeats it, and the repeat is the first.
 */
import type { Outcome } from "../Client.ts"
import { LOSSES } from "../Disturbances.ts"
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

export const stops: Invariant = (evidence) => {
  const { journal, problems, stopMillis } = evidence
  const slowest = Math.max(0, ...stopMillis)
  const cutByRolls = journal.broken.filter((each) => isTakenByStop(each, evidence)).length
  return {
    invariant: "In an orderly stop no request that was read fails",
    counted: `${stopMillis.length} orderly stops, the longest ${slowest.toFixed(0)} ms; ${cutByRolls} connections closed by them before a request was read`,
    isCovered: stopMillis.length > 0,
    broken: [
      ...problems,
      ...(slowest > LONGEST_STOP_MILLIS ? [`an orderly stop took ${slowest.toFixed(0)} ms`] : []),
      ...journal.repeated
        .filter((attempts) => readAndFailed(attempts, evidence))
        .map(
          (attempts) =>
            `${attempts[0]?.operation} was read by a process that stopped in order, and not answered`
        )
    ]
  }
}
