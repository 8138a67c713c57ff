import { Clock, Deferred, Effect, Exit } from "effect"

interface Line<A, E> {
  readonly running: Deferred.Deferred<A, E>
  /** Answers requests that came after `running` had begun. */
  next: Deferred.Deferred<A, E> | undefined
  /** Whether requests may join it while it runs. */
  isOpen: boolean
}

/** A lookup that took so long and then broke: the store does not respond, and the next one would take as long. */
const SILENT_MILLIS = 1000

/** Runs the lookups of one key one after the other. Each answers all requests that wait for it. */
export interface SharedLookup<Key, A, E> {
  /** The result of the running lookup; undefined if none can be joined. */
  readonly underWay: (key: Key) => Effect.Effect<A, E> | undefined
  /** The result of a lookup that begins after this call. */
  readonly ask: (key: Key) => Effect.Effect<A, E>
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
      underWay: (key) => {
        const line = lines.get(key)
        return line?.isOpen ? Deferred.await(line.running) : undefined
      },
      ask: (key) =>
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
