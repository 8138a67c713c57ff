import { Clock, Context, Effect, Latch, Layer, Option, Schema, Stream } from "effect"
import { SecureRandom } from "effect/crypto"
import { type Conflict, type ScopeInsufficient, ServiceUnavailable } from "../../domain/Errors.ts"
import { type Instant, MINUTE_MILLIS, SECOND_MILLIS } from "../../domain/Instant.ts"
import { idAt, instantOf } from "../../domain/Paging.ts"
import { KeyMode } from "../../domain/customer/Customer.ts"
import { credentialOf } from "../../domain/user/Actor.ts"
import { action, type Call, NoTarget, perform } from "../Action.ts"
import { ManagementWrites } from "../ManagementWrites.ts"

/** Programs of one customer that listen at once. */
export const MAX_LISTENERS = 5
/** Those of all customers in one process: each reads the store twice a second. */
const MAX_STREAMS = 256
/** So long after the last heartbeat a listener is gone: its process may have died. */
const LEASE_MILLIS = 20 * SECOND_MILLIS
/** How often a listener's token is checked, and its lease renewed. A proxy sees that the connection is in use. */
const HEARTBEAT_MILLIS = 3 * SECOND_MILLIS
const POLL_MILLIS = 500
const PART = 200
/** Events of up to this age are sent to a listener that comes back. */
const MAX_AGE_MILLIS = 60 * MINUTE_MILLIS

/**
 * An event's id is made before its transaction, which may take this long: meanwhile those after it can be read already.
 * Longer than a statement may take, and clocks may differ.
 */
const LATE_MILLIS = 30 * SECOND_MILLIS
/** How often a listener looks for such events. */
const LATE_CHECK_MILLIS = 2 * SECOND_MILLIS

/** What a listener gets of an event: its id, and the body that a webhook would get. */
export interface ListenedEvent {
  readonly id: string
  readonly body: string
}

/** Why a stream ended. `replaced`: the same listener came back on another connection. */
export type ListeningEnd = "token_ended" | "stopping" | "replaced" | "unavailable"

export type Listened =
  | { readonly _tag: "Event"; readonly event: ListenedEvent }
  | { readonly _tag: "Heartbeat" }
  | { readonly _tag: "End"; readonly reason: ListeningEnd }

/** Whose lease it is. The token is the connection's: a listener that comes back takes the lease over. */
interface ListenerLease {
  readonly customerId: number
  readonly id: string
  readonly token: string
  readonly mode: KeyMode
  /** Nobody continues the listener of another token. */
  readonly credential: string
}

interface EventRange {
  readonly mode: KeyMode
  /** The range begins after this event. */
  readonly after: string
}

/** Each method is one atomic statement. */
export class ListenerStore extends Context.Service<
  ListenerStore,
  {
    /** Takes a free place, until then. */
    readonly take: (lease: ListenerLease, now: Instant, until: Instant) => Effect.Effect<void, Conflict>
    /** Continues the lease of a listener that comes back; false if it has none. */
    readonly takeOver: (lease: ListenerLease, until: Instant) => Effect.Effect<boolean>
    /** False if another connection has taken the lease over, or it ended. */
    readonly renew: (lease: ListenerLease, until: Instant) => Effect.Effect<boolean>
    /** Others may have the place; until one takes it, the listener can come back to it. */
    readonly release: (lease: ListenerLease, now: Instant) => Effect.Effect<void>
    /** The next events, and up to which id it looked: others of the customer are of another mode. */
    readonly read: (
      customerId: number,
      range: EventRange & { readonly limit: number }
    ) => Effect.Effect<{ readonly events: ReadonlyArray<ListenedEvent>; readonly lookedTo: string | null }>
    /** The ids of a part that was read before. */
    readonly ids: (
      customerId: number,
      range: EventRange & { readonly to: string }
    ) => Effect.Effect<ReadonlyArray<string>>
    readonly byIds: (
      customerId: number,
      ids: ReadonlyArray<string>
    ) => Effect.Effect<ReadonlyArray<ListenedEvent>>
  }
>()("peyk/services/webhook/WebhookListeners/ListenerStore") {}

