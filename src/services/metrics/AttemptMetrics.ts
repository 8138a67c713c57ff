import type { Channel } from "../../domain/routing/Channel.ts"
import type { Instant } from "../../domain/Instant.ts"
import { attemptErrorCode, type ProviderOutcome } from "../../domain/account/ProviderOutcome.ts"
import { counters, histograms, type MetricContext } from "./MetricFamilies.ts"

const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2, 3, 5, 7.5, 10, 15, 30]
const MILLIS_PER_SECOND = 1000

/** One call to a provider, and its outcome. */
export interface MeasuredAttempt {
  readonly channel: Channel
  readonly outcome: ProviderOutcome
  readonly attemptedAt: Instant
  readonly finishedAt: Instant
}

export type CountAttempt = (attempt: MeasuredAttempt) => void

/** Counts the calls to providers for one kind of sending. */
export const attemptMetrics = (context: MetricContext, kind: "verification" | "message"): CountAttempt => {
  const attempts = counters(context, "peyk_attempts_total", {
    description: "Calls to providers, by what was sent, channel, and outcome: accepted, or our error code.",
    labels: ["kind", "channel", "outcome"]
  })
  const durations = histograms(context, "peyk_attempt_duration_seconds", {
    description: "How long providers took to respond, by channel.",
    labels: ["channel"],
    boundaries: SECONDS
  })
  return ({ channel, outcome, attemptedAt, finishedAt }) => {
    attempts(kind, channel, attemptErrorCode(outcome) ?? "accepted")(1)
    durations(channel)((finishedAt - attemptedAt) / MILLIS_PER_SECOND)
  }
}
