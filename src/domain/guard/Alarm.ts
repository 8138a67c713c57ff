import { Schema } from "effect"
import { Instant } from "../Instant.ts"
import { actionOf, blockMillis, GuardAction, nextLevel } from "./Ladder.ts"
import { type Segment, SegmentKind } from "./Segments.ts"
import type { SegmentState } from "./SegmentState.ts"

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
