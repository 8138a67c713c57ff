import { Array as Arr, Schema } from "effect"

/** How long a code waits on a channel before the next is tried: what can be set or measured, and what is if nothing is. */
export const SHORTEST_WAIT_SECONDS = 45
export const LONGEST_WAIT_SECONDS = 120
export const DEFAULT_WAIT_SECONDS = 60

const CHOICE_SECONDS = 5

/** The waits that people choose from. */
export const WAIT_CHOICES: ReadonlyArray<number> = Arr.makeBy(
  Math.floor((LONGEST_WAIT_SECONDS - SHORTEST_WAIT_SECONDS) / CHOICE_SECONDS) + 1,
  (nth) => SHORTEST_WAIT_SECONDS + nth * CHOICE_SECONDS
)

/** Waiting time before the next channel, in whole seconds. */
export const WaitSeconds = Schema.Int.check(
  Schema.isBetween({ minimum: SHORTEST_WAIT_SECONDS, maximum: LONGEST_WAIT_SECONDS })
)

/** `measured`: the time in which most codes of that channel are verified. */
export const StepWait = Schema.Union([WaitSeconds, Schema.Literal("measured")])
export type StepWait = typeof StepWait.Type
