import { Result } from "effect"
import { ValidationError } from "../Errors.ts"
import { dateOf } from "../Calendar.ts"
import { DAY_MILLIS, type Instant } from "../Instant.ts"
import type { TimeRange, TimeSpan } from "../Paging.ts"
import { type ActivityFigures, type ActivitySlot, channelsOf, secondsWithin, sumOf } from "../Activity.ts"
import { problem, type Problem } from "../Problem.ts"
import { startOfDay } from "../TimeZones.ts"

const DEFAULT_DAYS = 30
export const MAX_USAGE_DAYS = 92

const refused = (field: string, found: Problem) =>
  Result.fail(new ValidationError({ problems: [{ path: `query.${field}`, problem: found }] }))

/** The reported period. By default it ends now and covers 30 days, including today. */
export const usagePeriod = (
  { from, to }: TimeRange,
  now: Instant,
  zone: string
): Result.Result<TimeSpan, ValidationError> => {
  const end = to ?? now
  // It begins at midnight, and counts whole days.
  const begin = from ?? startOfDay(end - 1, zone, DEFAULT_DAYS - 1)
  if (begin >= end) return refused("from", problem("from_after_to"))
  if (end - begin > MAX_USAGE_DAYS * DAY_MILLIS) {
    return refused("from", problem("period_too_long", { days: MAX_USAGE_DAYS }))
  }
  return Result.succeed({ from: begin, to: end })
}

/** How figures are grouped. */
export interface UsageGrouping {
  readonly byDay: boolean
  readonly byChannel: boolean
  /** Where a day begins at midnight; absent: in UTC. */
  readonly zone?: string
}

/** The days of `usageOf…` that name no zone. */
export const USAGE_ZONE = "UTC"

/** The requests and their outcomes. Everything counts for the day on which the request was accepted. */
export interface SendUsage {
  readonly accepted: number
  /** Attempts that a provider accepted. */
  readonly sent: number
  /** Attempts that failed. */
  readonly failed: number
  /** Failed attempts by error code. */
  readonly errors: Readonly<Record<string, number>>
  readonly delivered: number
  readonly undelivered: number
  /** In rials. */
  readonly cost: number
}

export interface CodeUsage extends SendUsage {
  readonly verified: number
  /** From creation to the right code; null without one. */
  readonly medianSeconds: number | null
}

export interface UsageGroup {
  /** `2026-03-21`, in the zone of the grouping; null if days are not separated. */
  readonly day: string | null
  readonly channel: string | null
  readonly codes: CodeUsage
  readonly messages: SendUsage
}

export const noSends: SendUsage = {
  accepted: 0,
  sent: 0,
  failed: 0,
  errors: {},
  delivered: 0,
  undelivered: 0,
  cost: 0
}

export const noCodes: CodeUsage = { ...noSends, verified: 0, medianSeconds: null }

/** `verified` divided by `accepted`; null if nothing was accepted. */
export const conversion = ({ accepted, verified }: CodeUsage): number | null =>
  accepted === 0 ? null : Math.round((verified / accepted) * 10_000) / 10_000

/** Classes of times are not more exact than a tenth of a second. */
const rounded = (seconds: number | null): number | null =>
  seconds === null ? null : Math.round(seconds * 10) / 10

/** Of the sums of these slots; null if nothing was accepted. */
const usageOf = (
  slots: ReadonlyArray<ActivitySlot>,
  day: string | null,
  channel: string | null
): UsageGroup | null => {
  const of = (kind: ActivityFigures["kind"]) => {
    const own = sumOf(slots, (figures) => figures.kind === kind && figures.channel === channel)
    // Attempts are counted by channel only.
    const tried =
      channel === null ? sumOf(slots, (figures) => figures.kind === kind && figures.channel !== null) : own
    const { cost, delivered, errors, failed, sent, undelivered } = tried
    const sends = { accepted: own.accepted, sent, failed, errors, delivered, undelivered, cost }
    return { own, sends }
  }
  const codes = of("code")
  const messages = of("message")
  if (codes.own.accepted + messages.own.accepted === 0) return null
  return {
    day,
    channel,
    codes: {
      ...codes.sends,
      verified: codes.own.verified,
      medianSeconds: rounded(secondsWithin(codes.own, 0.5))
    },
    messages: messages.sends
  }
}

const dayIn =
  (zone: string) =>
  ({ startsAt }: ActivitySlot): string =>
    dateOf(startsAt, { calendar: "gregorian", zone })

/** Usage by sums of half hours. */
export const usageOfSlots = (
  slots: ReadonlyArray<ActivitySlot>,
  { byDay, byChannel, zone = USAGE_ZONE }: UsageGrouping
): ReadonlyArray<UsageGroup> => {
  const days: ReadonlyArray<readonly [string | null, ReadonlyArray<ActivitySlot>]> = byDay
    ? [...Map.groupBy(slots, dayIn(zone))].toSorted(([one], [other]) => (one < other ? -1 : 1))
    : [[null, slots]]
  const channels = byChannel ? channelsOf(slots).toSorted() : [null]
  return days.flatMap(([day, ofDay]) => channels.flatMap((channel) => usageOf(ofDay, day, channel) ?? []))
}