const higher = (one: string, other: string): string => (one > other ? one : other)

/** Where a feed begins. */
interface FeedStart {
  /** Later events are new. */
  readonly after: string
  /** None with a lower id, though it may be committed later. */
  readonly from: string
}

/** From now on, or after the last event that a listener had. What was committed late meanwhile can be before that. */
export const feedStart = (after: string | null, now: Instant): FeedStart => {
  if (after === null) return { after: idAt(now), from: idAt(now) }
  const oldest = idAt(now - MAX_AGE_MILLIS)
  return { after: higher(after, oldest), from: higher(idAt(instantOf(after) - LATE_MILLIS), oldest) }
}

/** The events of a customer in the order of their ids. None is lost that is committed late, and none comes twice. */
export const makeEventFeed = (
  { read, ids, byIds }: Pick<ListenerStore["Service"], "read" | "ids" | "byIds">,
  { customerId, mode }: { readonly customerId: number; readonly mode: KeyMode },
  start: FeedStart
) => {
  let cursor = start.after
  let checkedAt = instantOf(start.after)
  const sent = new Set<string>()
  const note = (events: ReadonlyArray<ListenedEvent>) => {
    for (const { id } of events) sent.add(id)
    return events
  }

  /** Those with lower ids than some that were sent. What was too old for this at the last check, was complete then. */
  const late = Effect.fnUntraced(function* (now: Instant) {
    const after = higher(idAt(checkedAt - LATE_MILLIS), start.from)
    checkedAt = now
    const found = yield* ids(customerId, { mode, after, to: cursor })
    const missing = found.filter((id) => !sent.has(id))
    const oldest = idAt(now - LATE_MILLIS)
    for (const id of sent) if (id < oldest) sent.delete(id)
    return missing.length === 0 ? [] : note(yield* byIds(customerId, missing.slice(0, PART)))
  })

  return Effect.fnUntraced(function* (now: Instant) {
    const { events, lookedTo } = yield* read(customerId, { mode, after: cursor, limit: PART })
    const before = now - checkedAt >= LATE_CHECK_MILLIS ? yield* late(now) : []
    if (lookedTo !== null) cursor = higher(cursor, lookedTo)
    return [...before, ...note(events)]
  })
}

class Stopping {
  readonly #latch = Latch.makeUnsafe(false)
  hasBegun = false

  begin(): void {
    this.hasBegun = true
    this.#latch.openUnsafe()
  }

  get awaited(): Effect.Effect<void> {
    return this.#latch.await
  }
}

interface Listening {
  readonly lease: ListenerLease
  readonly feed: (now: Instant) => Effect.Effect<ReadonlyArray<ListenedEvent>>
  /** Whether its token is still good. */
  readonly isAllowed: Effect.Effect<boolean>
  readonly stopping: Stopping
}

const end = (reason: ListeningEnd) => [{ _tag: "End", reason }] as const

/** Waits until there is something to send; the events of one turn are all that is kept for a slow reader. */
const nextItems = ({ feed, isAllowed, lease, stopping }: Listening, { renew }: ListenerStore["Service"]) => {
  let beatAt = 0
  const beat = Effect.fnUntraced(function* (now: Instant) {
    beatAt = now
    if (!(yield* isAllowed)) return end("token_ended")
    return (yield* renew(lease, now + LEASE_MILLIS)) ? [{ _tag: "Heartbeat" } as const] : end("replaced")
  })
  const next: Effect.Effect<ReadonlyArray<Listened>> = Effect.gen(function* () {
    if (stopping.hasBegun) return end("stopping")
    const now = yield* Clock.currentTimeMillis
    if (now - beatAt >= HEARTBEAT_MILLIS) return yield* beat(now)
    const events = yield* feed(now)
    if (events.length > 0) return events.map((event) => ({ _tag: "Event", event }) as const)
    yield* Effect.raceFirst(Effect.sleep(POLL_MILLIS), stopping.awaited)
    return yield* next
  })
  return Effect.catchDefect(next, (defect) =>
    Effect.as(Effect.logWarning("a listener's stream ended", defect), end("unavailable"))
  )
}

