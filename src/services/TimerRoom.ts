import { Context, Effect, Layer } from "effect"
import { gauge } from "./Series.ts"
import { Settings } from "./Settings.ts"
import type { TimerKind } from "./Timers.ts"

/** Codes are urgent: messages, of which many may come at once, and what waits long do not take their room. */
export type Pool = "codes" | "messages" | "reports" | "updates" | "webhooks"

export const poolOf: Readonly<Record<TimerKind, Pool>> = {
  verification: "codes",
  sandbox_verification: "codes",
  message: "messages",
  verification_report: "reports",
  message_report: "reports",
  bot_updates: "updates",
  webhook: "webhooks",
  // A pool of its own would be claimed for in every round of the loop, for one timer an hour.
  retention: "updates"
}

/** Asking what became of messages is not urgent, and every answer may take the whole time-out. */
const roomOf: Partial<Record<Pool, number>> = { reports: 16 }

/** How many timers this process works on at once, of each pool. */
export class TimerRoom extends Context.Service<
  TimerRoom,
  {
    readonly free: (pool: Pool) => number
    /** Enters with `count` timers, if there is room for all of them. */
    readonly tryEnter: (pool: Pool, count: number) => boolean
    /** True when it was full before. */
    readonly leave: (pool: Pool, count: number) => boolean
  }
>()("peyk/services/TimerRoom") {
  static readonly layer = Layer.effect(
    TimerRoom,
    Effect.gen(function* () {
      const { timerConcurrency } = yield* Settings
      const context = yield* Effect.context<never>()
      const taken: Record<Pool, number> = { codes: 0, messages: 0, reports: 0, updates: 0, webhooks: 0 }
      const roomIn = (pool: Pool) => Math.min(timerConcurrency, roomOf[pool] ?? timerConcurrency)
      const free = (pool: Pool) => roomIn(pool) - taken[pool]
      for (const pool of new Set(Object.values(poolOf))) {
        gauge(context, "peyk_timers_running", {
          description: "Timers that this process works on now, by pool.",
          attributes: { pool },
          read: () => taken[pool]
        })
        gauge(context, "peyk_timers_running_limit", {
          description: "Timers that this process works on at once at most, by pool.",
          attributes: { pool },
          read: () => roomIn(pool)
        })
      }
      return TimerRoom.of({
        free,
        tryEnter: (pool, count) => {
          if (free(pool) < count) return false
          taken[pool] += count
          return true
        },
        leave: (pool, count) => {
          const wasFull = free(pool) <= 0
          taken[pool] -= count
          return wasFull
        }
      })
    })
  )
}
