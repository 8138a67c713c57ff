import { Clock, Context, Deferred, Effect, Exit, Layer, Schema } from "effect"
import type { SqlClient } from "effect/sql"
import type { Instant } from "../../domain/Instant.ts"
import { PLATFORM } from "../../domain/customer/Customer.ts"
import { timestamp } from "./SqlRows.ts"
import { BoundedMap } from "../../services/concurrency/Collections.ts"
import { flushAfter } from "../../services/concurrency/Workers.ts"
import { SetUpChanged } from "../../services/customer/Idempotency.ts"
import { warnOfFailure } from "../../services/system/Observability.ts"

interface Line<A, E> {
  readonly running: Deferred.Deferred<A, E>
  /** For requests that came after `running` had begun. */
  next: Deferred.Deferred<A, E> | undefined
  /** Whether requests may join it while it runs. */
  isOpen: boolean
}

/** A lookup that took so long and then broke: the store does not respond, and the next one would take as long. */
const SILENT_MILLIS = 1000

/** Runs the lookups of one key one after the other. Each serves all requests that wait for it. */
interface SharedLookup<Key, A, E> {
  /** The result of the running lookup; undefined if none can be joined. */
  readonly inProgress: (key: Key) => Effect.Effect<A, E> | undefined
  /** The result of a lookup that begins after this call. */
  readonly lookUp: (key: Key) => Effect.Effect<A, E>
  /** No request may join the running lookups: they may have missed a change. */
  readonly close: () => void
}

export const sharedLookup = <Key, A, E, R>(
  lookup: (key: Key) => Effect.Effect<A, E, R>
): Effect.Effect<SharedLookup<Key, A, E>, never, R> =>
  Effect.map(Effect.all([Effect.context<R>(), Clock.Clock]), ([context, clock]) => {
    // In separate fibers: if the first client disconnects, the others still wait for the result.
    const runFork = Effect.runForkWith(context)
    const lines = new Map<Key, Line<A, E>>()

    const begin = (key: Key, running: Deferred.Deferred<A, E>) => {
      const line: Line<A, E> = { running, next: undefined, isOpen: true }
      lines.set(key, line)
      const begunAt = clock.currentTimeMillisUnsafe()
      runFork(Effect.suspend(() => lookup(key))).addObserver((exit) => {
        lines.delete(key)
        const wasSilent = Exit.hasDies(exit) && clock.currentTimeMillisUnsafe() - begunAt >= SILENT_MILLIS
        if (line.next !== undefined) {
          if (wasSilent) Deferred.doneUnsafe(line.next, exit)
          else begin(key, line.next)
        }
        Deferred.doneUnsafe(running, exit)
      })
      return running
    }

    return {
      inProgress: (key) => {
        const line = lines.get(key)
        return line?.isOpen ? Deferred.await(line.running) : undefined
      },
      lookUp: (key) =>
        Effect.suspend(() => {
          const line = lines.get(key)
          if (line === undefined) return Deferred.await(begin(key, Deferred.makeUnsafe()))
          line.next ??= Deferred.makeUnsafe()
          return Deferred.await(line.next)
        }),
      close: () => {
        for (const line of lines.values()) line.isOpen = false
      }
    }
  })

const MAX_CACHED = 20_000
/** How long a cached value can be wrong. */
const MAX_STALE_MILLIS = 5000
/** How long a value is cached that is known to be right. */
const MAX_AGE_MILLIS = 600_000

/** A lookup with a cache. */
interface CachedLookup<Key, A, E> {
  readonly get: (key: Key) => Effect.Effect<A, E>
  /** The cached value; undefined if `get` must look it up. */
  readonly recall: (key: Key) => A | undefined
  /** The result of a lookup that begins after this call; shared by all callers that wait for it. */
  readonly refresh: (key: Key) => Effect.Effect<A, E>
  readonly invalidate: (key: Key) => Effect.Effect<void>
  /** All values for which this is true. */
  readonly invalidateIf: (isMeant: (response: A) => boolean) => Effect.Effect<void>
  readonly invalidateAll: Effect.Effect<void>
}

interface Trust<A> {
  /** Whether notifications of changes are known to arrive: then values are right for that long. */
  readonly isUpToDate?: (now: Instant) => boolean
  /** False for a value of which a newer version is known. */
  readonly isCurrent?: (response: A) => boolean
}

/**
 * Caches values for five seconds, and for ten minutes while notifications of changes are known to arrive. Failures
 * are not cached, because a missing row can be created at any moment. For the same reason, a failure never comes from
 * a lookup that began before the request.
 */
