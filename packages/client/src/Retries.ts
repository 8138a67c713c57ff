// @effect-diagnostics globalRandom:off
import type { ErrorCode, PeykError } from "./PeykError.ts"

/** Nothing is known about what the service did: only a safe call may be repeated. */
const UNCERTAIN: ReadonlySet<ErrorCode> = new Set([
  "connection_failed",
  "timeout",
  "internal_error",
  "service_unavailable",
  "invalid_response",
  "request_timeout"
])

const FIRST_DELAY_MS = 250
const LONGEST_DELAY_MS = 10_000

/** Whether to call again. Limits (429) are for the caller to decide: waiting may take hours. */
export const mayRetry = (error: PeykError, isSafe: boolean): boolean => {
  if (!isSafe || (error.retryAfter ?? 0) * 1000 > LONGEST_DELAY_MS) return false
  if (error.code === "invalid_response") return error.status >= 500
  return UNCERTAIN.has(error.code) || error.code === "idempotency_key_in_progress"
}

/** Milliseconds before the next try: what the service asked for, else doubling, with jitter. */
export const delayBefore = (tries: number, { retryAfter }: PeykError): number => {
  const doubled = Math.min(FIRST_DELAY_MS * 2 ** tries, LONGEST_DELAY_MS)
  const jittered = doubled * (0.5 + Math.random() / 2)
  return Math.max(jittered, (retryAfter ?? 0) * 1000)
}
