import { Effect, Option } from "effect"
import type { Alarm } from "../../../domain/guard/Alarm.ts"
import {
  CALM_ROUND_MILLIS,
  IDLE_ROUND_MILLIS,
  roundAt,
  WATCHFUL_ROUND_MILLIS
} from "../../../domain/guard/Maturity.ts"
import type { CustomerState } from "../../../domain/guard/round/CustomerState.ts"
import type { Round } from "../../../domain/guard/round/Round.ts"
import type { Instant } from "../../../domain/Instant.ts"
import { GuardStore } from "../GuardStore.ts"
import type { RoundStart } from "./RoundStart.ts"

/** From this score on, the guard also looks at the other customers, and runs more rounds. */
export const WATCHFUL_SCORE = 3

const isWatchful = (customer: CustomerState, segments: Round["segments"], isAlarmed: boolean): boolean =>
  isAlarmed ||
  customer.outage !== null ||
  customer.self.score >= WATCHFUL_SCORE ||
  [...segments.values()].some(({ state }) => state.score >= WATCHFUL_SCORE)

/** The least time until the next round. */
export const pauseAfter = (
  customer: CustomerState,
  segments: Round["segments"],
  isAlarmed: boolean
): number => (isWatchful(customer, segments, isAlarmed) ? WATCHFUL_ROUND_MILLIS : CALM_ROUND_MILLIS)

/** When the next round of a customer is due, at the soonest after `pause`. */
export const makeNextAt = Effect.gen(function* () {
  const store = yield* GuardStore
  return Effect.fnUntraced(function* (
    { customerId, judgedUntil, state: { maturityMillis } }: RoundStart,
    pause: number,
    alarms: ReadonlyArray<Pick<Alarm, "reason" | "until">>,
    now: Instant
  ) {
    const next = yield* store.nextSentAt(customerId, judgedUntil)
    const maturesAt = Option.match(next, {
      onNone: () => now + IDLE_ROUND_MILLIS,
      onSome: (sentAt) => Math.max(sentAt + maturityMillis, now + pause)
    })
    // An outage ends when codes are verified again, whatever its alarm says, and holds alarms open until then.
    const ends = alarms.flatMap(({ reason, until }) => (reason === "outage" || until <= now ? [] : [until]))
    return roundAt(Math.max(now, Math.min(maturesAt, ...ends)))
  })
})
