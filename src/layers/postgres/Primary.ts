import { type PgClient, PgConnection } from "@effect/sql-pg"
import { Effect, Latch, type Redacted, Schema } from "effect"
import type { Socket } from "node:net"
import { pooled } from "./Hosts.ts"
import { decodedAs } from "./SqlRows.ts"

const PROBE_TIMEOUT = "2 seconds"
/** Between two looks for the primary, while connections are lost. */
const LOOK_PAUSE = "500 millis"
/** An old primary that was cut off keeps its connections, so Peyk also looks without a suspicion. */
const LOOK_EVERY = "5 seconds"

/** The one of several hosts that accepts writes. */
export interface Primary {
  readonly url: () => Redacted.Redacted
  /** Something suggests that it no longer accepts writes: looks for it again. */
  readonly suspect: () => void
  /** A connection to it, which is closed when another host takes over. */
  readonly opened: (socket: Socket) => void
}

const Writable = Schema.Tuple([Schema.Struct({ writable: Schema.Boolean })])

const Timeline = Schema.Tuple([Schema.Struct({ timeline: Schema.Int })])

/** Each promotion begins a new timeline. The name of a file of changes begins with its number. */
const TIMELINE = "select ('x' || left(pg_walfile_name(pg_current_wal_lsn()), 8))::bit(32)::int as timeline"

/** The timeline of a host that accepts writes. A host that does not report it has the lowest. */
const writableTimeline = (url: Redacted.Redacted) =>
  Effect.gen(function* () {
    const connection = yield* PgConnection.make({ url, ...pooled, applicationName: "peyk" })
    const rowsOf = (text: string) => Effect.map(connection.query(text), ({ rows }) => rows)
    const read = rowsOf("select current_setting('transaction_read_only') = 'off' as writable")
    const [{ writable }] = yield* decodedAs(Writable)(read)
    if (!writable) return undefined
    return yield* decodedAs(Timeline)(rowsOf(TIMELINE)).pipe(
      Effect.map(([{ timeline }]) => timeline),
      Effect.orElseSucceed(() => 0)
    )
  }).pipe(
    Effect.scoped,
    Effect.timeout(PROBE_TIMEOUT),
    Effect.orElseSucceed(() => undefined)
  )

/** Of all hosts at once, because one may not respond. */
const writableTimelines = (urls: ReadonlyArray<Redacted.Redacted>) =>
  Effect.forEach(urls, writableTimeline, { concurrency: "unbounded" })

interface Followed {
  readonly index: number
  readonly timeline: number
}

/**
 * The index of the host to use, by the timelines of those that accept writes. It is the one that was promoted last: an
 * old primary that was cut off does not know that it was replaced, so a host of an older timeline is never followed
 * again. Of equal hosts the one in use stays.
 */
export const choosePrimary = (
  timelines: ReadonlyArray<number | undefined>,
  followed?: Followed
): number | undefined => {
  const latest = Math.max(...timelines.map((timeline) => timeline ?? -1))
  if (latest < (followed?.timeline ?? 0)) return undefined
  return followed !== undefined && timelines[followed.index] === latest
    ? followed.index
    : timelines.indexOf(latest)
}

/** The host that accepts writes, among hosts of which none is in use yet. */
export const findPrimary = (urls: ReadonlyArray<Redacted.Redacted>) =>
  Effect.map(writableTimelines(urls), (timelines) => {
    const index = choosePrimary(timelines)
    return index === undefined ? undefined : urls[index]
  })

/** How to reach a store, as the driver takes it, and the primary if there are several hosts. */
export type StoreAddress = PgClient.PgPoolConfig & { readonly primary?: Primary }

/** Follows the primary among these hosts for as long as the scope lives. */
export const followPrimary = Effect.fnUntraced(function* (
  urls: ReadonlyArray<Redacted.Redacted>,
  first: Redacted.Redacted
) {
  let current = first
  let followed: Followed = { index: urls.indexOf(first), timeline: 0 }
  const suspected = Latch.makeUnsafe(false)
  const sockets = new Map<Socket, Redacted.Redacted>()

  const moveTo = (url: Redacted.Redacted) => {
    current = url
    for (const [socket, its] of sockets) {
      if (its !== url) socket.destroy(new Error("another PostgreSQL is the primary now"))
    }
    return Effect.logWarning(`PostgreSQL: host ${urls.indexOf(url) + 1} of ${urls.length} is the primary now`)
  }

  const look = Effect.gen(function* () {
    yield* Effect.timeoutOrElse(suspected.await, { duration: LOOK_EVERY, orElse: () => Effect.void })
    suspected.closeUnsafe()
    const timelines = yield* writableTimelines(urls)
    const index = choosePrimary(timelines, followed)
    const found = index === undefined ? undefined : urls[index]
    if (index === undefined || found === undefined) suspected.openUnsafe()
    else {
      followed = { index, timeline: timelines[index] ?? 0 }
      if (found !== current) yield* moveTo(found)
    }
    yield* Effect.sleep(LOOK_PAUSE)
  })
  yield* Effect.forkScoped(Effect.forever(look))

  const primary: Primary = {
    url: () => current,
    suspect: () => suspected.openUnsafe(),
    opened: (socket) => {
      sockets.set(socket, current)
      socket.once("close", () => {
        sockets.delete(socket)
        suspected.openUnsafe()
      })
    }
  }
  return primary
})
