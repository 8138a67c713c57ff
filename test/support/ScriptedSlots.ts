import { Effect, Layer } from "effect"
import type { Channel } from "../../src/domain/routing/Channel.ts"
import { AccountSlots } from "../../src/services/account/AccountSlots.ts"

/** How much later than asked for the accounts may send: a slot is that late, or the start of its call. */
interface Delays {
  slotMillis: number
  startMillis: number
  /** How many slots and starts came late. */
  asked: number
}

/** Accounts that may not send before an instant, by channel; the others may always, after the delays. */
export const scriptSlots = (freeAt: Partial<Record<Channel, number>> = {}) => {
  const delays: Delays = { slotMillis: 0, startMillis: 0, asked: 0 }
  const reports: Array<readonly [Channel, string]> = []
  /** How late the next slot or start is. */
  const late = (name: "slotMillis" | "startMillis") => {
    if (delays[name] > 0) delays.asked += 1
    return delays[name]
  }
  const layer = Layer.succeed(
    AccountSlots,
    AccountSlots.of({
      take: ({ accounts, now }) =>
        Effect.sync(() => {
          const times = accounts.map(({ channel }) => freeAt[channel] ?? 0)
          const index = times.findIndex((time) => time <= now)
          const blocked = times.flatMap((time, nth) => (time > now ? [nth] : []))
          return index === -1
            ? { _tag: "FreeAt", at: Math.min(...times), blocked }
            : {
                _tag: "Taken",
                index,
                at: now + late("slotMillis"),
                hasStart: delays.startMillis === 0,
                blocked
              }
        }),
      start: (_account, { now }) => Effect.sync(() => ({ hasStart: true, at: now + late("startMillis") })),
      isCooling: ({ channel }, _kind, now) => Effect.succeed((freeAt[channel] ?? 0) > now),
      report: ({ channel }, { outcome }) => Effect.sync(() => reports.push([channel, outcome._tag]))
    })
  )
  return { freeAt, delays, reports, layer }
}
