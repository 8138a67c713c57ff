import { Result } from "effect"
import { type ActivitySums, SECONDS_CLASSES, secondsWithin, SLOT_MILLIS, slotOf } from "./Activity.ts"
import { ValidationError } from "./Errors.ts"
import { DAY_MILLIS, HOUR_MILLIS, type Instant } from "./Instant.ts"
import { MAX_USAGE_DAYS } from "./money/Usage.ts"
import type { TimeRange, TimeSpan } from "./Paging.ts"
import { problem, type Problem } from "./Problem.ts"
import { startOfDay } from "./TimeZones.ts"

/** What the codes of one sum have in common; `all`: nothing but the time. */
export const insightKinds = ["all", "channel", "account", "operator", "template"] as const
export type InsightKind = (typeof insightKinds)[number]

/** The key of codes whose text is of no template of the customer's. */
export const NO_TEMPLATE = "none"
/** The key of the sandbox's account, which is none. */
export const SANDBOX_ACCOUNT = "sandbox"
/** The key of a shared account begins with this; its channel follows. */
export const SHARED_ACCOUNT = "shared:"

/** Codes that were sent in some time. */
export interface CodeSums {
  readonly codes: number
  readonly verified: number
  /** Verified after another channel than the first was tried. */
  readonly fallbacks: number
  /** In rials. */
  readonly cost: number
  /** How many were verified in each class of `SECONDS_CLASSES`; then those beyond the last. */
  readonly seconds: ReadonlyArray<number>
}

export interface KeyedSums extends CodeSums {
  readonly key: string
}

/** The number of classes of times to verify. */
export const CLASSES = SECONDS_CLASSES.length + 1

export const noCodeSums: CodeSums = {
  codes: 0,
  verified: 0,
  fallbacks: 0,
  cost: 0,
  seconds: Array.from({ length: CLASSES }, () => 0)
}

export const addedSums = (one: CodeSums, other: CodeSums): CodeSums => ({
  codes: one.codes + other.codes,
  verified: one.verified + other.verified,
  fallbacks: one.fallbacks + other.fallbacks,
  cost: one.cost + other.cost,
  seconds: one.seconds.map((count, index) => count + (other.seconds[index] ?? 0))
})

const share = (part: number, whole: number): number | null => (whole === 0 ? null : part / whole)

export const conversionOfSums = ({ codes, verified }: CodeSums): number | null => share(verified, codes)
export const fallbackShare = ({ fallbacks, verified }: CodeSums): number | null => share(fallbacks, verified)
/** What those cost who were verified, and those who were not. */
export const costPerVerified = ({ cost, verified }: CodeSums): number | null => share(cost, verified)

/** With fewer codes a share says little. */
const FEWEST_COMPARED = 50
/** A fall of less is chance in one of a thousand cases. */
const STANDARD_ERRORS = 3
const LEAST_FALL = 0.01

/** How much less of the codes was verified than before, as a share of them; null: no less, or not beyond chance. */
export const conversionFall = (now: CodeSums, before: CodeSums): number | null => {
  if (now.codes < FEWEST_COMPARED || before.codes < FEWEST_COMPARED) return null
  const fall = before.verified / before.codes - now.verified / now.codes
  const common = (now.verified + before.verified) / (now.codes + before.codes)
  const error = Math.sqrt(common * (1 - common) * (1 / now.codes + 1 / before.codes))
  return fall >= LEAST_FALL && fall > STANDARD_ERRORS * error ? fall : null
}

export interface FallenGroup {
  readonly key: string
  readonly fall: number
}

/** The groups whose conversion fell, those first that lost the most codes by it. */
export const fallenGroups = (
  now: ReadonlyArray<KeyedSums>,
  before: ReadonlyArray<KeyedSums>
): ReadonlyArray<FallenGroup> =>
  now
    .flatMap((sums) => {
      const fall = conversionFall(sums, before.find(({ key }) => key === sums.key) ?? noCodeSums)
      return fall === null ? [] : [{ key: sums.key, fall, lost: fall * sums.codes }]
    })
    .toSorted((one, other) => other.lost - one.lost)

