import { type Cause, Clock, Effect, Redacted } from "effect"
import type { ProviderOutcome } from "../../domain/account/ProviderOutcome.ts"
import { ownCodeText, renderCodeText } from "../../domain/message/CodeText.ts"
import type { Instant } from "../../domain/Instant.ts"
import type { LeasedTimer } from "../../domain/Timer.ts"
import { expiresInSeconds, type Verification } from "../../domain/verification/Verification.ts"
import { recordAttempt } from "../../domain/verification/StepCalls.ts"
import { releaseStep } from "../../domain/verification/StepChoice.ts"
import { AccountSlots, type Start } from "../account/AccountSlots.ts"
import type { Workers } from "../concurrency/Workers.ts"
import { outcomeOf, reportFailure } from "../provider/ProviderCalls.ts"
import { Providers } from "../provider/Providers.ts"
import { Settings } from "../Settings.ts"
import { Timers } from "../timer/Timers.ts"
import { VerificationMetrics } from "./VerificationMetrics.ts"
import { makeVerificationWrites } from "./VerificationWrites.ts"

/** One try of a verification's steps, under the lease of its timer. */
export interface StepTry {
  readonly timer: LeasedTimer
  readonly code: string
  /** The longest wait for an account's slot. */
  readonly waitMillis: number
  /** The longest wait for a free connection to the provider. */
  readonly placeMillis: number
  /** True if a request waits for this try: longer waits then continue in the background. */
  readonly isAwaited: boolean
  /** Handles a failure before anything was sent. */
  readonly releaseForRetry: (cause: Cause.Cause<never>) => Effect.Effect<never>
  /** Wraps each wait for others: for the account's slot, for a free connection, for the provider's response. */
  readonly waiting: ReturnType<Workers["Service"]["waitOutside"]>
}

/** A step whose account has a slot. */
export interface StepSlot {
  readonly step: number
  readonly slot: Start
  /** When the verification was last read or written. */
  readonly seenAt: Instant
}

export const accountAt = ({ route }: Verification, step: number) => route[step] ?? route[0]

/** Logs a step that was not accepted. */
export const reportStep = ({ id, phone, route }: Verification, step: number, outcome: ProviderOutcome) =>
  reportFailure(outcome, { subject: `verification ${id}`, channel: route[step]?.channel, phone })

const makeSendCode = Effect.gen(function* () {
  const { providerTimeoutMillis } = yield* Settings
  const providers = yield* Providers

  return (verification: Verification, step: number, code: string) => {
    const { id, customerId, phone, expiresAt } = verification
    const account = accountAt(verification, step)
    const body = account.textBody === undefined ? verification : ownCodeText(account.textBody)
    const text = renderCodeText(body, code, expiresInSeconds(verification))
    const call = providers.sendCode({
      attemptId: `${id}-${step + 1}`,
      customerId,
      step: account,
      phone,
      code: Redacted.make(code),
      text: Redacted.make(text),
      expiresAt
    })
    return outcomeOf(call, { channel: account.channel, timeoutMillis: providerTimeoutMillis })
  }
})

/** Calls providers with codes, and records the outcomes. */
export const makeStepCalls = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const slots = yield* AccountSlots
  const timers = yield* Timers
  const metrics = yield* VerificationMetrics
  const sendCode = yield* makeSendCode
  const write = yield* makeVerificationWrites

  const callLeased = (
    verification: Verification,
    { step, slot }: StepSlot,
    { code, waiting }: StepTry
  ): Effect.Effect<Verification> => {
    const attemptedAt = clock.currentTimeMillisUnsafe()
    const account = accountAt(verification, step)
    const isRepeat = verification.repeating
    return Effect.flatMap(waiting(sendCode(verification, step, code)), (outcome) => {
      const finishedAt = clock.currentTimeMillisUnsafe()
      metrics.attempted({ channel: account.channel, outcome, attemptedAt, finishedAt })
      const call = { step, outcome, attemptedAt, finishedAt, slotAt: slot.at, isRepeat }
      const record = write(verification, (current) => recordAttempt(current, call))
      const recorded =
        outcome._tag === "Accepted" ? record : Effect.andThen(reportStep(verification, step, outcome), record)
      return Effect.flatMap(recorded, ({ state }) =>
        Effect.as(slots.report(account, { kind: "code", outcome, now: finishedAt }), state)
      )
    })
  }

  /** Releases the timer, so that any process can lease it at once. Does nothing if one has leased it already. */
  const releaseUncalled = (verification: Verification, step: number, timer: LeasedTimer) =>
    Effect.suspend(() => {
      const now = clock.currentTimeMillisUnsafe()
      const released = write(verification, (current) => releaseStep(current, step, now), timer)
      return Effect.map(released, ({ state }) => state)
    })

  return {
    releaseUncalled,
    /**
     * Calls only under a lease. Without one, another process may have repeated the call and recorded a refusal. Then
     * this call would deliver the code all the same.
     */
    callStep: (verification: Verification, chosen: StepSlot, stepTry: StepTry): Effect.Effect<Verification> =>
      timers.isLeased(stepTry.timer)
        ? callLeased(verification, chosen, stepTry)
        : releaseUncalled(verification, chosen.step, stepTry.timer)
  }
})
