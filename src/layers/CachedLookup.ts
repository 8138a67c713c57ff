import { Cache, type Effect } from "effect"

const CAPACITY = 10_000
const TIME_TO_LIVE = "5 seconds"

/**
 * A lookup whose answers are remembered for seconds: the change feed invalidates them at once, and where it fails they
 * lapse. Failures are not remembered: what is missing may be made in the next moment.
 */
export const cachedLookup = <Key, A, E, R>(lookup: (key: Key) => Effect.Effect<A, E, R>) =>
  Cache.makeWith(lookup, {
    capacity: CAPACITY,
    timeToLive: (exit) => (exit._tag === "Success" ? TIME_TO_LIVE : 0)
  })
