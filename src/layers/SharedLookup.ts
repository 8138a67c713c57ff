import { Deferred, Effect } from "effect"

interface Line<A, E> {
  readonly running: Deferred.Deferred<A, E>
  /** For those who asked after `running` had begun. */
  next: Deferred.Deferred<A, E> | undefined
  /** Whether its answer is good for those who ask while it runs. */
  isOpen: boolean
}

/** Lookups of one key are made one after the other, each for all who wait for it. */
export interface SharedLookup<Key, A, E> {
  /** What a lookup answers that is under way; undefined where there is none that is open. */
  readonly underWay: (key: Key) => Effect.Effect<A, E> | undefined
  /** What a lookup answers that begins now or later. */
  readonly ask: (key: Key) => Effect.Effect<A, E>
  /** Closes those that are under way: something has changed that they may have missed. */
  readonly close: () => void
}

export const sharedLookup = <Key, A, E, R>(
  lookup: (key: Key) => Effect.Effect<A, E, R>
): Effect.Effect<SharedLookup<Key, A, E>, never, R> =>
  Effect.map(Effect.context<R>(), (context) => {
    // Not in the fiber of one who asks: the others wait for it too, when that one hangs up.
    const runFork = Effect.runForkWith(context)
    const lines = new Map<Key, Line<A, E>>()

    const begin = (key: Key, running: Deferred.Deferred<A, E>) => {
      const line: Line<A, E> = { running, next: undefined, isOpen: true }
      lines.set(key, line)
      runFork(Effect.suspend(() => lookup(key))).addObserver((exit) => {
        lines.delete(key)
        if (line.next !== undefined) begin(key, line.next)
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
