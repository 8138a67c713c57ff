import { Schema } from "effect"
import { DAY_MILLIS, HOUR_MILLIS, type Instant, MINUTE_MILLIS } from "../Instant.ts"

/** The effect of an alarm on a segment's codes, if the customer enforces. */
export const GuardAction = Schema.Literals(["no_sms", "refuse"])
export type GuardAction = typeof GuardAction.Type

const FIRST_BLOCK_MILLIS = 5 * MINUTE_MILLIS
const LONGEST_BLOCK_MILLIS = 12 * HOUR_MILLIS

/** How long an alarm of this level lasts: 5 minutes, doubling to 12 hours. */
export const blockMillis = (level: number): number =>
  Math.min(LONGEST_BLOCK_MILLIS, FIRST_BLOCK_MILLIS * 2 ** (level - 1))

/** The first alarm of a segment leaves messengers, the next ones refuse. */
export const actionOf = (level: number): GuardAction => (level === 1 ? "no_sms" : "refuse")

/** The level of a segment's next alarm: one higher than the last, one lower for each quiet day. */
export const nextLevel = (last: { readonly level: number; readonly at: Instant }, now: Instant): number =>
  Math.max(1, last.level + 1 - Math.floor((now - last.at) / DAY_MILLIS))
