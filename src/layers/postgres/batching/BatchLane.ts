import { Context, Effect } from "effect"
import type { BatchClients } from "./StatementBatch.ts"

/** Where batches of several kinds alternate at the database: while some wait, statements become fewer and larger. */
export interface BatchLane {
  /** Whether it is free. Otherwise `again` is called once, when the current one leaves. */
  readonly isFree: (again: () => void) => boolean
  readonly enter: () => void
  readonly leave: () => void
}

export const makeBatchLane = (): BatchLane => {
  let isTaken = false
  let turnedAway = new Set<() => void>()
  return {
    isFree: (again) => {
      if (isTaken) turnedAway.add(again)
      return !isTaken
    },
    enter: () => {
      isTaken = true
    },
    leave: () => {
      isTaken = false
      const waiting = turnedAway
      turnedAway = new Set()
      // Not at once: after the responses, which are sent now, the next turn of the event loop brings more requests.
      for (const again of waiting) setImmediate(again)
    }
  }
}

/**
 * Whether accepting and recording alternate. At the same time they are two groups of sends of half the size, each
 * with its own statement; but one is in the database while the process works on the other. That pays unless other
 * processes of Peyk use the processors meanwhile.
 */
export const SerializeWrites = Context.Reference<boolean>(
  "peyk/layers/postgres/batching/BatchLane/SerializeWrites",
  {
    defaultValue: () => false
  }
)

/** Keeps requests as two groups: PostgreSQL works on one while this process works on the other. */
const FLUSH_GROUP_AT = 24

/** The connections for the batches that accept and record one kind of sends. */
export const writingClients = (clients: BatchClients): Effect.Effect<BatchClients> =>
  Effect.map(SerializeWrites, (serializes) =>
    serializes ? { ...clients, lane: makeBatchLane() } : { ...clients, flushAt: FLUSH_GROUP_AT }
  )

/** The connections for the batches that compare codes. */
export const comparingClients = (clients: BatchClients): Effect.Effect<BatchClients> =>
  Effect.map(SerializeWrites, (serializes) =>
    serializes ? clients : { ...clients, flushAt: FLUSH_GROUP_AT }
  )
