import { Schema } from "effect"
import { HOUR_MILLIS, type Instant, MINUTE_MILLIS } from "../Instant.ts"

/**
 * A one-sided CUSUM over codes that were verified or not: it grows with the likelihood that the conversion has fallen to
 * 0.4 of what it should be, against 0.85 of it. Values below 0 count as 0, so only the last run matters.
 */

/** The share of the expected conversion that still counts as normal, and the share that counts as an attack. */
const NORMAL_SHARE = 0.85
const ATTACK_SHARE = 0.4

/**
 * Alarms from here on. A conversion that stays at 0.85 of the expected one reaches it about once in e^12 = 160 000 codes;
 * codes that are never verified reach it after 36 (expected conversion 0.5), 21 (0.7) or 14 (0.85).
 */
export const ALARM_SCORE = 12

/** The amount that one code adds to the score. */
export const scoreOf = (isVerified: boolean, expected: number): number => {
  const normal = NORMAL_SHARE * expected
  const attack = ATTACK_SHARE * expected
  return isVerified ? Math.log(attack / normal) : Math.log((1 - attack) / (1 - normal))
}

/** The score after one more code. */
export const nextScore = (score: number, isVerified: boolean, expected: number): number =>
  Math.max(0, score + scoreOf(isVerified, expected))

const HOURS_OF_WEEK = 168
const WEEK_MILLIS = HOURS_OF_WEEK * HOUR_MILLIS

/** How many codes, and how many of them were verified. */
export const Tally = Schema.Tuple([Schema.Number, Schema.Number])
export type Tally = typeof Tally.Type

const Week = Schema.Struct({ all: Tally, hours: Schema.Record(Schema.String, Tally) })
type Week = typeof Week.Type

/** The codes of this week and the one before, by hour of the week. */
export const Profile = Schema.Struct({
  week: Schema.Int,
  /** When the first code was counted. */
  since: Schema.Number,
  current: Week,
  before: Week
})
export type Profile = typeof Profile.Type

const EMPTY_WEEK: Week = { all: [0, 0], hours: {} }

const weekOf = (at: Instant): number => Math.floor(at / WEEK_MILLIS)

const hourOfWeek = (at: Instant): number => Math.floor(at / HOUR_MILLIS) % HOURS_OF_WEEK

export const newProfile = (at: Instant): Profile => ({
  week: weekOf(at),
  since: at,
  current: EMPTY_WEEK,
  before: EMPTY_WEEK
})

export const NO_CODES: Tally = [0, 0]

/** @param weight so many codes that one stands for */
export const addCode = ([codes, verified]: Tally, isVerified: boolean, weight: number): Tally => [
  codes + weight,
  verified + (isVerified ? weight : 0)
]

const sum = (one: Tally, other: Tally): Tally => [one[0] + other[0], one[1] + other[1]]

/** The profile in the week of `at`: older weeks are forgotten. */
const atWeek = (profile: Profile, at: Instant): Profile => {
  const passed = weekOf(at) - profile.week
  if (passed <= 0) return profile
  const before = passed === 1 ? profile.current : EMPTY_WEEK
  return { week: weekOf(at), since: profile.since, current: EMPTY_WEEK, before }
}

/** The profile with codes that were sent up to `at`. */
export const learn = (profile: Profile, at: Instant, codes: Tally): Profile => {
  const known = atWeek(profile, at)
  const hour = String(hourOfWeek(at))
  const { all, hours } = known.current
  return {
    ...known,
    current: {
      all: sum(all, codes),
      hours: { ...hours, [hour]: sum(hours[hour] ?? NO_CODES, codes) }
    }
  }
}

/** Everything of the last 14 days. */
export const totalOf = ({ current, before }: Profile): Tally => sum(current.all, before.all)

const inHour = ({ current, before }: Profile, hour: number): Tally =>
  sum(current.hours[hour] ?? NO_CODES, before.hours[hour] ?? NO_CODES)

/** So many codes weigh as much as what is expected without them. */
const WEIGHT_OF_EXPECTATION = 30

/** A conversion, drawn towards an expected one the more the fewer codes there are. */
const shrunk = ([codes, verified]: Tally, expected: number): number =>
  (verified + WEIGHT_OF_EXPECTATION * expected) / (codes + WEIGHT_OF_EXPECTATION)

const MIN_EXPECTED = 0.3
const MAX_EXPECTED = 0.97

/** The conversion in this hour of the week by these profiles, from the most general to the most special one. */
export const expectedConversion = (
  platform: number,
  profiles: ReadonlyArray<Profile>,
  at: Instant
): number => {
  const hour = hourOfWeek(at)
  const found = profiles.reduce(
    (expected, profile) => shrunk(inHour(profile, hour), shrunk(totalOf(profile), expected)),
    platform
  )
  return Math.min(MAX_EXPECTED, Math.max(MIN_EXPECTED, found))
}

const PLATFORM_CONVERSION = 0.7

