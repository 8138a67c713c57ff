/** An attempt says what the provider did: sent is sent, and a definite failure was not delivered. */
import { LOSSES } from "../Disturbances.ts"
import { describe, type Evidence, groupBy, type Invariant, stepKey } from "../Evidence.ts"
import { type Arrival, DEDUPLICATING, deeds, PROVIDER_TIMEOUT_MILLIS } from "../Providers.ts"
import type { AttemptRecord, SubjectRecord } from "../Records.ts"

/**
 * Whether a fault hit the server that made a call, or the store, at a time that keeps the call's outcome from being
 * recorded.
 */
const wasHindered = ({ at, server }: Arrival, { disturbances, leaseMillis }: Evidence) =>
  disturbances.during({ from: at - 1000, to: at + 3000 + 2 * leaseMillis }, LOSSES, server)

/**
 * The only call that arrived was a repeat: some server was hindered after it began the step and before it called. A
 * repeat that fails proves nothing of the first call.
 */
const wasOnlyTheRepeat = (
  arrivals: ReadonlyArray<Arrival>,
  { disturbances, leaseMillis }: Evidence
): boolean => {
  const [only, ...others] = arrivals
  if (only === undefined || others.length > 0 || !DEDUPLICATING.includes(only.channel)) return false
  return disturbances.during({ from: only.at - 1000 - 2 * leaseMillis, to: only.at }, LOSSES)
}

/** The server was stopped when its time-out ended, and found the late answer when it went on. */
const wasReadLate = ({ deed, at, server }: Arrival, { disturbances }: Evidence): boolean =>
  deed === "late" &&
  disturbances.during({ from: at, to: at + PROVIDER_TIMEOUT_MILLIS }, ["freeze", "stall"], server)

const problemOf = (
  attempt: AttemptRecord,
  arrivals: ReadonlyArray<Arrival>,
  evidence: Evidence
): string | undefined => {
  const isAccepted = arrivals.some(
    (each) => deeds[each.deed].answer === "accepted" || wasReadLate(each, evidence)
  )
  const isDelivered = arrivals.some(({ deed }) => deeds[deed].delivers)
  if (attempt.status === "sent") return isAccepted ? undefined : "is sent, and its provider accepted nothing"
  if (attempt.error_code !== "provider_outcome_unknown") {
    return isDelivered ? `failed for certain (${attempt.error_code}), and was delivered` : undefined
  }
  const isWrittenOff =
    arrivals.length > 0 &&
    arrivals.every(({ deed }) => deeds[deed].answer !== "nothing") &&
    !arrivals.some((each) => wasHindered(each, evidence)) &&
    !wasOnlyTheRepeat(arrivals, evidence)
  return isWrittenOff
    ? "was written off as unknown, though its provider answered and its process was not hindered"
    : undefined
}

/** The process that made the call, or the store, was lost before it was recorded, and its code had ended meanwhile. */
const isForgotten = (subject: SubjectRecord, call: Arrival, evidence: Evidence): boolean =>
  ["verified", "locked"].includes(subject.status) && wasHindered(call, evidence)

const problemsOf = (
  subject: SubjectRecord,
  arrivals: ReadonlyMap<string, ReadonlyArray<Arrival>>,
  evidence: Evidence
): ReadonlyArray<string> =>
  subject.route.flatMap(({ channel }, step): ReadonlyArray<string> => {
    const attempt = subject.attempts.find((each) => each.step === step)
    const calls = arrivals.get(stepKey(subject.phone, channel)) ?? []
    const summary = `${describe(subject)}: step ${step + 1} over ${channel}`
    if (attempt === undefined) {
      return calls.every((call) => isForgotten(subject, call, evidence))
        ? []
        : [`${summary} was called, and is not recorded`]
    }
    const problem = problemOf(attempt, calls, evidence)
    const calledAs = calls.map(({ deed }) => deed).join(", ")
    return problem === undefined
      ? []
      : [`${summary} ${problem} (${calledAs === "" ? "not called" : calledAs})`]
  })

export const truth: Invariant = (evidence) => {
  const { records, arrivals } = evidence
  const steps = groupBy(arrivals, ({ phone, channel }) => stepKey(phone, channel))
  const known = new Set(records.subjects.map(({ phone }) => phone))
  const strangers = arrivals.filter(({ phone }) => !known.has(phone))
  const attempts = records.subjects.flatMap((subject) => subject.attempts)
  const unknown = attempts.filter(({ error_code }) => error_code === "provider_outcome_unknown").length
  return {
    invariant: "Attempts record what providers did",
    counted: `${attempts.length} attempts, ${unknown} of them with an unknown outcome`,
    isCovered: attempts.length > 0,
    broken: [
      ...records.subjects.flatMap((subject) => problemsOf(subject, steps, evidence)),
      ...strangers.map(
        ({ phone, channel }) => `${phone} was sent something over ${channel} that nobody recorded`
      )
    ]
  }
}
