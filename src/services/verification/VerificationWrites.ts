import { Effect } from "effect"
import type { Instant } from "../../domain/Instant.ts"
import type { LeasedTimer } from "../../domain/Timer.ts"
import type { Verification } from "../../domain/verification/Verification.ts"
import type { VerificationTransition } from "../../domain/verification/VerificationMachine.ts"
import { AccountSkips } from "../account/AccountSkips.ts"
import { Timers } from "../timer/Timers.ts"
import { writeTransition } from "../Transitions.ts"
import { VerificationMetrics } from "./VerificationMetrics.ts"
import { VerificationStore } from "./VerificationStore.ts"

/**
 * Writes transitions of verifications. Counts what was written: ends, and steps that were skipped. Wakes the timers for
 * the next step.
 */
export const makeVerificationWrites = Effect.gen(function* () {
  const store = yield* VerificationStore
  const timers = yield* Timers
  const metrics = yield* VerificationMetrics
  const skips = yield* AccountSkips

  const countSkipped = (verification: Verification, { skipped = [] }: VerificationTransition) => {
    for (const { step, reason } of skipped) {
      const { account_id: accountId, channel } = verification.route[step] ?? verification.route[0]
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

  return (
    verification: Verification,
    transition: (current: Verification) => VerificationTransition,
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
})
