import { Clock, Context, Effect, Layer, Semaphore } from "effect"
import { TooManyRequestsApiKey } from "../../domain/Errors.ts"
import type { Instant } from "../../domain/Instant.ts"
import { retryAfterSeconds } from "../../domain/customer/Admission.ts"
import type { Principal } from "../../domain/customer/Customer.ts"
import { Settings } from "../Settings.ts"
import { BoundedMap } from "../concurrency/Collections.ts"

/** A part of a key's minute: the requests that one process can admit. */
interface Block {
  /** None if the minute is used up. */
  readonly granted: number
  /** Granted in this minute so far, to all processes. */
  readonly used: number
  readonly endsAt: Instant
}

/** Grants the requests of a minute of each service key, token and session to processes, in blocks. */
export class KeyWindowStore extends Context.Service<
  KeyWindowStore,
  {
    /**
     * Grants an eighth of what is left of the key's minute, and at least one. If the minute is over, or never began,
     * a new one begins now.
     */
    readonly take: (keyId: number, limit: number, now: Instant) => Effect.Effect<Block>
    /** Takes from the minute of a token or a session. */
    readonly takeOfCredential: (credential: string, limit: number, now: Instant) => Effect.Effect<Block>
  }
>()("peyk/services/key/RequestWindows/KeyWindowStore") {}

/** The requests that a credential has left in its minute, as far as this process knows. */
export interface Allowance {
  readonly limit: number
  readonly remaining: number
  readonly resetSeconds: number
}

interface RequestWindow {
  readonly limit: number
  readonly endsAt: Instant
  /** Granted to this process and not used yet. */
  permits: number
  /** Not granted to any process yet. */
  readonly left: number
}

const UNLIMITED = Effect.succeed(null)

const MAX_WINDOWS = 20_000
const LOCKS = 64

const openWindow = (block: Block, limit: number): RequestWindow => ({
  limit,
  endsAt: block.endsAt,
  permits: block.granted,
  left: Math.max(0, limit - block.used)
})

const use = (window: RequestWindow, now: Instant): Effect.Effect<Allowance, TooManyRequestsApiKey> => {
  const resetSeconds = retryAfterSeconds(window.endsAt, now)
  if (window.permits === 0) {
    return Effect.fail(new TooManyRequestsApiKey({ retryAfterSeconds: resetSeconds, limit: window.limit }))
  }
  window.permits--
  return Effect.succeed({ limit: window.limit, remaining: window.permits + window.left, resetSeconds })
}

/** The windows that this process knows. If one is forgotten early, so are its permits: fewer are admitted, never more. */
const makeKnownWindows = <K>() => {
  const windows = new BoundedMap<K, RequestWindow>(MAX_WINDOWS)
  return {
    /** The key's window, if it decides a request now: it has a permit, or no process has any more. */
    current: (key: K, limit: number, now: Instant) => {
      const window = windows.get(key)
      const isOpen = window !== undefined && now < window.endsAt && window.limit === limit
      return isOpen && (window.permits > 0 || window.left === 0) ? window : undefined
    },
    add: (key: K, window: RequestWindow) => windows.set(key, window)
  }
}

/**
 * Requests per minute of each key, over all processes. Each process takes them from the store in blocks and counts in
 * memory. So never more than the limit are admitted. A process can refuse while others have part of their blocks
 * left: an eighth of what was left when each was taken.
 */
export const makeRequestWindows = <K>(
  take: (key: K, limit: number, now: Instant) => Effect.Effect<Block>,
  /** A whole number; keys can share it. */
  numberOf: (key: K) => number
) =>
  Effect.map(Clock.Clock, (clock) => {
    const windows = makeKnownWindows<K>()
    const locks = Array.from({ length: LOCKS }, () => Semaphore.makeUnsafe(1))

    const refill = Effect.fnUntraced(function* (key: K, limit: number) {
      const now = yield* Clock.currentTimeMillis
      const current = windows.current(key, limit, now)
      if (current !== undefined) return current
      const opened = openWindow(yield* take(key, limit, now), limit)
      windows.add(key, opened)
      return opened
    })

    /** One refill of a key at a time: waiting requests use its result. */
    const refilled = (key: K, limit: number) =>
      locks[numberOf(key) % LOCKS]?.withPermits(1)(refill(key, limit)) ?? refill(key, limit)

    const admitAfterRefill = Effect.fnUntraced(function* (key: K, limit: number) {
      while (true) {
        const window = yield* refilled(key, limit)
        if (window.permits > 0 || window.left === 0)
          return yield* use(window, clock.currentTimeMillisUnsafe())
      }
    })

    /** Counts one request; null if the limit is 0, which means none. */
    return (key: K, limit: number): Effect.Effect<Allowance | null, TooManyRequestsApiKey> => {
      if (limit === 0) return UNLIMITED
      return Effect.suspend(() => {
        const now = clock.currentTimeMillisUnsafe()
        const known = windows.current(key, limit, now)
        return known === undefined ? admitAfterRefill(key, limit) : use(known, now)
      })
    }
  })

/** Requests per minute of a service key, over all processes. */
export class KeyLimits extends Context.Service<
  KeyLimits,
  {
    /** Counts one request; null for a key without a limit. */
    readonly admit: (principal: Principal) => Effect.Effect<Allowance | null, TooManyRequestsApiKey>
  }
>()("peyk/services/key/RequestWindows/KeyLimits") {
  static readonly layer = Layer.effect(
    KeyLimits,
    Effect.gen(function* () {
      const settings = yield* Settings
      const store = yield* KeyWindowStore
      const admit = yield* makeRequestWindows(store.take, (keyId: number) => keyId)
      return KeyLimits.of({
        admit: ({ keyId, requestsPerMinute }) => admit(keyId, requestsPerMinute ?? settings.keyMinuteLimit)
      })
    })
  )
}