/** Begins to listen: the entry in the audit log is that of the run, which may come back on other connections. */
const listenToEvents = action("webhook.listen", {
  input: Schema.Struct({ id: Schema.String, token: Schema.String, mode: KeyMode }),
  target: NoTarget,
  access: "anyone",
  run: ({ actor, input: { id, token, mode } }) =>
    Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis
      const lease = { customerId: actor.customerId, id, token, mode, credential: credentialOf(actor) }
      yield* (yield* ListenerStore).take(lease, now, now + LEASE_MILLIS)
    }),
  audit: (_, { input: { id, mode } }) => ({ id, details: { mode } })
})

interface ListenRequest extends Pick<Call, "actor" | "origin"> {
  readonly mode: KeyMode
  /** Of the run of a program; null: a new one. */
  readonly listener: string | null
  /** The last event that it has had; null: only events from now on. */
  readonly after: string | null
  readonly isAllowed: Effect.Effect<boolean>
}

/** A stream to one listener. */
interface ListenerStream {
  /** A listener that comes back without having had any event names this. */
  readonly after: string
  readonly listener: string
  readonly items: Stream.Stream<Listened>
  /** The process is about to stop. */
  readonly stop: () => void
}

const itemsOf = (listening: Listening, store: ListenerStore["Service"]): Stream.Stream<Listened> => {
  const next = nextItems(listening, store)
  const items = Stream.paginate(null, () =>
    Effect.map(next, (found) => {
      const isLast = found.some(({ _tag }) => _tag === "End")
      return [found, isLast ? Option.none<null>() : Option.some(null)] as const
    })
  )
  const release = Effect.flatMap(Clock.currentTimeMillis, (now) => store.release(listening.lease, now))
  return Stream.ensuring(
    items,
    Effect.catchDefect(release, () => Effect.void)
  )
}

/** Streams of events to programs of a customer's developers. */
export class WebhookListeners extends Context.Service<
  WebhookListeners,
  {
    /** @returns the events from now on, or after one of the last hour, until the listener goes */
    readonly open: (
      request: ListenRequest
    ) => Effect.Effect<ListenerStream, Conflict | ScopeInsufficient | ServiceUnavailable>
  }
>()("peyk/services/webhook/WebhookListeners") {
  static readonly layer = Layer.effect(
    WebhookListeners,
    Effect.gen(function* () {
      const store = yield* ListenerStore
      const writes = yield* ManagementWrites
      const random = yield* SecureRandom.SecureRandom
      let open = 0
      const counted = Effect.acquireRelease(
        Effect.sync(() => (open += 1)),
        () => Effect.sync(() => (open -= 1))
      )

      /** A listener that comes back goes on; a new one is noted in the audit log. */
      const begin = Effect.fnUntraced(function* ({ actor, origin }: ListenRequest, lease: ListenerLease) {
        const until = (yield* Clock.currentTimeMillis) + LEASE_MILLIS
        if (yield* store.takeOver(lease, until)) return
        const { id, token, mode } = lease
        const call = { actor, origin, target: undefined, input: { id, token, mode }, version: null }
        yield* perform(listenToEvents, call)
      })

      return WebhookListeners.of({
        open: Effect.fnUntraced(
          function* (request) {
            if (open >= MAX_STREAMS) return yield* new ServiceUnavailable()
            const { actor, mode, isAllowed } = request
            const { customerId } = actor
            const id = request.listener ?? (yield* random.uuidV7())
            const token = yield* random.uuidV7()
            const lease = { customerId, id, token, mode, credential: credentialOf(actor) }
            const start = feedStart(request.after, yield* Clock.currentTimeMillis)
            yield* begin(request, lease)
            const stopping = new Stopping()
            const feed = makeEventFeed(store, { customerId, mode }, start)
            const items = itemsOf({ lease, feed, isAllowed, stopping }, store)
            return {
              listener: id,
              after: start.after,
              items: Stream.unwrap(Effect.as(counted, items)).pipe(
                Stream.provideContext(yield* Effect.context<never>())
              ),
              stop: () => stopping.begin()
            }
          },
          Effect.provideService(ManagementWrites, writes),
          Effect.provideService(ListenerStore, store)
        )
      })
    })
  )
}
