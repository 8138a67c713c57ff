import { Schema } from "effect"
import { HOUR_MILLIS, type Instant, MINUTE_MILLIS } from "../../Instant.ts"
import { MAX_TIMES_USUAL } from "./Outage.ts"

/**
 * The codes that were refused because the customer as a whole is suspicious. The verified codes of known networks say
 * nothing about an attack from elsewhere, of which hardly a code is sent: how many are refused shows whether it goes on.
 */
export const Knocks = Schema.Struct({
  /** All that were ever refused. */
  total: Schema.Int,
  /** Those of the last minutes: each counts the less the older it is. */
  recent: Schema.Number,
  at: Schema.Number,
  /** All that had been refused when the present hour of probation began. Absent: there was none. */
  probation: Schema.optionalKey(Schema.Struct({ total: Schema.Int, since: Schema.Number }))
})
export type Knocks = typeof Knocks.Type

const MEMORY_MILLIS = 5 * MINUTE_MILLIS
const SMALL_NUMBER = 5

/** @param before undefined: this is the first time that they are counted */
export const knocked = (before: Knocks | undefined, total: number, now: Instant): Knocks => {
  if (before === undefined) return { total, recent: 0, at: now }
  const kept = Math.exp(-Math.max(0, now - before.at) / MEMORY_MILLIS)
  return { ...before, total, recent: before.recent * kept + Math.max(0, total - before.total), at: now }
}

/** More than users ask for who try again: else users who are refused would keep themselves refused. */
const isFlood = (refused: number, usualCodesPerHour: number, millis: number): boolean =>
  refused > SMALL_NUMBER + (MAX_TIMES_USUAL * usualCodesPerHour * millis) / HOUR_MILLIS

/** Whether an attack goes on, by the last minutes. */
export const isFlooding = (knocks: Knocks | undefined, usualCodesPerHour: number): boolean =>
  knocks !== undefined && isFlood(knocks.recent, usualCodesPerHour, MEMORY_MILLIS)

/** An hour of probation begins. */
export const onProbationFrom = (knocks: Knocks | undefined, now: Instant): Knocks | undefined =>
  knocks === undefined ? undefined : { ...knocks, probation: { total: knocks.total, since: now } }

/** Whether an attack went on in this hour of probation: a slow one does not flood a few minutes. */
export const isLasting = (knocks: Knocks | undefined, usualCodesPerHour: number, now: Instant): boolean =>
  knocks?.probation !== undefined &&
  isFlood(knocks.total - knocks.probation.total, usualCodesPerHour, now - knocks.probation.since)
