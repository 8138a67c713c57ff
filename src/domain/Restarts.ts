/** How a process that died is started again: soon at first, ever later when it dies again and again. */
export interface Restarts {
  /** Deaths in a row, each after less than a steady life. */
  readonly inRow: number
}

export const noRestarts: Restarts = { inRow: 0 }

const STEADY_MILLIS = 30_000
const FIRST_PAUSE_MILLIS = 100
const LONGEST_PAUSE_MILLIS = 10_000

/** When nobody else serves, then after this many in a row somebody has to be told, by the end of it all. */
export const MAX_RESTARTS_IN_ROW = 10

/** What a death changes, and how long to wait before the next start. */
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
