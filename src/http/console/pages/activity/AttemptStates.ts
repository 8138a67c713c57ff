import { isUncertain } from "../../../../domain/provider/ProviderOutcome.ts"
import type { Attempt } from "../../../../domain/verification/Verification.ts"

export type AttemptOutcome = Pick<Attempt, "error_code" | "delivery"> & { readonly status: string }

/** The state of an attempt as people see it: a delivery report says more than "sent". */
export const attemptState = ({ status, error_code, delivery }: AttemptOutcome): string =>
  status === "failed" ? (isUncertain({ error_code }) ? "unknown" : "failed") : (delivery?.status ?? status)
