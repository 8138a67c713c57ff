/** When a process could do nothing: the machine was busy with other work, or its own work did not end. */
import { readFileSync } from "node:fs"
import { setTimeout as pause } from "node:timers/promises"
import type { Span } from "./Disturbances.ts"
import { now } from "./Time.ts"

const LOOK_EVERY_MILLIS = 100
/** A shorter stall excuses nothing. */
const STALL_MILLIS = 400

export const watchStalls = (report: (span: Span) => void): (() => void) => {
  const state = { isStopped: false }
  const watch = async () => {
    while (!state.isStopped) {
      const from = now()
      await pause(LOOK_EVERY_MILLIS, undefined, { ref: false })
      const to = now()
      if (to - from > LOOK_EVERY_MILLIS + STALL_MILLIS) report({ from, to })
    }
  }
  void watch()
  return () => {
    state.isStopped = true
  }
}

/** The stalls that a process recorded, if any. */
export const readStalls = (file: string): ReadonlyArray<Span> => {
  try {
    return readFileSync(file, "utf8")
      .split("\n")
      .filter((line) => line !== "")
      .map((line) => JSON.parse(line) as Span)
  } catch {
    return []
  }
}
