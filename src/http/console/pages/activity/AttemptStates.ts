import { isUncertain } from "../../../../domain/account/ProviderOutcome.ts"
import type { MessageAttempt } from "../../../../domain/message/Message.ts"
import type { Attempt } from "../../../../domain/verification/Verification.ts"

/** The state of an attempt as people see it: a delivery report says more than "sent". */
const settled = ({
  status,
  error_code,
  delivery
}: Pick<Attempt, "error_code" | "delivery"> & { status: string }) =>
  status === "failed" ? (isUncertain({ error_code }) ? "unknown" : "failed") : (delivery?.status ?? status)

export const codeAttemptState = (attempt: Attempt): string => settled(attempt)

export const messageAttemptState = (attempt: MessageAttempt): string => settled(attempt)