/** As exact as the classes are; null without a verified code. */
export const secondsOfSums = ({ seconds }: CodeSums, portion: number): number | null => {
  const classes: ActivitySums["seconds"] = Object.fromEntries(seconds.entries())
  const within = secondsWithin({ seconds: classes }, portion)
  return within === null ? null : Math.round(within * 10) / 10
}

/** The spans of sums, each made of whole ones of the span before it: a report of months reads few rows. */
export const sumSpans = ["half_hour", "two_hours", "eight_hours", "day", "four_days", "sixteen_days"] as const
export type SumSpan = (typeof sumSpans)[number]

export const SUM_SPAN_MILLIS: Readonly<Record<SumSpan, number>> = {
  half_hour: SLOT_MILLIS,
  two_hours: 2 * HOUR_MILLIS,
  eight_hours: 8 * HOUR_MILLIS,
  day: DAY_MILLIS,
  four_days: 4 * DAY_MILLIS,
  sixteen_days: 16 * DAY_MILLIS
}

/** Of spans that long there are also sums by the half hour of the day. */
export const spansWithHours = ["four_days", "sixteen_days"] as const satisfies ReadonlyArray<SumSpan>

/** All spans are counted from a midnight in Tehran, which has had no summer time since 2022. */
export const SUMS_ORIGIN: Instant = 20.5 * HOUR_MILLIS

/** The last begin of a span that is not after this. */
export const sumBegin = (span: SumSpan, at: Instant): Instant => {
  const millis = SUM_SPAN_MILLIS[span]
  return Math.floor((at - SUMS_ORIGIN) / millis) * millis + SUMS_ORIGIN
}

/** The whole spans that have all of this time. */
export const wholeSums = (span: SumSpan, { from, to }: TimeSpan): TimeSpan => ({
  from: sumBegin(span, from),
  to: sumBegin(span, to - 1) + SUM_SPAN_MILLIS[span]
})

/** Some sums of one span next to each other. */
export interface SumsPart extends TimeSpan {
  readonly span: SumSpan
}

/** A time in the fewest sums of these spans, given from the shortest, which may reach beyond it. */
export const sumsParts = (time: TimeSpan, spans: ReadonlyArray<SumSpan>): ReadonlyArray<SumsPart> => {
  const { from, to } = time
  const span = spans.at(-1)
  if (span === undefined || from >= to) return []
  const shorter = spans.slice(0, -1)
  if (shorter.length === 0) return [{ span, from, to }]
  const first = sumBegin(span, from + SUM_SPAN_MILLIS[span] - 1)
  const last = sumBegin(span, to)
  if (first >= last) return sumsParts(time, shorter)
  return [
    ...sumsParts({ from, to: first }, shorter),
    { span, from: first, to: last },
    ...sumsParts({ from: last, to }, shorter)
  ]
}

/** A time of whole half hours that has all of this one. */
export const inSlots = ({ from, to }: TimeSpan): TimeSpan => ({
  from: slotOf(from),
  to: slotOf(to + SLOT_MILLIS - 1)
})

/** The time before this one, of the same length. */
export const spanBefore = ({ from, to }: TimeSpan): TimeSpan => ({ from: from - (to - from), to: from })

const DEFAULT_DAYS = 30

const refused = (field: string, found: Problem) =>
  Result.fail(new ValidationError({ problems: [{ path: `query.${field}`, problem: found }] }))

/** The time of a report: by default the last 30 days of the zone, today's included. */
export const insightsPeriod = (
  { from, to }: TimeRange,
  timeZone: string,
  now: Instant
): Result.Result<TimeSpan, ValidationError> => {
  const end = to ?? now
  const begin = from ?? startOfDay(end - 1, timeZone, DEFAULT_DAYS - 1)
  if (begin >= end) return refused("from", problem("from_after_to"))
  if (end - begin > MAX_USAGE_DAYS * DAY_MILLIS) {
    return refused("from", problem("period_too_long", { days: MAX_USAGE_DAYS }))
  }
  return Result.succeed(inSlots({ from: begin, to: end }))
}
