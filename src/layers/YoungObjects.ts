import { Effect, Layer } from "effect"
import { setFlagsFromString } from "node:v8"

/**
 * How V8 keeps young objects: what a request makes is over when it is answered, also where many of them wait together.
 *
 * Collected by the thread that made them: by default V8 has others help; a pause is shorter then, of milliseconds, but it
 * costs a twelfth more of the processor, which other processes and the database would have used.
 *
 * And made young: where some code's objects have often outlived a collection, as those of a batch do that waits for the database,
 * V8 would make them as old ones, which keep what they refer to until old objects are collected.
 */
export const YoungObjects = Layer.effectDiscard(
  Effect.sync(() => {
    setFlagsFromString("--no-parallel-scavenge")
    setFlagsFromString("--no-allocation-site-pretenuring")
  })
)