/** The conversion over all customers; 0.7 as long as little is known. */
export const platformConversion = (tally: Tally): number => shrunk(tally, PLATFORM_CONVERSION)

/** Codes that are usual in this hour of the week: between the mean hour and the same hour a week before. */
export const usualPerHour = (profile: Profile, at: Instant): number => {
  const { before, current, since } = atWeek(profile, at)
  if (before.all[0] === 0) {
    return current.all[0] / Math.max(1, (at - Math.max(since, weekOf(at) * WEEK_MILLIS)) / HOUR_MILLIS)
  }
  const hours = Math.min(
    HOURS_OF_WEEK,
    Math.max(1, Math.ceil((weekOf(at) * WEEK_MILLIS - since) / HOUR_MILLIS))
  )
  const mean = before.all[0] / hours
  return (mean + (before.hours[hourOfWeek(at)]?.[0] ?? mean)) / 2
}

const HOURS_OF_DAY = 24
const DAYS_OF_WEEK = 7

/** The usual traffic of an hour, and the number of codes that it was computed from. */
interface Usual {
  readonly perHour: number
  readonly codes: number
}

/** Codes that are usual at this time of the day, by the seven days before; by the mean hour where no day is known. */
export const usualInHour = (profile: Profile, at: Instant): Usual => {
  const { before, current, since } = atWeek(profile, at)
  if (at - since < HOURS_OF_DAY * HOUR_MILLIS) {
    return { perHour: usualPerHour(profile, at), codes: totalOf(profile)[0] }
  }
  const first = Math.ceil(since / HOUR_MILLIS)
  const firstOfWeek = weekOf(at) * HOURS_OF_WEEK
  const now = Math.floor(at / HOUR_MILLIS)
  let hours = 0
  let codes = 0
  for (let day = 1; day <= DAYS_OF_WEEK; day += 1) {
    const same = now - day * HOURS_OF_DAY
    // An hour of a few days is a matter of chance, so the hours next to it count too.
    for (let hour = Math.max(first, same - 1); hour <= same + 1; hour += 1) {
      hours += 1
      codes += (hour < firstOfWeek ? before : current).hours[hour % HOURS_OF_WEEK]?.[0] ?? 0
    }
  }
  return { perHour: codes / Math.max(1, hours), codes }
}

/** The least that is usual: the fewer codes it is known from, the more of it may be chance. */
export const leastUsual = ({ perHour, codes }: Usual): number =>
  codes === 0 ? 0 : perHour * (1 - 1 / Math.sqrt(codes))

/** A code counts as unverified after the time in which 95 % of the customer's codes are verified, within bounds. */
const SHORTEST_MILLIS = MINUTE_MILLIS
const LONGEST_MILLIS = 180_000

export const judgingDelayOf = (percentile95Millis: number): number =>
  Math.round(Math.min(LONGEST_MILLIS, Math.max(SHORTEST_MILLIS, percentile95Millis)))

/** How long a measured time is used. */
export const JUDGING_DELAY_AGE_MILLIS = 6 * HOUR_MILLIS

/** The first code of a customer is judged no earlier. */
export const FIRST_ROUND_MILLIS = SHORTEST_MILLIS

/** Between two rounds of a customer: shorter while something is suspicious. */
export const CALM_ROUND_MILLIS = MINUTE_MILLIS
export const WATCHFUL_ROUND_MILLIS = 5000
/** Rounds of many customers are due together: to find each timer alone would cost more than its round. */
const ROUND_STEP_MILLIS = 1000

export const roundAt = (at: Instant): Instant => Math.ceil(at / ROUND_STEP_MILLIS) * ROUND_STEP_MILLIS

/** Without codes to judge: the next send brings the round forward. */
export const IDLE_ROUND_MILLIS = 6 * HOUR_MILLIS

/**
 * How a round chooses codes where more are due than it judges. It cuts the time into slices and reads the first codes of
 * each. So its cost does not depend on how many there are, and a burst counts for its slice only.
 */

export const SLICES = 40
/** More than this many codes are not believed to stand behind one. */
const MAX_WEIGHT = 100

interface Slice {
  readonly from: Instant
  readonly until: Instant
}

export const slicesOf = ({ from, until }: Slice): ReadonlyArray<Slice> => {
  const length = (until - from) / SLICES
  return Array.from({ length: SLICES }, (_, n) => ({
    from: Math.floor(from + n * length),
    until: n === SLICES - 1 ? until : Math.floor(from + (n + 1) * length)
  }))
}

/**
 * How many codes each code of a slice stands for, if `limit` of them were read: the rest of the slice is taken to have
 * as many as the part that was read.
 */
export const weightIn = ({ until }: Slice, sentAt: ReadonlyArray<Instant>, limit: number): number => {
  const [first] = sentAt
  const last = sentAt.at(-1)
  if (first === undefined || last === undefined || sentAt.length < limit) return 1
  return Math.min(MAX_WEIGHT, Math.max(1, Math.round((until - first) / Math.max(1, last - first))))
}
