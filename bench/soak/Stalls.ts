/** When a process could do nothing: the machine did something else, or its own work did not end. */
import { readFileSync } from "node:fs"
import type { Span } from "./Disturbances.ts"
import { now } from "./Time.ts"

const LOOK_EVERY_MILLIS = 100
/** Less is no excuse for anything. */
const STALL_MILLIS = 400

export const watchStalls = (tell: (span: Span) => void): (() => void) => {
  let last = now()
  const timer = setInterval(() => {
    const at = now()
    if (at - last > LOOK_EVERY_MILLIS + STALL_MILLIS) tell({ from: last, to: at })
    last = at
  }, LOOK_EVERY_MILLIS)
  timer.unref()
  return () => clearInterval(timer)
}

/** What a process wrote down; none where it wrote nothing. */
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
