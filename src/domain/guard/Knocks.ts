import { Schema } from "effect"
import type { Instant } from "../Instant.ts"
import { MOST_OF_USUAL } from "./Outage.ts"
import { HOUR_MILLIS, MINUTE_MILLIS } from "../people/Admission.ts"

/**
 * The codes that were refused because the customer as a whole is suspicious. The verified codes of known networks say
 * nothing about an attack from elsewhere, of which hardly a code is sent: how many are refused shows whether it goes on.
 */
export const Knocks = Schema.Struct({
  /** All that were ever refused. */
  total: Schema.Int,
  /** Those of the last minutes: each counts the less the older it is. */
  recent: Schema.Number,
  at: Schema.Number
})
export type Knocks = typeof Knocks.Type

const MEMORY_MILLIS = 5 * MINUTE_MILLIS
const SMALL_NUMBER = 5

/** @param before undefined: this is the first time that they are counted */
export const knocked = (before: Knocks | undefined, total: number, now: Instant): Knocks => {
  if (before === undefined) return { total, recent: 0, at: now }
  const kept = Math.exp(-Math.max(0, now - before.at) / MEMORY_MILLIS)
  return { total, recent: before.recent * kept + Math.max(0, total - before.total), at: now }
}

const exceeds = (times: number) => (knocks: Knocks | undefined, usualCodesPerHour: number) =>
  knocks !== undefined &&
  knocks.recent > SMALL_NUMBER + (times * usualCodesPerHour * MEMORY_MILLIS) / HOUR_MILLIS

/** Whether more codes are refused than users ask for. */
export const isKnocking = exceeds(1)

/** Whether more codes are refused than users ask for who try again, as in an outage. */
export const isFlooding = exceeds(MOST_OF_USUAL)
