import { Clock, Effect } from "effect"
import type { Instant } from "../../domain/Instant.ts"
import { isStartInTime } from "../../domain/account/Pace.ts"
import type { RouteAccount } from "../../domain/routing/RouteAccount.ts"
import { AccountSlots, type Start } from "../account/AccountSlots.ts"

interface StartWait {
  /** The longest wait in total, even if other calls start first several times. */
  readonly waitMillis: number
  readonly waiting: <A, E, R>(wait: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>
}

/** Recording a start can take long itself. The start is then recorded ahead of time, by at most this. */
const MAX_LEAD_MILLIS = 1000

/** Decides when a call starts once its slot has come: at the slot, or a gap after the account's last start. */
export const makeCallStarts = Effect.gen(function* () {
  const clock = yield* Clock.Clock
  const slots = yield* AccountSlots

  const awaitStart = Effect.fnUntraced(function* (
    account: RouteAccount,
    slot: Start,
    { waitMillis, waiting }: StartWait
  ) {
    const until = clock.currentTimeMillisUnsafe() + waitMillis
    let { at, hasStart } = slot
    let lead = 0
    for (let isNoted = false; ; isNoted = true) {
      const before = clock.currentTimeMillisUnsafe()
      if (at > Math.max(until, before + lead)) return { hasStart: false, at }
      if (at > before) yield* waiting(Effect.sleep(at - before))
      const now = clock.currentTimeMillisUnsafe()
      if (hasStart && isStartInTime(at, now)) return { hasStart: true, at }
      if (isNoted && hasStart) lead = Math.min(Math.max(2 * lead, now - at), MAX_LEAD_MILLIS)
      const instead: Instant | null = hasStart ? at : null
      const start: Start = yield* slots.start(account, { now: now + lead, instead })
      at = start.at
      hasStart = start.hasStart
    }
  })

  /** With `hasStart`, call at once. Otherwise `at` is when the account can start the call, after the longest wait. */
  return (account: RouteAccount, slot: Start, wait: StartWait): Effect.Effect<Start> =>
    Effect.suspend(() =>
      slot.hasStart && isStartInTime(slot.at, clock.currentTimeMillisUnsafe())
        ? Effect.succeed(slot)
        : awaitStart(account, slot, wait)
    )
})
