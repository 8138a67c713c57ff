import { Effect, Layer } from "effect"
import { setFlagsFromString } from "node:v8"

const flags = [
  // The thread that made young objects collects them. By default V8 uses other threads too: that shortens a pause by
  // milliseconds, but costs a twelfth more processor time, which other processes and the database need.
  "--no-parallel-scavenge",
  // All objects are allocated as young ones. If some code's objects often survive a collection, as those of a waiting
  // batch do, V8 would allocate them as old ones, and they keep alive what they refer to until old objects are
  // collected.
  "--no-allocation-site-pretenuring",
  // No collection starts only because time has passed. It would forget the shapes of objects that no request holds at
  // that moment, and with them the compiled code of nearly all requests: the next seconds cost up to twice as much.
  "--memory-reducer-gc-count=0",
  // Old objects are collected once there are 1.6 times as many as were in use after the last time. By itself V8 lets a busy
  // process have four times as many, and after its first quiet seconds only 1.3 times: then collecting them takes a fifth
  // of its time, for as long as it lives.
  "--heap-growing-percent=60",
  // Young objects are collected when their part of the heap is full. By itself V8 does so between two turns of the event
  // loop once four fifths are in use, and so copies what waits for providers a quarter more often.
  "--no-minor-gc-task"
]

/**
 * V8's settings for garbage collection: objects made by a request are short-lived, even if many requests wait
 * together.
 */
export const GarbageCollection = Layer.effectDiscard(
  Effect.sync(() => flags.forEach((flag) => setFlagsFromString(flag)))
)
