import type { Instant } from "../Instant.ts"
import type { MessageAttempt } from "./Message.ts"

export const withAttempt = (
  attempts: ReadonlyArray<MessageAttempt>,
  attempt: MessageAttempt
): ReadonlyArray<MessageAttempt> =>
  attempts.some(({ step }) => step === attempt.step)
    ? attempts.map((existing) => (existing.step === attempt.step ? attempt : existing))
    : [...attempts, attempt]

export const newAttempt = (step: number, dueAt: Instant): MessageAttempt => ({
  step,
  status: "pending",
  tries: 0,
  error_code: null,
  provider_error: null,
  provider_message_id: null,
  due_at: dueAt,
  attempted_at: null,
  finished_at: null
})

export const failedAttempt = (attempt: MessageAttempt, now: Instant): MessageAttempt => ({
  ...attempt,
  status: "failed",
  error_code: attempt.error_code ?? "account_unavailable",
  finished_at: now
})
