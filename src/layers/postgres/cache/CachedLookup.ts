import { Clock, Effect } from "effect"
import type { Instant } from "../../../domain/Instant.ts"
import { sharedLookup } from "./SharedLookup.ts"

const CAPACITY = 20_000
/** How long an answer may be wrong. */
const MAX_STALE_MILLIS = 5000
/** How long one is remembered that is known to be right still. */
const MAX_AGE_MILLIS = 600_000

/** A lookup whose answers are remembered. */
export interface CachedLookup<Key, A, E> {
  readonly get: (key: Key) => Effect.Effect<A, E>
  /** What is remembered; undefined where `get` has to look it up. */
  readonly recall: (key: Key) => A | undefined
  /** The answer of a lookup that begins after this call; shared by all who ask for it meanwhile. */
  readonly refresh: (key: Key) => Effect.Effect<A, E>
  readonly invalidate: (key: Key) => Effect.Effect<void>
  /** All answers of which this is so. */
  readonly invalidateIf: (isMeant: (answer: A) => boolean) => Effect.Effect<void>
  readonly invalidateAll: Effect.Effect<void>
}

interface Trust<A> {
  /** Whether a feed that invalidates what changes is known to be heard: then answers are right for that long. */
  readonly isHeard?: (now: Instant) => boolean
  /** False for an answer of which a newer version is known to exist. */
  readonly isCurrent?: (answer: A) => boolean
}

/**
 * Remembers answers for five seconds, and for ten minutes while a feed invalidates those that change and is known to be
 * heard. Failures are not remembered: what is missing may be made in the next moment. For the same reason, a failure never
 * comes from a lookup that began before the request.
 */
export const cachedLookup = Effect.fnUntraced(function* <Key, A, E, R>(
  lookup: (key: Key) => Effect.Effect<A, E, R>,
  { isHeard = () => false, isCurrent = () => true }: Trust<A> = {}
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
  const shared = yield* sharedLookup((key: Key) =>
    Effect.suspend(() => {
      const changesBefore = changes
      const since = clock.currentTimeMillisUnsafe()
      return Effect.tap(lookup(key), (answer) =>
        Effect.sync(() => {
          if (changes === changesBefore) remember(key, answer, since)
        })
      )
    })
  )

  const forget = (forgetAnswers: () => void) =>
    Effect.sync(() => {
      changes += 1
      shared.close()
      forgetAnswers()
    })
  const recall = (key: Key): A | undefined => {
    const found = answers.get(key)
    if (found === undefined || !isCurrent(found.answer)) return undefined
    const now = clock.currentTimeMillisUnsafe()
    const age = now - found.since
    return age < MAX_STALE_MILLIS || (age < MAX_AGE_MILLIS && isHeard(now)) ? found.answer : undefined
  }
  const find = (key: Key) => {
    const underWay = shared.underWay(key)
    return underWay === undefined ? shared.ask(key) : Effect.catch(underWay, () => shared.ask(key))
  }
  const cached: CachedLookup<Key, A, E> = {
    get: (key) =>
      Effect.suspend(() => {
        const known = recall(key)
        return known === undefined ? find(key) : Effect.succeed(known)
      }),
    recall,
    refresh: shared.ask,
    invalidate: (key) => forget(() => answers.delete(key)),
    invalidateIf: (isMeant) =>
      forget(() => {
        for (const [key, { answer }] of answers) if (isMeant(answer)) answers.delete(key)
      }),
    invalidateAll: forget(() => answers.clear())
  }
  return cached
})
