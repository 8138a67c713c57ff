import { Effect } from "effect"

/** After everything that this turn of the event loop still does: then a connection is free for the next call. */
export const nextTurn = Effect.promise(() => new Promise((resolve) => setImmediate(resolve)))
