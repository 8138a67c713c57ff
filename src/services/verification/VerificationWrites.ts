import { Effect } from "effect"
import type { LeasedTimer } from "../../domain/Timer.ts"
import type { Verification } from "../../domain/verification/Verification.ts"
import type { VerificationTransition } from "../../domain/verification/VerificationMachine.ts"
import { Timers } from "../timer/Timers.ts"
import { writeTransition } from "../Transitions.ts"
import { VerificationMetrics } from "./VerificationMetrics.ts"
import { VerificationStore } from "./VerificationStore.ts"

/** Writes transitions of verifications, counts those that end one, and wakes the timers for the next step. */
export const makeVerificationWrites = Effect.gen(function* () {
  const store = yield* VerificationStore
  const timers = yield* Timers
  const metrics = yield* VerificationMetrics

  return (
    verification: Verification,
    transition: (current: Verification) => VerificationTransition,
    timer: LeasedTimer | null = null
  ) => {
    const { customerId, id } = verification
    return writeTransition(verification, transition, {
      write: (before, next, now) =>
        Effect.map(store.commit(before, next, now, timer), (written) => {
          if (written && before.status !== next.next.status) metrics.ended(id, next.next.status, now)
          if (written && typeof next.dueAt === "number") timers.wakeAt(next.dueAt)
          return written
        }),
      reload: Effect.suspend(() => store.load(customerId, id))
    })
  }
})
