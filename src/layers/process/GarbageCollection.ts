import { Effect, Layer } from "effect"
import { setFlagsFromString } from "node:v8"

const flags = [
  // Young objects are collected by the thread that made them: by default V8 has others help; a pause is shorter then, of
  // milliseconds, but it costs a twelfth more of the processor, which other processes and the database would have used.
  "--no-parallel-scavenge",
  // All are made young. Where some code's objects have often outlived a collection, as those of a batch do that waits for the
  // database, V8 would make them as old ones, which keep what they refer to until old objects are collected.
  "--no-allocation-site-pretenuring",
  // None is collected only because time has passed. Such a collection forgets the shapes of what no request holds at that
  // moment, and with them the compiled code of nearly all that a request runs: the seconds after it cost up to twice as much.
  "--memory-reducer-gc-count=0"
]

/** How V8 collects garbage: what a request makes is over when it is answered, also where many of them wait together. */
export const GarbageCollection = Layer.effectDiscard(
  Effect.sync(() => flags.forEach((flag) => setFlagsFromString(flag)))
)
