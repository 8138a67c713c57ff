import { isUncertain } from "../account/ProviderOutcome.ts"
import { chargeInOrder } from "../money/Charging.ts"
import { type Attempt, firstAnswer, isTerminal, type Verification } from "./Verification.ts"

const isDefiniteFailure = (attempt: Attempt): boolean => attempt.status === "failed" && !isUncertain(attempt)

/** The verification with the answer of its send: the first outcome decides it, and nothing later changes it. */
export const answered = (verification: Verification): Verification =>
  verification.answeredStep === null ? { ...verification, ...firstAnswer(verification) } : verification

/** The verification with its cost so far, and the most that its remaining steps can still cost. */
export const charged = (verification: Verification): Verification => {
  const { attempts, route, remaining, nextStepAt, status } = verification
  const succeeded = attempts.flatMap((attempt) =>
    attempt.status === "sent" ? (route[attempt.step] ?? []) : []
  )
  const isOpen = !isTerminal(status) && nextStepAt !== null
  return {
    ...verification,
    ...chargeInOrder(succeeded, isOpen ? remaining.flatMap((step) => route[step] ?? []) : [])
  }
}

/** Failed when no channel is left and each definitely failed; not after the end, when readers see it expired. */
export const statusAfter = (
  attempts: ReadonlyArray<Attempt>,
  hasNext: boolean,
  isOver: boolean
): "queued" | "failed" => (!hasNext && !isOver && attempts.every(isDefiniteFailure) ? "failed" : "queued")
