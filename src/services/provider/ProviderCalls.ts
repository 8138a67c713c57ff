import { Cause, Effect, Exit } from "effect"
import type { Channel } from "../../domain/routing/Channel.ts"
import { maskPhone, type Phone } from "../../domain/Phone.ts"
import { attemptErrorCode, keptText, ProviderOutcome } from "../../domain/account/ProviderOutcome.ts"
import { inSpan, reportSpan } from "../metrics/Spans.ts"
import { logFailure } from "../metrics/LoggedCause.ts"

const NO_ANSWER = "no answer within the time-out"
const BROKEN_CALL = "the call to the provider broke"

/** The outcome of a step that a process began and never recorded. */
export const neverRecorded = ProviderOutcome.Unknown({
  providerError: "the step was begun and its outcome never recorded"
})

/** The last part of a time-out has its own timer: a process that was paused first reads the responses that arrived. */
const LAST_MILLIS = 100

const timeOut = (millis: number) => {
  const last = Math.min(LAST_MILLIS, millis)
  return Effect.andThen(Effect.sleep(millis - last), Effect.sleep(last))
}

const inTime = (call: Effect.Effect<ProviderOutcome>, timeoutMillis: number) =>
  Effect.raceFirst(
    call,
    Effect.as(timeOut(timeoutMillis), ProviderOutcome.Unknown({ providerError: NO_ANSWER }))
  )

/** The outcome of a call. It is unknown if the call takes too long, or if its adapter fails. */
export const outcomeOf = (
  call: Effect.Effect<ProviderOutcome>,
  options: { readonly channel: Channel; readonly timeoutMillis: number }
): Effect.Effect<ProviderOutcome> =>
  (Exit.isExit(call) ? call : inTime(call, options.timeoutMillis)).pipe(
    Effect.catchCauseIf(
      (cause) => !Cause.hasInterrupts(cause),
      (cause) =>
        Effect.as(
          logFailure(`the adapter of ${options.channel} broke`, cause),
          ProviderOutcome.Unknown({ providerError: BROKEN_CALL })
        )
    ),
    reportSpan((outcome) => ({ "peyk.outcome": attemptErrorCode(outcome) ?? "accepted" })),
    inSpan("call provider", { kind: "client", attributes: { "peyk.channel": options.channel } })
  )

/** Logs that a send failed, and why. */
export const reportFailure = (
  outcome: ProviderOutcome,
  send: { readonly subject: string; readonly channel: Channel | undefined; readonly phone: Phone }
): Effect.Effect<void> =>
  outcome._tag === "Accepted"
    ? Effect.void
    : Effect.logInfo(
        `${send.subject}: ${send.channel} to ${maskPhone(send.phone)}: ${outcome._tag}, ${keptText(outcome.providerError)}`
      )