export const cachedLookup = Effect.fnUntraced(function* <Key, A, E, R>(
  lookup: (key: Key) => Effect.Effect<A, E, R>,
  { isUpToDate = () => false, isCurrent = () => true }: Trust<A> = {}
) {
  const clock = yield* Clock.Clock
  const responses = new BoundedMap<Key, { readonly response: A; readonly since: Instant }>(MAX_CACHED)
  /** A lookup that began before a change may have missed it. */
  let changes = 0

  /** Counted from before the lookup. */
  const remember = (key: Key, response: A, since: Instant) => responses.set(key, { response, since })
  const shared = yield* sharedLookup((key: Key) =>
    Effect.suspend(() => {
      const changesBefore = changes
      const since = clock.currentTimeMillisUnsafe()
      return Effect.tap(lookup(key), (response) =>
        Effect.sync(() => {
          if (changes === changesBefore) remember(key, response, since)
        })
      )
    })
  )

  const forget = (forgetResponses: () => void) =>
    Effect.sync(() => {
      changes += 1
      shared.close()
      forgetResponses()
    })
  const recall = (key: Key): A | undefined => {
    const found = responses.get(key)
    if (found === undefined || !isCurrent(found.response)) return undefined
    const now = clock.currentTimeMillisUnsafe()
    const age = now - found.since
    return age < MAX_STALE_MILLIS || (age < MAX_AGE_MILLIS && isUpToDate(now)) ? found.response : undefined
  }
  const find = (key: Key) => {
    const inProgress = shared.inProgress(key)
    return inProgress === undefined ? shared.lookUp(key) : Effect.catch(inProgress, () => shared.lookUp(key))
  }
  const cached: CachedLookup<Key, A, E> = {
    get: (key) =>
      Effect.suspend(() => {
        const found = recall(key)
        return found === undefined ? find(key) : Effect.succeed(found)
      }),
    recall,
    refresh: shared.lookUp,
    invalidate: (key) => forget(() => responses.delete(key)),
    invalidateIf: (isMeant) =>
      forget(() => {
        for (const [key, { response }] of responses) if (isMeant(response)) responses.delete(key)
      }),
    invalidateAll: forget(() => responses.clear())
  }
  return cached
})

const INTERVAL = "30 seconds"

/** Records when rows of a table (keys, tokens) were last used: one statement for all, not one per request. */
export const makeLastUses = Effect.fnUntraced(function* (
  sql: SqlClient.SqlClient,
  table: "api_keys" | "personal_tokens"
) {
  const lastUsed = new Map<number, number>()
  const write = Effect.suspend(() => {
    const ids = [...lastUsed.keys()]
    const times = [...lastUsed.values()].map(timestamp)
    lastUsed.clear()
    return ids.length === 0
      ? Effect.void
      : Effect.asVoid(sql`
        update ${sql(table)} k set last_used_at = greatest(k.last_used_at, used.at)
        from unnest(${ids}::int[], ${times}::timestamptz[]) as used (id, at) where k.id = used.id`)
  }).pipe(Effect.catchCause((cause) => warnOfFailure(`last uses of ${table} were not written`, cause)))
  const added = yield* flushAfter(INTERVAL, write)
  return (id: number, now: number) => {
    lastUsed.set(id, now)
    added()
  }
})

const CAPACITY = 100_000

const versionOf = (customerId: string): string =>
  `coalesce((select version from set_up_versions where customer_id = ${customerId}), 0)`

/** Changes of the platform's shared accounts are counted too. */
const platformVersion = versionOf(String(PLATFORM))

/** Version columns for a cached row. `customerId` names the owner's column, which is null for the platform's accounts. */
export const setUpColumns = (customerId: string): string =>
  `${versionOf(customerId)} + ${platformVersion} as "setUpVersion", ${platformVersion} as "platformVersion"`

export const SetUpFields = { setUpVersion: Schema.Int, platformVersion: Schema.Int }

/**
 * For statements about requests `r`, whose column `set_up` is the version that the request was prepared with (null: any).
 * The join finds the current version by primary key; the condition holds for requests that have it.
 */
export const currentSetUp = {
  join: `left join set_up_versions s on s.customer_id = r.customer_id`,
  condition: `(r.set_up is null or r.set_up = coalesce(s.version, 0) + ${platformVersion})`
}

interface Versioned {
  readonly customerId: number | null
  readonly setUpVersion: number
}

/**
 * The newest version of each customer's set-up that this process has seen. A cached entry is used until a newer version
 * is seen. A statement that serves a request compares the request's version with the store's, so this process also learns
 * of changes that no notification brought, before the statement does anything.
 */
export class SetUpVersions extends Context.Service<
  SetUpVersions,
  {
    /** Remembers the versions of a row that was just read. */
    readonly note: (
      customerId: number | null,
      read: { readonly setUpVersion: number; readonly platformVersion: number }
    ) => void
    readonly isCurrent: (read: Versioned) => boolean
    /** Remembers that the store has a newer version than this, and fails. */
    readonly changed: (customerId: number, since: number | null) => Effect.Effect<never, SetUpChanged>
  }
>()("peyk/layers/postgres/SetUpCache/SetUpVersions") {
  static readonly layer = Layer.sync(SetUpVersions, () => {
    const newest = new BoundedMap<number, number>(CAPACITY)
    const seen = (customerId: number, version: number) => {
      newest.set(customerId, Math.max(newest.get(customerId) ?? 0, version))
    }
    return SetUpVersions.of({
      note: (customerId, { setUpVersion, platformVersion: platform }) => {
        seen(PLATFORM, platform)
        if (customerId !== null) seen(customerId, setUpVersion)
      },
      isCurrent: ({ customerId, setUpVersion }) => setUpVersion >= (newest.get(customerId ?? PLATFORM) ?? 0),
      changed: (customerId, since) =>
        Effect.suspend(() => {
          if (since !== null) seen(customerId, since + 1)
          return new SetUpChanged()
        })
    })
  })
}
