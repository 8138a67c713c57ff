import { isPlanned, type Route } from "../routing/Route.ts"

/** Unless the operator sets others. How wrong codes are counted is in `CompareBatchSql.ts`. */
export const defaultCodes = {
  /** Digits of a code. */
  codeLength: 6,
  /** Wrong codes before a verification locks. */
  maxWrongCodes: 5
}

const MIN_VALIDITY_SECONDS = 300
const MAX_VALIDITY_SECONDS = 600
/** Time left for the last channel after it was tried. */
const LAST_STEP_SECONDS = 120

/** Seconds a code on this route is valid: min(600, max(300, waits of all channels but the last + 120)). */
export const validitySeconds = (route: Route): number => {
  const channels = route.filter((step) => step.standby !== true && isPlanned(step))
  const waits = channels.slice(0, -1).reduce((sum, { wait }) => sum + wait, 0)
  return Math.min(MAX_VALIDITY_SECONDS, Math.max(MIN_VALIDITY_SECONDS, waits + LAST_STEP_SECONDS))
}
