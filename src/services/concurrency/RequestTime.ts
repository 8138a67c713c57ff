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

/** A wait that does not count as time of the request. */
export const outsideRequestTime = <A, E, R>(wait: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const time = fiber.getRef(CurrentRequestTime)
    time.stop()
    return Effect.onExitPrimitive(wait, () => {
      time.goOn()
      return undefined
    })
  })

/** A statement within such a wait counts. */
export const insideRequestTime = <A, E, R>(statement: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.withFiber((fiber) => {
    const time = fiber.getRef(CurrentRequestTime)
    time.goOn()
    return Effect.onExitPrimitive(statement, () => {
      time.stop()
      return undefined
    })
  })
