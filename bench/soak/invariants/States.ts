/** Everything accepted has ended, in a state that its history allows. */
import { describe, type Invariant, tally } from "../Evidence.ts"
import type { SubjectRecord } from "../Records.ts"
import { TERMINAL } from "../Statuses.ts"

const DEFINITE = (error: string | null) => error !== "provider_outcome_unknown"

const codeProblem = ({ status, attempts, wrongCodes }: SubjectRecord): string | undefined => {
  if (
    status === "failed" &&
    !attempts.every((each) => each.status === "failed" && DEFINITE(each.error_code))
  ) {
    return "has failed, though a code may have arrived"
  }
  if ((status === "locked") !== wrongCodes >= 5) return `has ${wrongCodes} wrong codes`
  return undefined
}

const messageProblem = ({ status, strategy, attempts, route }: SubjectRecord): string | undefined => {
  const sent = attempts.filter((each) => each.status === "sent").length
  const failed = attempts.filter((each) => each.status === "failed").length
  if (sent + failed !== attempts.length) return "has an attempt that has not ended"
  if (strategy === "failover" && sent > 1) return `was sent ${sent} times under failover`
  if (strategy === "broadcast" && attempts.length !== route.length) return "was not sent over every route"
  const expected =
    failed === route.length ? "failed" : strategy === "broadcast" && failed > 0 ? "partial_failed" : "sent"
  return status === expected ? undefined : `has ${sent} attempts sent and ${failed} failed of ${route.length}`
}

export const states: Invariant = ({ records, journal }) => {
  const broken = records.subjects.flatMap((subject): ReadonlyArray<string> => {
    const { kind, phone, status } = subject
    const seen = journal.subjects.get(phone)?.terminalSeen
    const problems = [
      TERMINAL[kind].includes(status) ? undefined : "has not ended",
      kind === "code" ? codeProblem(subject) : messageProblem(subject),
      seen === undefined || seen === status ? undefined : `was read as ${seen}`
    ]
    return problems.flatMap((problem) => (problem === undefined ? [] : [`${describe(subject)} ${problem}`]))
  })
  const of = (kind: string) =>
    records.subjects.filter((each) => each.kind === kind).map(({ status }) => status)
  return {
    invariant: "Every code and message that was accepted reached a state that the contract allows",
    counted: `${of("code").length} codes (${tally(of("code"))}), ${of("message").length} messages (${tally(of("message"))})`,
    isCovered: records.subjects.length > 0,
    broken
  }
}
