import { Clock, Context, Effect, Latch, Layer, Queue } from "effect"
import { SecureRandom } from "effect/crypto"
import { SqlClient } from "effect/sql"
import type { Instant } from "../../domain/Instant.ts"
import { MaintenanceSql } from "./MaintenanceSql.ts"
import { withoutSpans } from "../../services/system/Observability.ts"

/** A change in the store of something that processes cache. */
export type Change =
  /** A customer's set-up; null: the platform's own, which affects all customers. */
  | { readonly _tag: "CustomerChanged"; readonly customerId: number | null }
  | { readonly _tag: "KeyChanged"; readonly secretHash: string }
  /** The state of an account. */
  | { readonly _tag: "AccountChanged"; readonly accountId: number }
  /** Changes may have been missed. */
  | { readonly _tag: "Unknown" }

type Listener = (change: Change) => Effect.Effect<void>

/** The cached values that each kind of change removes; none by default. */
interface Ends {
  /** Null: those of all customers. */
  readonly customer: (customerId: number | null) => Effect.Effect<void>
  readonly key?: (secretHash: string) => Effect.Effect<void>
  readonly account?: (accountId: number) => Effect.Effect<void>
}

/** A listener for a cache. If changes may have been missed, it removes everything. */
export const endedBy =
  (cache: { readonly invalidateAll: Effect.Effect<void> }, ends: Ends): Listener =>
  (change) => {
    switch (change._tag) {
      case "CustomerChanged":
        return ends.customer(change.customerId)
      case "KeyChanged":
        return ends.key?.(change.secretHash) ?? Effect.void
      case "AccountChanged":
        return ends.account?.(change.accountId) ?? Effect.void
      case "Unknown":
        return cache.invalidateAll
    }
  }

interface OwnedCache {
  readonly invalidateIf: (
    isMeant: (response: { readonly customerId: number | null }) => boolean
  ) => Effect.Effect<void>
}

/** Removes the values of one customer. */
export const ofCustomer =
  (cache: OwnedCache) =>
  (customerId: number | null): Effect.Effect<void> =>
    cache.invalidateIf((response) => customerId === null || response.customerId === customerId)

const NOTIFICATION_CHANNEL = "peyk_changed"
const RECONNECT_PAUSE = "1 second"
const BEAT_PAUSE_MILLIS = 1000
/** PostgreSQL confirms a LISTEN at once, or the connection is useless. */
const LISTEN_TIMEOUT = "5 seconds"
/** A connection that missed this many beats in a row is closed, and another one opened. */
const MAX_MISSED_BEATS = 5
/** If none ever arrives (behind a transaction pooler), that happens less and less often. */
const MAX_PATIENCE_BEATS = 320
/** This long after its last own beat, a process may have missed a change. */
const MAX_SILENCE_MILLIS = 5000

const NOTHING_HEARD =
  "DATABASE_URL leads to a pooler: set PEYK_DATABASE_LISTEN_URL to the database itself. " +
  "Until then, changes of set-up take up to 5 s to be noticed"

/** `customer:7`, `customer:` (all), `key:<hash in hex>`, `account:7`; the triggers of the schema write them. */
const toChange = (payload: string): Change => {
  const [kind, subject = ""] = payload.split(":")
  if (kind === "key") return { _tag: "KeyChanged", secretHash: subject }
  if (kind === "customer")
    return { _tag: "CustomerChanged", customerId: subject === "" ? null : Number(subject) }
  if (kind === "account") return { _tag: "AccountChanged", accountId: Number(subject) }
  return { _tag: "Unknown" }
}

/**
 * Reports changes in the store to caches, no matter what made them: triggers NOTIFY, this listens. Listening is not
 * reliable, because connections are lost silently. So a process that relies on it also notifies itself, at first and
 * then each second. Notifications arrive in the order of their commits, so its own beat proves that it received all
 * changes before it.
 */
export class ChangeFeed extends Context.Service<
  ChangeFeed,
  {
    readonly subscribe: (listener: Listener) => Effect.Effect<void>
    /** Whether all changes older than five seconds have arrived. The beats run while this is asked. */
    readonly isUpToDate: (now: Instant) => boolean
    /** Returns once it listens, and has reported the changes that were missed before. */
    readonly listening: Effect.Effect<void>
  }
>()("peyk/layers/postgres/ChangeFeed") {
  static readonly layer = Layer.effect(
    ChangeFeed,
    Effect.gen(function* () {
      const sql = yield* SqlClient.SqlClient
      const { listen, closeAll } = yield* MaintenanceSql
      const beats = `beat:${yield* (yield* SecureRandom.SecureRandom).uuidV4()}:`
      const listeners: Array<Listener> = []
      let heardAt = Number.NEGATIVE_INFINITY
      let missed = 0
      let patience = MAX_MISSED_BEATS
      const requested = Latch.makeUnsafe(false)
      const isListening = Latch.makeUnsafe(false)
      const heard = (beatAt: Instant) => {
        heardAt = beatAt
        missed = 0
        patience = MAX_MISSED_BEATS
      }
      const deliver = (change: Change) =>
        Effect.forEach(listeners, (listener) => listener(change), { discard: true })

      if (listen === null) {
        yield* Effect.logWarning(NOTHING_HEARD)
        return ChangeFeed.of({
          isUpToDate: () => false,
          subscribe: () => Effect.void,
          listening: Effect.never
        })
      }

      yield* Effect.scoped(
        Effect.gen(function* () {
          const notifications = yield* Effect.timeout(listen(NOTIFICATION_CHANNEL), LISTEN_TIMEOUT)
          yield* deliver({ _tag: "Unknown" })
          yield* isListening.open
          while (true) {
            const { payload } = yield* Queue.take(notifications)
            if (payload.startsWith(beats)) heard(Number(payload.slice(beats.length)))
            else if (!payload.startsWith("beat:")) yield* deliver(toChange(payload))
          }
        })
      ).pipe(
        Effect.catch(() => Effect.sleep(RECONNECT_PAUSE)),
        Effect.forever,
        Effect.forkScoped
      )

      // Its own close would wait for a response to UNLISTEN.
      const listenAgain = Effect.suspend(() => {
        missed = 0
        patience = Math.min(patience * 2, MAX_PATIENCE_BEATS)
        return Effect.andThen(
          Effect.logWarning("notifications of changes have stopped: listening on another connection"),
          closeAll
        )
      })

      // After an idle period it beats at once: until that arrives, cached values must be looked up again.
      let beatAt = Number.NEGATIVE_INFINITY
      const beat = Effect.gen(function* () {
        yield* requested.await
        const pause = beatAt + BEAT_PAUSE_MILLIS - (yield* Clock.currentTimeMillis)
        if (pause > 0) yield* Effect.sleep(pause)
        if (missed >= patience) yield* listenAgain
        requested.closeUnsafe()
        beatAt = yield* Clock.currentTimeMillis
        yield* Effect.ignore(
          Effect.tap(sql`select pg_notify(${NOTIFICATION_CHANNEL}, ${`${beats}${beatAt}`})`, () => {
            missed += 1
            return Effect.void
          })
        )
      })
      yield* Effect.forkScoped(Effect.forever(withoutSpans(beat)))

      return ChangeFeed.of({
        isUpToDate: (now) => {
          requested.openUnsafe()
          return now - heardAt < MAX_SILENCE_MILLIS
        },
        subscribe: (listener) => Effect.sync(() => void listeners.push(listener)),
        listening: isListening.await
      })
    })
  )
}
