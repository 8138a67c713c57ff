import { Cache, Clock, Context, Duration, Effect, Exit, Layer } from "effect"
import { DAY_MILLIS, type Instant, MINUTE_MILLIS } from "../../domain/Instant.ts"
import { idAt } from "../../domain/Paging.ts"
import type { Tally } from "../../domain/guard/Conversion.ts"
import type { Channel } from "../../domain/routing/Channel.ts"
import { type FirstTry, noRecord, recorded, type RouteKnowledge } from "../../domain/routing/MeasuredOrder.ts"
import { BoundedMap } from "../concurrency/Collections.ts"
import { warnOfFailure } from "../system/Observability.ts"

interface ReadTry extends FirstTry {
  /** The id of the verification. */
  readonly id: string
  readonly channel: Channel
}

/** Reads the codes that the records of channels are counted from. */
export class RouteRecordStore extends Context.Service<
  RouteRecordStore,
  {
    /** The last codes between these ids, in their order: of each, the channel that was tried first. */
    readonly tries: (request: {
      readonly customerId: number
      readonly from: string
      readonly until: string
      readonly limit: number
    }) => Effect.Effect<ReadonlyArray<ReadTry>>
    /** The customer's accounts, and shared ones, that cool down. */
    readonly cooling: (customerId: number, now: Instant) => Effect.Effect<ReadonlySet<number>>
    /** The codes of all customers, by channel. */
    readonly platform: Effect.Effect<Readonly<Partial<Record<Channel, Tally>>>>
  }
>()("peyk/services/routing/RouteRecords/RouteRecordStore") {}

/** Records are counted from codes of at most this age, and from at most this many codes. */
const OLDEST_MILLIS = 14 * DAY_MILLIS
const MAX_CODES = 3000
/** The longest wait of a first channel: until then its code may still be verified there. */
const MATURITY_MILLIS = 2 * MINUTE_MILLIS
const REFRESHED_MILLIS = 10_000
const PLATFORM_AGE = Duration.minutes(10)
const MAX_CUSTOMERS = 10_000

interface Entry {
  knowledge: RouteKnowledge
  /** Codes with lower ids are counted. */
  countedUntil: string
  refreshedAt: Instant
  isRefreshing: boolean
}

const nothingKnown: RouteKnowledge = { records: {}, platform: {}, cooling: new Set() }

const withTries = (
  records: RouteKnowledge["records"],
  tries: ReadonlyArray<ReadTry>
): RouteKnowledge["records"] => {
  const counted = { ...records }
  for (const each of tries) counted[each.channel] = recorded(counted[each.channel] ?? noRecord, each)
  return counted
}

/**
 * The records of customers' channels. They are read from the stored codes in the background, so a send never waits: the
 * first sends of a process go over the saved order.
 */
export class RouteRecords extends Context.Service<
  RouteRecords,
  {
    readonly of: (customerId: number) => RouteKnowledge
    /** Reads what is new, as `of` does in the background. */
    readonly refresh: (customerId: number) => Effect.Effect<void>
  }
>()("peyk/services/routing/RouteRecords") {
  static readonly layer = Layer.effect(
    RouteRecords,
    Effect.gen(function* () {
      const clock = yield* Clock.Clock
      const store = yield* RouteRecordStore
      const runFork = Effect.runForkWith(yield* Effect.context<never>())
      const entries = new BoundedMap<number, Entry>(MAX_CUSTOMERS)
      const platform = yield* Cache.makeWith<"platform", RouteKnowledge["platform"]>(() => store.platform, {
        capacity: 1,
        timeToLive: (exit) => (Exit.isSuccess(exit) ? PLATFORM_AGE : 0)
      })

      const entryOf = (customerId: number): Entry => {
        const found = entries.get(customerId)
        if (found !== undefined) return found
        const made: Entry = {
          knowledge: nothingKnown,
          countedUntil: "",
          refreshedAt: Number.NEGATIVE_INFINITY,
          isRefreshing: false
        }
        entries.set(customerId, made)
        return made
      }

      const read = Effect.fnUntraced(function* (customerId: number, entry: Entry) {
        const now = clock.currentTimeMillisUnsafe()
        const oldest = idAt(now - OLDEST_MILLIS)
        const from = entry.countedUntil < oldest ? oldest : entry.countedUntil
        const until = idAt(now - MATURITY_MILLIS)
        const tries = from < until ? yield* store.tries({ customerId, from, until, limit: MAX_CODES }) : []
        const knowledge = {
          records: withTries(entry.knowledge.records, tries),
          platform: yield* Cache.get(platform, "platform"),
          cooling: yield* store.cooling(customerId, now)
        }
        Object.assign(entry, { knowledge, countedUntil: from < until ? until : from, refreshedAt: now })
      })

      const refresh = (customerId: number): Effect.Effect<void> =>
        Effect.suspend(() => {
          const entry = entryOf(customerId)
          if (entry.isRefreshing) return Effect.void
          entry.isRefreshing = true
          return read(customerId, entry).pipe(
            Effect.catchCause((cause) => warnOfFailure("the records of channels were not read", cause)),
            Effect.ensuring(
              Effect.sync(() => {
                entry.isRefreshing = false
              })
            )
          )
        })

      return RouteRecords.of({
        refresh,
        of: (customerId) => {
          const entry = entryOf(customerId)
          const isOld = clock.currentTimeMillisUnsafe() - entry.refreshedAt >= REFRESHED_MILLIS
          if (isOld && !entry.isRefreshing) runFork(refresh(customerId))
          return entry.knowledge
        }
      })
    })
  )
}
