import { Cache, Clock, Effect } from "effect"

const CAPACITY = 10_000
const TIME_TO_LIVE_MILLIS = 5000

/** A lookup whose answers are remembered for seconds. */
export interface CachedLookup<Key, A, E, R> {
  readonly get: (key: Key) => Effect.Effect<A, E, R>
  /** What is remembered; undefined where `get` has to look it up. */
  readonly recall: (key: Key) => A | undefined
  readonly invalidate: (key: Key) => Effect.Effect<void>
  readonly invalidateAll: Effect.Effect<void>
}

/**
 * Remembers answers: the change feed invalidates them at once, and where it fails they lapse. Failures are not
 * remembered: what is missing may be made in the next moment.
 */
export const cachedLookup = Effect.fnUntraced(function* <Key, A, E, R>(
  lookup: (key: Key) => Effect.Effect<A, E, R>
) {
  const clock = yield* Clock.Clock
  /** In front of the cache, to be asked without a fiber. */
  const answers = new Map<Key, { readonly answer: A; readonly until: number }>()
  /** A lookup that began before something changed may have missed it. */
  let changes = 0
  const remember = (key: Key, answer: A, changesBefore: number) => {
    if (changes !== changesBefore) return
    if (answers.size >= CAPACITY) answers.clear()
    answers.set(key, { answer, until: clock.currentTimeMillisUnsafe() + TIME_TO_LIVE_MILLIS })
  }
  const cache = yield* Cache.makeWith(
    (key: Key) =>
      Effect.suspend(() => {
        const changesBefore = changes
        return Effect.tap(lookup(key), (answer) => Effect.sync(() => remember(key, answer, changesBefore)))
      }),
    {
      capacity: CAPACITY,
      timeToLive: (exit) => (exit._tag === "Success" ? TIME_TO_LIVE_MILLIS : 0)
    }
  )
  const forget = (forgetAnswers: () => void, invalidate: Effect.Effect<void>) =>
    Effect.suspend(() => {
      changes += 1
      forgetAnswers()
      return invalidate
    })
  const recall = (key: Key): A | undefined => {
    const found = answers.get(key)
    return found !== undefined && clock.currentTimeMillisUnsafe() < found.until ? found.answer : undefined
  }
  const cached: CachedLookup<Key, A, E, R> = {
    get: (key) => {
      const known = recall(key)
      return known === undefined ? Cache.get(cache, key) : Effect.succeed(known)
    },
    recall,
    invalidate: (key) => forget(() => answers.delete(key), Cache.invalidate(cache, key)),
    invalidateAll: forget(() => answers.clear(), Cache.invalidateAll(cache))
  }
  return cached
})
