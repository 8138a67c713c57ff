import { Context, Effect } from "effect"

/**
 * The time that a request spends in this process and its store. Waits for others do not count: for a provider, or in a
 * queue that has its own limit.
 */
export interface RequestTime {
  readonly stop: () => void
  readonly goOn: () => void
}

/** Of the request that a fiber works for, if there is one. */
export const CurrentRequestTime = Context.Reference<RequestTime>(
  "peyk/services/concurrency/RequestTime/CurrentRequestTime",
  { defaultValue: () => ({ stop: () => {}, goOn: () => {} }) }
)

const around =
  (before: keyof RequestTime, after: keyof RequestTime) =>
  <A, E, R>(work: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
    Effect.withFiber((fiber) => {
      const time = fiber.getRef(CurrentRequestTime)
      time[before]()
      return Effect.onExitPrimitive(work, () => {
        time[after]()
        return undefined
      })
    })

/** A wait that does not count as time of the request. */
export const outsideRequestTime = around("stop", "goOn")

/** A statement within such a wait counts. */
export const insideRequestTime = around("goOn", "stop")
