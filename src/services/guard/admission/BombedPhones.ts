import { Clock, Effect } from "effect"
import { GuardMetrics } from "../GuardMetrics.ts"
import { GuardRefusals } from "../GuardRefusals.ts"
import { GuardStore } from "../GuardStore.ts"
import type { GuardRequest } from "./GuardRequest.ts"

/** The customers that make a phone bombed. */
export const BOMBED_BY = 5
/** Counted, and never reached. */
export const NO_CALLERS_LIMIT = 32_000

/** Whether a customer may send to a phone that is bombed: it may if the phone was verified with it. */
export const makePassesBombed = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const store = yield* GuardStore
  const refusals = yield* GuardRefusals
  const metrics = yield* GuardMetrics

  return Effect.fnUntraced(function* ({ customer: { customerId }, phone }: GuardRequest) {
    const now = clock.currentTimeMillisUnsafe()
    const { isProven } = yield* store.standing({ customerId, phone, network: null, now })
    if (isProven) return true
    refusals.count(customerId, "refused")
    metrics.refused("bombed")
    yield* store.bombed(customerId, phone, now)
    return false
  })
})
