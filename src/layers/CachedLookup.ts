import { Cache, Clock, Effect } from "effect"
import type { Instant } from "../domain/Instant.ts"

const CAPACITY = 20_000
/** How long an answer may be wrong. */
const MAX_STALE_MILLIS = 5000
/** How long one is remembered that is known to be right still. */
const MAX_AGE_MILLIS = 600_000
/** Lookups that are under way, for whoever asks for the same. */
const MAX_UNDER_WAY = 1000

/** A lookup whose answers are remembered. */
export interface CachedLookup<Key, A, E, R> {
  readonly get: (key: Key) => Effect.Effect<A, E, R>
  /** What is remembered; undefined where `get` has to look it up. */
  readonly recall: (key: Key) => A | undefined
  readonly invalidate: (key: Key) => Effect.Effect<void>
  /** All answers of which this is so. */
  readonly invalidateIf: (isMeant: (answer: A) => boolean) => Effect.Effect<void>
  readonly invalidateAll: Effect.Effect<void>
}

/** Who tells of all that changes: then answers are right for as long as it is known to be heard. */
interface Feed {
  readonly isHeard: (now: Instant) => boolean
}

const UNHEARD: Feed = { isHeard: () => false }

/**
 * Remembers answers for five seconds, and for ten minutes while a feed invalidates those that change and is known to be
 * heard. Failures are not remembered: what is missing may be made in the next moment.
 */
export const cachedLookup = Effect.fnUntraced(function* <Key, A, E, R>(
  lookup: (key: Key) => Effect.Effect<A, E, R>,
  { isHeard }: Feed = UNHEARD
) {
  const clock = yield* Clock.Clock
  const answers = new Map<Key, { readonly answer: A; readonly since: Instant }>()
  /** A lookup that began before something changed may have missed it. */
  let changes = 0

  /** Counted from before it was looked up. */
  const remember = (key: Key, answer: A, since: Instant) => {
    answers.delete(key)
    const [oldest] = answers.size >= CAPACITY ? answers.keys() : []
    if (oldest !== undefined) answers.delete(oldest)
    answers.set(key, { answer, since })
  }
  const underWay = yield* Cache.makeWith(
    (key: Key) =>
      Effect.suspend(() => {
        const changesBefore = changes
        const since = clock.currentTimeMillisUnsafe()
        return Effect.tap(lookup(key), (answer) =>
          Effect.sync(() => {
            if (changes === changesBefore) remember(key, answer, since)
          })
        )
      }),
    { capacity: MAX_UNDER_WAY, timeToLive: () => 0 }
  )

  const forget = (forgetAnswers: () => void) =>
    Effect.suspend(() => {
      changes += 1
      forgetAnswers()
      return Cache.invalidateAll(underWay)
    })
  const recall = (key: Key): A | undefined => {
    const found = answers.get(key)
    if (found === undefined) return undefined
    const now = clock.currentTimeMillisUnsafe()
    const age = now - found.since
    return age < MAX_STALE_MILLIS || (age < MAX_AGE_MILLIS && isHeard(now)) ? found.answer : undefined
  }
  const cached: CachedLookup<Key, A, E, R> = {
    get: (key) => {
      const known = recall(key)
      return known === undefined ? Cache.get(underWay, key) : Effect.succeed(known)
    },
    recall,
    invalidate: (key) => forget(() => answers.delete(key)),
    invalidateIf: (isMeant) =>
      forget(() => {
        for (const [key, { answer }] of answers) if (isMeant(answer)) answers.delete(key)
      }),
    invalidateAll: forget(() => answers.clear())
  }
  return cached
})
