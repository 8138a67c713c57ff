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
