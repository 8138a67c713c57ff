/** How a dead process is started again: soon at first, and later each time while it keeps dying. */
export interface Restarts {
  /** Deaths in a row, each less than a steady life after the start. */
  readonly inRow: number
}

export const noRestarts: Restarts = { inRow: 0 }

const STEADY_MILLIS = 30_000
const FIRST_PAUSE_MILLIS = 100
const LONGEST_PAUSE_MILLIS = 10_000

/** If no other process serves after this many deaths in a row, the supervisor exits so that its operator notices. */
export const MAX_RESTARTS_IN_ROW = 10

/** The state after a death, and how long to wait before the next start. */
export const afterDeath = (
  { inRow }: Restarts,
  livedMillis: number
): { readonly restarts: Restarts; readonly pauseMillis: number } => {
  const next = livedMillis >= STEADY_MILLIS ? 1 : inRow + 1
  return {
    restarts: { inRow: next },
    pauseMillis: Math.min(FIRST_PAUSE_MILLIS * 2 ** (next - 1), LONGEST_PAUSE_MILLIS)
  }
}
