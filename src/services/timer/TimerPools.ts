import { Context, Effect, Layer } from "effect"
import { gauge } from "../system/Observability.ts"
import { Settings } from "../Settings.ts"
import { FairShares } from "../concurrency/FairQueue.ts"
import type { TimerKind } from "../../domain/Timer.ts"
import { MAX_ADMITTED_OF_CUSTOMER } from "../webhook/WebhookQueues.ts"

/** Codes are urgent, so messages (there can be many) and slow work do not use their permits. */
export type Pool = "codes" | "messages" | "reports" | "updates" | "webhooks" | "rounds"

export const poolOf: Readonly<Record<TimerKind, Pool>> = {
  verification: "codes",
  sandbox_verification: "codes",
  message: "messages",
  sandbox_message: "messages",
  verification_report: "reports",
  sandbox_verification_report: "reports",
  message_report: "reports",
  sandbox_message_report: "reports",
  bot_updates: "updates",
  webhook: "webhooks",
  guard: "rounds",
  // A separate pool would be claimed for in every round of the loop, for one timer an hour.
  retention: "updates",
  account_credits: "updates",
  activity_sums: "updates",
  alert_watch: "reports",
  // A mail server can be slow.
  alert: "updates"
}

/**
 * Delivery reports are not urgent, and every response can take the whole time-out. More webhooks than may wait for
 * their turn would only be put back.
 */
const mostOfOneIn: Partial<Record<Pool, number>> = {
  reports: 16,
  webhooks: MAX_ADMITTED_OF_CUSTOMER,
  rounds: 4
}

/**
 * A customer has one round at most, so rounds need no shares. After a restart a round of every customer is overdue, and
 * each costs as much as a send: they are few at once, and are claimed when half of them are done, so that sends go on and
 * claims are not many.
 */
const sharesApply = (pool: Pool): boolean => pool !== "rounds"

const pools = [...new Set(Object.values(poolOf))]

/** The free permits, and how many each customer has. */
export interface PoolRoom {
  readonly free: number
  readonly holders: ReadonlyArray<readonly [customerId: number, permits: number]>
  /** False: any customer may have all of them. */
  readonly isShared: boolean
}

/** Permits for timers that are about to be claimed: no other claim can use them until their customers are known. */
export interface ClaimingRoom extends PoolRoom {
  /** To be called once, with the customer of each claimed timer. */
  readonly settle: (customerIds: ReadonlyArray<number>, backlog: Backlog) => void
}

/**
 * `none`: all that is due is taken as it comes. `some`: more may be due than one customer should have at once. `held
 * back`: the same, and others have to leave first.
 */
export type Backlog = "none" | "some" | "held back"

interface PoolState {
  readonly shares: FairShares
  readonly isShared: boolean
  claiming: number
  /** Whether some have left since the claim began: it did not know of their permits. */
  hasSomeLeft: boolean
  backlog: Backlog
}

const hasRoom = ({ shares, isShared }: PoolState): boolean =>
  isShared ? shares.free > 0 : shares.free >= shares.capacity / 2

/** How many timers this process works on at once, by pool; customers share them. */
export class TimerPools extends Context.Service<
  TimerPools,
  {
    readonly free: (pool: Pool) => number
    readonly room: (pool: Pool) => PoolRoom
    /** Whether timers wait for permits, as far as it is known. */
    readonly backlog: (pool: Pool) => Backlog
    /** Enters with `count` timers of a customer, if they are within its share. */
    readonly tryEnter: (pool: Pool, customerId: number, count: number) => boolean
    /** Null when the pool is full. */
    readonly tryClaim: (pool: Pool) => ClaimingRoom | null
    /** True if others are known to wait for it, or may do so: nobody looks for them while a pool has no room. */
    readonly leave: (pool: Pool, customerId: number, count: number) => boolean
  }
>()("peyk/services/timer/TimerPools") {
  static readonly layer = Layer.effect(
    TimerPools,
    Effect.gen(function* () {
      const { timerConcurrency } = yield* Settings
      const context = yield* Effect.context<never>()
      const permits = new Map(
        pools.map((pool) => {
          const mostOfOne = Math.min(timerConcurrency, mostOfOneIn[pool] ?? timerConcurrency)
          const state: PoolState = {
            shares: new FairShares(mostOfOne),
            isShared: sharesApply(pool),
            claiming: 0,
            hasSomeLeft: false,
            backlog: "none"
          }
          return [pool, state] as const
        })
      )
      const stateOf = (pool: Pool) => {
        const state = permits.get(pool)
        if (state === undefined) throw new Error(`no pool ${pool}`)
        return state
      }
      const free = (pool: Pool) => {
        const state = stateOf(pool)
        return hasRoom(state) ? state.shares.free - state.claiming : 0
      }
      const room = (pool: Pool): PoolRoom => {
        const { shares, isShared } = stateOf(pool)
        return { free: free(pool), holders: [...shares.holders], isShared }
      }
      for (const [pool, { shares, isShared }] of permits) {
        gauge(context, "peyk_timers_running", {
          description: "Timers that this process works on now, by pool.",
          attributes: { pool },
          read: () => shares.taken
        })
        gauge(context, "peyk_timers_running_limit", {
          description:
            "Timers of one customer that this process works on at once at most, by pool; of all, twice as many. Of rounds: of all.",
          attributes: { pool },
          read: () => (isShared ? shares.capacity / 2 : shares.capacity)
        })
      }
      return TimerPools.of({
        free,
        room,
        backlog: (pool) => stateOf(pool).backlog,
        tryEnter: (pool, customerId, count) => {
          const state = stateOf(pool)
          if (state.claiming > 0) return false
          const mayEnter = state.shares.mayEnter(customerId, count)
          if (mayEnter) state.shares.enter(customerId, count)
          else state.backlog = "held back"
          return mayEnter
        },
        tryClaim: (pool) => {
          const state = stateOf(pool)
          const available = room(pool)
          const claiming = available.free
          if (claiming <= 0) {
            state.backlog = "held back"
            return null
          }
          state.claiming += claiming
          state.hasSomeLeft = false
          return {
            ...available,
            settle: (customerIds, backlog) => {
              state.claiming -= claiming
              for (const customerId of customerIds) state.shares.enter(customerId)
              // The last ones that left may have been the only ones to wake a held-back timer.
              state.backlog = backlog === "held back" && state.hasSomeLeft ? "some" : backlog
            }
          }
        },
        leave: (pool, customerId, count) => {
          const state = stateOf(pool)
          const hadRoom = hasRoom(state)
          state.shares.leave(customerId, count)
          state.hasSomeLeft = true
          return (!hadRoom && hasRoom(state)) || (state.isShared && state.backlog === "held back")
        }
      })
    })
  )
}
