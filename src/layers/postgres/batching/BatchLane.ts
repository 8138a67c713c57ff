import { Context } from "effect"

/** Where batches of several kinds take turns at the database: what waits meanwhile makes fewer and larger statements. */
export interface BatchLane {
  /** Whether it is free to be entered. Otherwise `again` is called once, when the one that is in it leaves. */
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
      for (const again of waiting) again()
    }
  }
}

/**
 * Whether accepting and recording take turns. Beside each other they are two groups of sends of half the size, each with a
 * statement to start; but one is in the database while the process works on the other. That pays unless other
 * processes of ours use the processors meanwhile.
 */
export const SerializeWrites = Context.Reference<boolean>(
  "peyk/layers/postgres/batching/BatchLane/SerializeWrites",
  {
    defaultValue: () => false
  }
)
