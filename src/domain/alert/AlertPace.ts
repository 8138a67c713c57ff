import { DAY_MILLIS, HOUR_MILLIS, type Instant, MINUTE_MILLIS, SECOND_MILLIS } from "../Instant.ts"
import { startOfDay, TEHRAN } from "../TimeZones.ts"
import type { AlertCondition, AlertSubject, RaisedKind } from "./Alert.ts"
import { isUrgent } from "./Alert.ts"

/** How often conditions are looked at. */
export const ALERT_ROUND_MILLIS = MINUTE_MILLIS

/** Two alerts of one kind and subject are at least so far apart. */
export const ALERT_GAP_MILLIS = HOUR_MILLIS
/** Of a condition that lasts, people are reminded so often. */
export const ALERT_REMINDER_MILLIS = DAY_MILLIS

/** What is known of one kind and subject. */
export interface SubjectState {
  /** The last round found it so. */
  readonly isOpen: boolean
  readonly sentAt: Instant | null
  /** How often it happened since then without an alert. */
  readonly heldBack: number
}

export const newSubject: SubjectState = { isOpen: false, sentAt: null, heldBack: 0 }

/** `found`: a round sees the condition. `happened`: somebody reports it once. */
export type Sighting = "found" | "happened"

interface Occurrence {
  readonly state: SubjectState
  /** How many were held back before the alert that is due now; null: none is due. */
  readonly alert: { readonly heldBack: number } | null
}

const sent = (isOpen: boolean, heldBack: number, now: Instant): Occurrence => ({
  state: { isOpen, sentAt: now, heldBack: 0 },
  alert: { heldBack }
})

/** What a sighting means: an alert, one that is held back, or nothing new. */
export const seen = (before: SubjectState, sighting: Sighting, now: Instant): Occurrence => {
  const { isOpen, sentAt, heldBack } = before
  const isFree = sentAt === null || now - sentAt >= ALERT_GAP_MILLIS
  const isOpenNow = sighting === "found"
  if (isOpenNow && isOpen) {
    // What was held back and still lasts is said when the hour is over: it is itself one of those that were counted.
    if (heldBack > 0 && isFree) return sent(true, heldBack - 1, now)
    const isOverdue = sentAt === null || now - sentAt >= ALERT_REMINDER_MILLIS
    return isOverdue ? sent(true, heldBack, now) : { state: before, alert: null }
  }
  return isFree
    ? sent(isOpenNow, heldBack, now)
    : { state: { isOpen: isOpenNow || isOpen, sentAt, heldBack: heldBack + 1 }, alert: null }
}

/** What tells the subjects of one customer apart. */
export const subjectKey = ({
  kind,
  subject: { type, id }
}: {
  readonly kind: string
  readonly subject: Pick<AlertSubject, "type" | "id">
}): string => `${kind} ${type} ${id}`

/** Each once: several findings can say the same. */
export const distinct = (conditions: ReadonlyArray<AlertCondition>): ReadonlyArray<AlertCondition> =>
  [...new Map(conditions.toReversed().map((each) => [subjectKey(each), each])).values()].toReversed()

/** Minutes of the day in Tehran; `until` is beyond it, and may be on the next day. */
export interface QuietHours {
  readonly from: number
  readonly until: number
}

export interface AlertSettings {
  /** The kinds that people get. */
  readonly kinds: ReadonlyArray<string>
  readonly quietHours: QuietHours | null
  /** A channel that is down, an alarm of the guard and a webhook that is off do not wait. */
  readonly urgentPasses: boolean
}

const DAY_MINUTES = 1440

const TIME = /^([01]\d|2[0-3]):([0-5]\d)$/

/** `22:00` as a minute of the day; null: it is none. */
export const parseMinute = (text: string): number | null => {
  const [, hours, minutes] = TIME.exec(text) ?? []
  return hours === undefined || minutes === undefined ? null : Number(hours) * 60 + Number(minutes)
}

export const formatMinute = (minute: number): string =>
  [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, "0")).join(":")

/** The end of the quiet hours in which an instant is; itself outside of them. */
export const afterQuiet = (at: Instant, quiet: QuietHours | null): Instant => {
  if (quiet === null || quiet.from === quiet.until) return at
  const day = startOfDay(at, TEHRAN)
  const minute = (at - day) / MINUTE_MILLIS
  const { from, until } = quiet
  if (from < until) return minute >= from && minute < until ? day + until * MINUTE_MILLIS : at
  if (minute < until) return day + until * MINUTE_MILLIS
  return minute >= from ? day + (DAY_MINUTES + until) * MINUTE_MILLIS : at
}

/** When an alert that is raised now may reach people. */
export const sendableAt = (
  kind: RaisedKind,
  { quietHours, urgentPasses }: Pick<AlertSettings, "quietHours" | "urgentPasses">,
  now: Instant
): Instant => (kind === "test" || (urgentPasses && isUrgent(kind)) ? now : afterQuiet(now, quietHours))

/** How long after a failed try the next one is made; after the last one, none. */
const RETRY_MILLIS = [
  30 * SECOND_MILLIS,
  2 * MINUTE_MILLIS,
  10 * MINUTE_MILLIS,
  30 * MINUTE_MILLIS,
  HOUR_MILLIS,
  2 * HOUR_MILLIS,
  4 * HOUR_MILLIS,
  4 * HOUR_MILLIS
]
/** An alert that is older than this helps nobody. */
export const ALERT_GIVE_UP_MILLIS = DAY_MILLIS
const JITTER = 0.2

/**
 * When a delivery is tried again after `tries` that failed; null: it is given up.
 *
 * @param firstDueAt when its first try was due
 * @param random at least 0, less than 1
 */
export const nextAlertTry = (
  tries: number,
  firstDueAt: Instant,
  now: Instant,
  random: number
): Instant | null => {
  const pause = RETRY_MILLIS[tries - 1]
  if (pause === undefined) return null
  const next = now + pause + Math.floor(pause * JITTER * random)
  return next - firstDueAt > ALERT_GIVE_UP_MILLIS ? null : next
}
