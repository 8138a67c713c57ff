import { Arbitrary, Schema } from "effect"
import { ProviderOutcome } from "../../../src/domain/ProviderOutcome.ts"
import type { Route, RouteAccount } from "../../../src/domain/routing/Route.ts"
import { recordAttempt } from "../../../src/domain/verification/Step.ts"
import type { Verification } from "../../../src/domain/verification/Verification.ts"
import { created, outcomes, route, routeOf, START } from "./VerificationRuns.ts"

type NonEmpty<Step> = readonly [Step, ...ReadonlyArray<Step>]

/** The route with these of its steps over accounts whose providers know a send by its id. */
export const deduplicating = <Step extends RouteAccount>(
  [first, ...rest]: NonEmpty<Step>,
  steps: ReadonlyArray<number>
): NonEmpty<Step> => {
  const told = (step: Step, index: number): Step =>
    steps.includes(index) ? { ...step, deduplicates: true } : step
  return [told(first, 0), ...rest.map((step, index) => told(step, index + 1))]
}

/** Which steps of a route de-duplicate. */
export const someSteps = Arbitrary.array(Arbitrary.schema(Schema.Literals([0, 1, 2, 3, 4])), { maxLength: 5 })

export const mixedRoute = Arbitrary.all([route, someSteps]).pipe(
  Arbitrary.map(([plain, steps]): Route => deduplicating(plain, steps))
)

/** The outcome of a repeat: our code for it, null when it was accepted. */
export const repeats = [
  ["accepted", ProviderOutcome.Accepted({ messageId: "m-2" }), null],
  [
    "rejected for its recipient",
    ProviderOutcome.Rejected({ cause: "recipient", providerError: "none" }),
    "recipient_unreachable"
  ],
  [
    "rejected for its words",
    ProviderOutcome.Rejected({ cause: "request", providerError: "none" }),
    "provider_rejected"
  ],
  [
    "rejected for the account",
    ProviderOutcome.Rejected({ cause: "configuration", providerError: "none" }),
    "provider_outcome_unknown"
  ],
  [
    "throttled",
    ProviderOutcome.Throttled({ retryAfterMillis: 5, providerError: "slow" }),
    "provider_outcome_unknown"
  ],
  ["unavailable", ProviderOutcome.Unavailable({ providerError: "gone" }), "provider_outcome_unknown"],
  ["unknown again", ProviderOutcome.Unknown({ providerError: "lost" }), "provider_outcome_unknown"]
] as const

export const callAt = (
  step: number,
  outcome: ProviderOutcome,
  attemptedAt: number,
  finishedAt = attemptedAt + 35
) => ({
  step,
  outcome,
  attemptedAt,
  finishedAt
})

/** A code over one channel, which de-duplicates. */
export const only = created(deduplicating(routeOf([60]), [0]))

export const afterUnknown = (verification: Verification): Verification =>
  recordAttempt(verification, callAt(0, outcomes.Unknown, START)).next

export const errorCodes = ({ attempts }: Verification) =>
  attempts.map(({ step, error_code }) => [step, error_code])
