import { Clock, Context, Effect, Layer, Semaphore } from "effect"
import { retryAfterSeconds } from "../domain/Admission.ts"
import type { Principal } from "../domain/Customer.ts"
import { TooManyRequestsApiKey } from "../domain/Errors.ts"
import type { Instant } from "../domain/Instant.ts"
import { type Block, KeyWindowStore } from "./KeyWindowStore.ts"
import { Settings } from "./Settings.ts"

/** What is left of a key's minute, as far as this process knows. */
export interface KeyAllowance {
  readonly limit: number
  readonly remaining: number
  readonly resetSeconds: number
}

interface KeyWindow {
  readonly limit: number
  readonly endsAt: Instant
  /** Granted to this process and not used yet. */
  permits: number
  /** Granted to nobody yet. */
  readonly left: number
}

const UNLIMITED = Effect.succeed(null)

const MAX_WINDOWS = 20_000
/** All of them are looked through for that. */
const FORGET_PAUSE_MILLIS = 1000
const LOCKS = 64

const openWindow = (block: Block, limit: number): KeyWindow => ({
  limit,
  endsAt: block.endsAt,
  permits: block.granted,
  left: Math.max(0, limit - block.used)
})

/**
 * Requests per minute of a service key, over all processes: each takes them from the store in blocks and counts those in
 * memory. So never more than the limit are admitted; and a process may refuse while others have some left of their
 * blocks, an eighth of what was left when each was taken.
 */
export class KeyLimits extends Context.Service<
  KeyLimits,
  {
    /** Counts one request; null for a key without a limit. */
    readonly admit: (principal: Principal) => Effect.Effect<KeyAllowance | null, TooManyRequestsApiKey>
  }
>()("peyk/services/KeyLimits") {
  static readonly layer = Layer.effect(
    KeyLimits,
    Effect.gen(function* () {
      const settings = yield* Settings
      const store = yield* KeyWindowStore
      const clock = yield* Clock.Clock
      const windows = new Map<number, KeyWindow>()
      const locks = Array.from({ length: LOCKS }, () => Semaphore.makeUnsafe(1))

      /** The key's window, if it says anything at all about a request now: it has a permit, or nobody has any more. */
      const currentOf = (keyId: number, limit: number, now: Instant) => {
        const current = windows.get(keyId)
        const isOpen = current !== undefined && now < current.endsAt && current.limit === limit
        return isOpen && (current.permits > 0 || current.left === 0) ? current : undefined
      }

      let forgottenAt = Number.NEGATIVE_INFINITY
      const forgetLapsed = (now: Instant) => {
        if (windows.size < MAX_WINDOWS || now < forgottenAt + FORGET_PAUSE_MILLIS) return
        forgottenAt = now
        for (const [keyId, { endsAt }] of windows) if (endsAt <= now) windows.delete(keyId)
      }

      const refill = Effect.fnUntraced(function* (keyId: number, limit: number) {
        const now = yield* Clock.currentTimeMillis
        const current = currentOf(keyId, limit, now)
        if (current !== undefined) return current
        forgetLapsed(now)
        const opened = openWindow(yield* store.take(keyId, limit, now), limit)
        windows.set(keyId, opened)
        return opened
      })

      /** One refill of a key at a time: who waited for it finds what it brought. */
      const refilled = (keyId: number, limit: number) =>
        locks[keyId % LOCKS]?.withPermits(1)(refill(keyId, limit)) ?? refill(keyId, limit)

      const use = (window: KeyWindow, now: Instant): Effect.Effect<KeyAllowance, TooManyRequestsApiKey> => {
        const resetSeconds = retryAfterSeconds(window.endsAt, now)
        if (window.permits === 0) {
          return Effect.fail(
            new TooManyRequestsApiKey({ retryAfterSeconds: resetSeconds, limit: window.limit })
          )
        }
        window.permits--
        return Effect.succeed({ limit: window.limit, remaining: window.permits + window.left, resetSeconds })
      }

      const admitAfterRefill = Effect.fnUntraced(function* (keyId: number, limit: number) {
        while (true) {
          const window = yield* refilled(keyId, limit)
          if (window.permits > 0 || window.left === 0)
            return yield* use(window, clock.currentTimeMillisUnsafe())
        }
      })

      return KeyLimits.of({
        admit: ({ keyId, requestsPerMinute }) => {
          const limit = requestsPerMinute ?? settings.keyMinuteLimit
          if (limit === 0) return UNLIMITED
          return Effect.suspend(() => {
            const now = clock.currentTimeMillisUnsafe()
            const known = currentOf(keyId, limit, now)
            return known === undefined ? admitAfterRefill(keyId, limit) : use(known, now)
          })
        }
      })
    })
  )
}
