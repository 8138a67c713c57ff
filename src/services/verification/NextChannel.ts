import { Clock, Effect, Option } from "effect"
import type { NoNextChannel, VerificationEnded } from "../../domain/Errors.ts"
import { tryNext } from "../../domain/verification/NextChannel.ts"
import type { Verification } from "../../domain/verification/Verification.ts"
import { Workers } from "../concurrency/Workers.ts"
import { Timers } from "../timer/Timers.ts"
import { CodeVault } from "./CodeVault.ts"
import { VerificationSteps } from "./VerificationSteps.ts"
import { VerificationStore } from "./VerificationStore.ts"

/**
 * Tries the next channel now, and returns the verification afterwards. Of requests at the same time, and a timer that is
 * due, one leases the verification's timer; the others leave the channel to it.
 */
export const makeNextChannel = Effect.gen(function* () {
  const store = yield* VerificationStore
  const steps = yield* VerificationSteps
  const timers = yield* Timers
  const vault = yield* CodeVault
  const workers = yield* Workers

  const attempt = Effect.fnUntraced(function* (
    before: Verification,
    fromSequence: number | undefined
  ): Effect.fn.Return<Verification, VerificationEnded | NoNextChannel> {
    const now = yield* Clock.currentTimeMillis
    const transition = yield* Effect.fromResult(tryNext(before, { fromSequence, now }))
    if (transition.next === before) return before
    const { customerId, id } = before
    const leased = yield* store.commitLeased(before, transition, yield* timers.newLease)
    if (Option.isSome(leased)) {
      const code = yield* vault.open(id, leased.value.sealedCode)
      return yield* steps.tryNow(leased.value.timer, transition.next, code)
    }
    const stored = Option.getOrElse(yield* store.load(customerId, id), () => before)
    return stored.revision === before.revision ? stored : yield* attempt(stored, fromSequence)
  })

  return (verification: Verification, fromSequence: number | undefined) =>
    workers.runToEnd(attempt(verification, fromSequence))
})
