import { expire, reasonWithoutMatch, unchanged } from "../../src/domain/verification/VerificationMachine.ts"
import type {
  VerificationTransition,
  VerifyReason
} from "../../src/domain/verification/VerificationMachine.ts"
import type { Verification } from "../../src/domain/verification/Verification.ts"

/** A code that was entered. The store compares hashes, so the model only learns whether they were equal. */
export interface CodeEntry {
  readonly isRight: boolean
  readonly now: number
  /** The wrong codes that were compared before. */
  readonly wrongCodes: number
  /** The wrong code that locks the verification; null: none does. */
  readonly maxWrongCodes: number | null
}

interface CodeTransition extends VerificationTransition {
  readonly reason: VerifyReason
  readonly wrongCodes: number
}

const endedAs = (
  verification: Verification,
  status: "verified" | "locked",
  verifiedAt: number | null
): VerificationTransition => {
  const ended = expire(verification)
  return { ...ended, next: { ...ended.next, status, verifiedAt }, events: [`verification.${status}`] }
}

/**
 * What the statement of `layers/postgres/batching/CompareBatchSql.ts` has to do, for one code at a time: a verification
 * is verified by the right code, counts a wrong one, and is locked by one wrong code too many.
 */
export const modelOfCompare = (
  verification: Verification,
  { isRight, now, wrongCodes, maxWrongCodes }: CodeEntry
): CodeTransition => {
  const reason = reasonWithoutMatch(verification, now)
  if (reason !== "invalid_code") return { ...unchanged(verification), reason, wrongCodes }
  if (isRight) return { ...endedAs(verification, "verified", now), reason: "ok", wrongCodes }
  const isLast = maxWrongCodes !== null && wrongCodes + 1 >= maxWrongCodes
  const transition = isLast ? endedAs(verification, "locked", null) : unchanged(verification)
  return { ...transition, reason, wrongCodes: wrongCodes + 1 }
}
