import type { CodeCounts } from "../../../domain/guard/GuardReport.ts"
import type { ReadCode } from "../GuardStore.ts"

const sum = (amounts: ReadonlyArray<number>): number => amounts.reduce((all, each) => all + each, 0)

export const daysOf = (codes: ReadonlyArray<ReadCode>): CodeCounts => {
  const flagged = codes.filter(({ flag, isBombed }) => flag !== null || isBombed)
  const wasted = flagged.filter(({ isVerified }) => !isVerified)
  const count = (counted: ReadonlyArray<ReadCode>) => sum(counted.map(({ weight }) => weight))
  return {
    codes: count(codes),
    verified: count(codes.filter(({ isVerified }) => isVerified)),
    flagged: count(flagged),
    flaggedVerified: count(flagged.filter(({ isVerified }) => isVerified)),
    flaggedSms: sum(wasted.map(({ sentSms, weight }) => weight * sentSms)),
    // Without SMS a code still goes over messengers.
    flaggedCharges: sum(wasted.map(({ charged, flag, weight }) => (flag === "no_sms" ? 0 : weight * charged)))
  }
}
