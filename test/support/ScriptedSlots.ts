import { Effect, Layer } from "effect"
import type { Channel } from "../../src/domain/routing/Channel.ts"
import { AccountSlots } from "../../src/services/account/AccountSlots.ts"

/** Accounts that may not send before an instant, by channel; the others may always. */
export const scriptSlots = (freeAt: Partial<Record<Channel, number>> = {}) => {
  const reports: Array<readonly [Channel, string]> = []
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
            : { _tag: "Taken", index, at: now, hasStart: true, blocked }
        }),
      start: (_account, { now }) => Effect.succeed({ hasStart: true, at: now }),
      isCooling: ({ channel }, _kind, now) => Effect.succeed((freeAt[channel] ?? 0) > now),
      report: ({ channel }, { outcome }) => Effect.sync(() => reports.push([channel, outcome._tag]))
    })
  )
  return { freeAt, reports, layer }
}
