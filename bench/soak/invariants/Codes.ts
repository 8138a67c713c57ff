/** A code is accepted once, and the responses of verify match what happened. */
import { describe, type Invariant } from "../Evidence.ts"

export const codesOnce: Invariant = ({ records, journal }) => {
  const codes = records.subjects.filter(({ kind }) => kind === "code")
  let accepted = 0
  let refused = 0
  const broken = codes.flatMap((subject): ReadonlyArray<string> => {
    const seen = journal.subjects.get(subject.phone)
    if (seen === undefined) return [`${describe(subject)} was sent by nobody`]
    accepted += seen.verified
    refused += seen.refusedCodes
    const isVerified = subject.status === "verified"
    const problems = [
      seen.verified > 1 ? `was accepted ${seen.verified} times` : undefined,
      seen.verified > 0 && !isVerified ? "was accepted" : undefined,
      isVerified && seen.rightCodesGiven === 0 ? "had no right code" : undefined,
      isVerified && seen.verified === 0 && seen.rightCodesLost === 0
        ? "was accepted, and no client was informed"
        : undefined,
      seen.refusedCodes > subject.wrongCodes
        ? `refused ${seen.refusedCodes} codes and counted ${subject.wrongCodes}`
        : undefined,
      subject.wrongCodes > seen.refusedCodes + seen.wrongCodesLost
        ? `counted ${subject.wrongCodes} wrong codes, of which ${seen.refusedCodes} were answered`
        : undefined
    ]
    return problems.flatMap((problem) => (problem === undefined ? [] : [`${describe(subject)} ${problem}`]))
  })
  return {
    invariant: "No code was accepted twice, and none was compared without being counted",
    counted: `${accepted} right codes accepted, ${refused} wrong ones refused`,
    isCovered: accepted > 0 && refused > 0,
    broken
  }
}
