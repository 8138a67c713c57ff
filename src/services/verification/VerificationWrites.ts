import { Clock, Context, Effect, Layer } from "effect"
import type { Instant } from "../../domain/Instant.ts"
import { instantOf } from "../../domain/Paging.ts"
import type { LeasedTimer } from "../../domain/Timer.ts"
import { SkipReason } from "../../domain/account/Pace.ts"
import { Channel } from "../../domain/routing/Channel.ts"
import { accountAt } from "../../domain/routing/Route.ts"
import {
  awaitSlot,
  type Choice,
  recordAttempt,
  releaseStep,
  type StepCall
} from "../../domain/verification/Step.ts"
import type { Verification, VerificationStatus } from "../../domain/verification/Verification.ts"
import type { VerificationTransition } from "../../domain/verification/VerificationMachine.ts"
import { type Written, writeTransition } from "../Subjects.ts"
import { AccountSkips } from "../account/AccountSlots.ts"
import { reportFailure } from "../provider/ProviderCalls.ts"
import { attemptMetrics, type CountAttempt, counters, histograms } from "../system/Observability.ts"
import { Timers } from "../timer/Timers.ts"
import { VerificationStore } from "./VerificationStore.ts"

const SECONDS = [5, 10, 15, 20, 30, 45, 60, 90, 120, 180, 300, 600]
const MILLIS_PER_SECOND = 1000
const ends = ["verified", "failed", "locked", "expired", "canceled"] as const

const isEnd = (status: VerificationStatus): status is (typeof ends)[number] =>
  ends.some((end) => end === status)

/** Figures about verifications for operators. */
export class VerificationMetrics extends Context.Service<
  VerificationMetrics,
  {
    readonly attempted: CountAttempt
    /** A step was skipped, because its account could not send in time. */
    readonly skipped: (channel: Channel, reason: SkipReason) => void
    /** A code was checked, with this result. */
    readonly checked: (reason: string) => void
    /** It reached a final status; others are not counted. */
    readonly ended: (id: string, status: VerificationStatus, now: Instant) => void
  }
>()("peyk/services/verification/VerificationWrites/VerificationMetrics") {
  static readonly layer = Layer.effect(
    VerificationMetrics,
    Effect.map(Effect.context<never>(), (context) => {
      const checks = counters(context, "peyk_code_checks_total", {
        description: "Codes checked, by result.",
        labels: ["reason"]
      })
      const ended = counters(context, "peyk_verifications_ended_total", {
        description: "Verifications that ended, by status.",
        labels: ["status"]
      })
      const skips = counters(context, "peyk_steps_skipped_total", {
        description: "Steps of codes whose account could not send in time, by channel and reason.",
        labels: ["channel", "reason"]
      })
      const timeToVerify = histograms(context, "peyk_time_to_verify_seconds", {
        description: "From the acceptance of a send to the right code.",
        boundaries: SECONDS
      })()
      for (const status of ends) ended(status)(0)
      for (const channel of Channel.literals) {
        for (const reason of SkipReason.literals) skips(channel, reason)(0)
      }
      return VerificationMetrics.of({
        attempted: attemptMetrics(context, "verification"),
        skipped: (channel, reason) => skips(channel, reason)(1),
        checked: (reason) => checks(reason)(1),
        ended: (id, status, now) => {
          if (isEnd(status)) ended(status)(1)
          if (status === "verified") timeToVerify((now - instantOf(id)) / MILLIS_PER_SECOND)
        }
      })
    })
  )

  /** In the sandbox nothing is sent, and nothing is measured. */
  static readonly layerNone = Layer.succeed(VerificationMetrics, {
    attempted: () => {},
    skipped: () => {},
    checked: () => {},
    ended: () => {}
  })
}

/** The state after a write. */
export const stateOf = Effect.map(({ state }: Written<Verification>) => state)

type Transition = (current: Verification) => VerificationTransition

/**
 * Writes transitions of verifications. Counts what was written: ends, and steps that were skipped. Wakes the timers for
 * the next step.
 */
export class VerificationWrites extends Context.Service<
  VerificationWrites,
  {
    /** With a timer, it is refused when the lease was lost. */
    readonly write: (
      verification: Verification,
      transition: Transition,
      timer?: LeasedTimer
    ) => Effect.Effect<Written<Verification>>
    /** Writes the outcome of a call, and logs it if it was not accepted. */
    readonly record: (verification: Verification, call: StepCall) => Effect.Effect<Verification>
    /** Leaves a step to the background, at a slot of its account. */
    readonly queue: (
      verification: Verification,
      choice: Choice & { readonly at: Instant }
    ) => Effect.Effect<Verification>
    /** Releases the timer, so that any process can lease it at once. Does nothing if one has leased it already. */
    readonly release: (
      verification: Verification,
      step: number,
      timer: LeasedTimer
    ) => Effect.Effect<Verification>
  }
>()("peyk/services/verification/VerificationWrites") {
  static readonly layer = Layer.effect(
    VerificationWrites,
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const store = yield* VerificationStore
      const timers = yield* Timers
      const metrics = yield* VerificationMetrics
      const skips = yield* AccountSkips

      const countSkipped = (verification: Verification, { skipped = [] }: VerificationTransition) => {
        for (const { step, reason } of skipped) {
          const { account_id: accountId, channel } = accountAt(verification, step)
          metrics.skipped(channel, reason)
          if (accountId !== null) skips.count(accountId, reason)
        }
      }

      const noteWritten = (before: Verification, transition: VerificationTransition, now: Instant) => {
        const { next, dueAt } = transition
        if (before.status !== next.status) metrics.ended(next.id, next.status, now)
        countSkipped(before, transition)
        if (typeof dueAt === "number") timers.wakeAt(dueAt)
      }

      const write = (
        verification: Verification,
        transition: Transition,
        timer: LeasedTimer | null = null
      ) => {
        const { customerId, id } = verification
        return writeTransition(verification, transition, {
          write: (before, next, now) =>
            Effect.map(store.commit(before, next, now, timer), (written) => {
              if (written) noteWritten(before, next, now)
              return written
            }),
          reload: Effect.suspend(() => store.load(customerId, id))
        })
      }

      const record = (verification: Verification, call: StepCall) => {
        const { outcome, step } = call
        const written = stateOf(write(verification, (current) => recordAttempt(current, call)))
        if (outcome._tag === "Accepted") return written
        const { id, phone } = verification
        const { channel } = accountAt(verification, step)
        return Effect.andThen(
          reportFailure(outcome, { subject: `verification ${id}`, channel, phone }),
          written
        )
      }

      return VerificationWrites.of({
        write,
        record,
        queue: (verification, choice) =>
          stateOf(write(verification, (current) => awaitSlot(current, choice))),
        release: (verification, step, timer) =>
          Effect.suspend(() => {
            const now = clock.currentTimeMillisUnsafe()
            return stateOf(write(verification, (current) => releaseStep(current, step, now), timer))
          })
      })
    })
  )
}
