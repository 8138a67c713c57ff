import { Clock, Effect } from "effect"
import type { TooManyRequestsPhoneHour } from "../../../domain/Errors.ts"
import { GuardMetrics } from "../GuardMetrics.ts"
import { GuardRefusals } from "../GuardRefusals.ts"
import { GuardStore } from "../GuardStore.ts"
import type { GuardRequest } from "./GuardRequest.ts"

/** The customers that make a phone bombed. */
export const BOMBED_BY = 5
const SECOND_MILLIS = 1000
/** Counted, and never reached. */
export const NO_CALLERS_LIMIT = 32_000

/**
 * Whether a customer may send to a phone that is bombed: it may if the phone was verified with it, or if it cleared the
 * phone's alarm.
 */
export const makePassesBombed = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const store = yield* GuardStore
  const refusals = yield* GuardRefusals
  const metrics = yield* GuardMetrics

  return Effect.fnUntraced(function* (
    { customer: { customerId }, phone }: GuardRequest,
    { retryAfterSeconds }: TooManyRequestsPhoneHour
  ) {
    const now = clock.currentTimeMillisUnsafe()
    if (yield* store.passesBombed(customerId, phone, now)) return true
    refusals.count(customerId, "refused")
    metrics.refused("bombed")
    yield* store.bombed(customerId, phone, now + retryAfterSeconds * SECOND_MILLIS, now)
    return false
  })
})
