import { Effect, Layer } from "effect"
import { setFlagsFromString } from "node:v8"

/**
 * Young objects are collected by the thread that made them. By default V8 has others help: a pause is shorter then, of
 * milliseconds, but it costs a twelfth more of the processor, which other processes and the database would have used.
 */
export const YoungObjectsAlone = Layer.effectDiscard(
  Effect.sync(() => setFlagsFromString("--no-parallel-scavenge"))
)
