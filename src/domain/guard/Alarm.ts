import { Schema } from "effect"
import { Instant } from "../Instant.ts"
import { type Segment, SegmentKind, type SegmentState } from "./Segments.ts"
import { actionOf, blockMillis, GuardAction, nextLevel } from "./Verdict.ts"

/**
 * `unverified`: codes of the segment are not verified as usual. `budget`: its budget of unverified codes is used up.
 * `bombed`: many customers send to one phone. `outage`: a channel fails for everybody, so nobody is blocked.
 */
export const AlarmReason = Schema.Literals(["unverified", "budget", "bombed", "outage"])
export type AlarmReason = typeof AlarmReason.Type

export const Alarm = Schema.Struct({
  kind: SegmentKind,
  key: Schema.String,
  reason: AlarmReason,
  level: Schema.Int,
  action: Schema.NullOr(GuardAction),
  startedAt: Instant,
  until: Instant,
  /** The test that raised it. */
  codes: Schema.Int,
  verified: Schema.Int
})
export type Alarm = typeof Alarm.Type

/** The alarm of a segment whose score has reached the limit. */
export const alarmOf = (segment: Segment, state: SegmentState, now: Instant): Alarm => {
  const level = nextLevel({ level: state.level, at: state.levelAt }, now)
  return {
    ...segment,
    reason: "unverified",
    level,
    action: actionOf(level),
    startedAt: now,
    until: now + blockMillis(level),
    codes: state.run.codes,
    verified: state.run.verified
  }
}

export const GuardEventType = Schema.Literals(["guard.alarm", "guard.cleared"])
export type GuardEventType = typeof GuardEventType.Type

/** An alarm as it is shown, and as it was when an event was made of it. */
export interface ShownAlarm extends Alarm {
  readonly id: string
  /** The customer enforced when it was raised. */
  readonly enforced: boolean
  readonly clearedAt: Instant | null
}

/** Codes that were judged. */
export interface CodeCounts {
  readonly codes: number
  readonly verified: number
  /** Sent, though enforcing would refuse them or send them without SMS. */
  readonly flagged: number
  /** Flagged codes that were verified: enforcing would have refused real users. */
  readonly flaggedVerified: number
  /** The cost of flagged codes that were not verified: SMS, and rials for messengers. */
  readonly flaggedSms: number
  readonly flaggedCharges: number
}

/** One day of a customer, in Tehran. */
export interface GuardDay extends CodeCounts {
  readonly day: string
  readonly refused: number
  readonly denied: number
}

/** The case for enforcing: days in a row, up to now, on which codes were judged, without a refusal of a real user. */
export interface Advice {
  readonly cleanDays: number
  readonly cleanVerified: number
  readonly isAdvised: boolean
}

const ENOUGH_DAYS = 7
const ENOUGH_VERIFIED = 3000

/** @param days the newest first */
export const adviceOf = (days: ReadonlyArray<GuardDay>): Advice => {
  // a day with nothing but refusals shows nothing
  const judged = days.filter(({ codes }) => codes > 0)
  const firstDirty = judged.findIndex(({ flaggedVerified }) => flaggedVerified > 0)
  const clean = firstDirty === -1 ? judged : judged.slice(0, firstDirty)
  const cleanVerified = clean.reduce((sum, { verified }) => sum + verified, 0)
  return {
    cleanDays: clean.length,
    cleanVerified,
    isAdvised: clean.length >= ENOUGH_DAYS && cleanVerified >= ENOUGH_VERIFIED
  }
}

export type GuardTotals = Omit<GuardDay, "day">

export const totalsOf = (days: ReadonlyArray<GuardDay>): GuardTotals =>
  days.reduce<GuardTotals>(
    (sum, day) => ({
      codes: sum.codes + day.codes,
      verified: sum.verified + day.verified,
      flagged: sum.flagged + day.flagged,
      flaggedVerified: sum.flaggedVerified + day.flaggedVerified,
      flaggedSms: sum.flaggedSms + day.flaggedSms,
      flaggedCharges: sum.flaggedCharges + day.flaggedCharges,
      refused: sum.refused + day.refused,
      denied: sum.denied + day.denied
    }),
    {
      codes: 0,
      verified: 0,
      flagged: 0,
      flaggedVerified: 0,
      flaggedSms: 0,
      flaggedCharges: 0,
      refused: 0,
      denied: 0
    }
  )
