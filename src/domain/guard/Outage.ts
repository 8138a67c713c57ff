import { Schema } from "effect"
import type { Instant } from "../Instant.ts"
import { HOUR_MILLIS, MINUTE_MILLIS } from "../people/Admission.ts"
import type { WeighedCode } from "./SegmentState.ts"

/** The codes of one channel that matured in one minute. */
export const RecentCodes = Schema.Struct({
  minute: Schema.Int,
  channel: Schema.String,
  codes: Schema.Number,
  verified: Schema.Number,
  /** How many would usually be verified. */
  expected: Schema.Number
})
export type RecentCodes = typeof RecentCodes.Type

export const Outage = Schema.Struct({ channel: Schema.String, since: Schema.Number })
export type Outage = typeof Outage.Type

type Counts = Pick<RecentCodes, "codes" | "verified" | "expected">

/** In place of a channel: codes of attacks count as asked for, and say nothing about their channel. */
export const OF_ATTACKS = "attacks"

/** The shortest of these in which enough codes would usually be verified is looked at. */
const WINDOWS_MINUTES = [2, 5, 10, 20, 40, 80, 120]
const ENOUGH_EXPECTED = 7
const KEPT_MINUTES = 120

const FALLEN_SHARE = 0.25
const RECOVERED_SHARE = 0.7
/** In an outage fewer codes than usual are verified; an attack does not change how many are. */
const COLLAPSED_SHARE = 0.6
/** In an outage users try again, but not as often as this. */
export const MOST_OF_USUAL = 3
const SMALL_NUMBER = 5

const minuteOf = (at: Instant): number => Math.floor(at / MINUTE_MILLIS)

export const addRecent = (
  recent: ReadonlyArray<RecentCodes>,
  at: Instant,
  code: WeighedCode & { readonly channel: string; readonly expected: number }
): ReadonlyArray<RecentCodes> => {
  const minute = minuteOf(at)
  const { weight } = code
  const verified = code.isVerified ? weight : 0
  const expected = weight * code.expected
  const known = recent.findIndex((each) => each.minute === minute && each.channel === code.channel)
  if (known === -1) {
    return [
      ...recent.filter((each) => each.minute > minute - KEPT_MINUTES),
      { minute, channel: code.channel, codes: weight, verified, expected }
    ]
  }
  return recent.map((each, index) =>
    index === known
      ? {
          ...each,
          codes: each.codes + weight,
          verified: each.verified + verified,
          expected: each.expected + expected
        }
      : each
  )
}

const sumOf = (recent: ReadonlyArray<RecentCodes>): Counts =>
  recent.reduce<Counts>(
    (sum, { codes, verified, expected }) => ({
      codes: sum.codes + codes,
      verified: sum.verified + verified,
      expected: sum.expected + expected
    }),
    { codes: 0, verified: 0, expected: 0 }
  )

export interface UsualTraffic {
  readonly codesPerHour: number
  readonly conversion: number
}

/** The latest matured codes on this channel, and on all, in the shortest time with enough of them; null: too few. */
const lately = (recent: ReadonlyArray<RecentCodes>, channel: string, now: Instant) => {
  for (const minutes of WINDOWS_MINUTES) {
    const inWindow = recent.filter((each) => each.minute > minuteOf(now) - minutes)
    const own = sumOf(inWindow.filter((each) => each.channel === channel))
    if (own.expected >= ENOUGH_EXPECTED) return { minutes, own, all: sumOf(inWindow) }
  }
  return null
}

/** More codes than users ask for who try again: whatever else is true, this is an attack. */
const isFlooded = ({ codes }: Counts, usualCodes: number): boolean =>
  codes > MOST_OF_USUAL * usualCodes + SMALL_NUMBER

const usualIn = (usual: UsualTraffic, minutes: number): number =>
  (usual.codesPerHour * minutes * MINUTE_MILLIS) / HOUR_MILLIS

/** Whether hardly any code of this channel is verified, and that is not because there are more codes than usual. */
const isDown = (
  recent: ReadonlyArray<RecentCodes>,
  channel: string,
  usual: UsualTraffic,
  now: Instant
): boolean => {
  const window = lately(recent, channel, now)
  if (window === null) return false
  const { minutes, own, all } = window
  const usualCodes = usualIn(usual, minutes)
  return (
    own.verified < FALLEN_SHARE * own.expected &&
    !isFlooded(all, usualCodes) &&
    all.verified <= COLLAPSED_SHARE * usual.conversion * usualCodes
  )
}

/** Where too little is sent to know, an outage is believed this long. */
const BELIEVED_MILLIS = 15 * MINUTE_MILLIS

/** Whether an outage is over, or was none. */
const isOver = (
  recent: ReadonlyArray<RecentCodes>,
  { channel, since }: Outage,
  usual: UsualTraffic,
  now: Instant
): boolean => {
  const window = lately(recent, channel, now)
  if (window === null) return now - since >= BELIEVED_MILLIS
  const { minutes, own, all } = window
  return own.verified >= RECOVERED_SHARE * own.expected || isFlooded(all, usualIn(usual, minutes))
}

/**
 * Whether a channel is out: it has fallen for everybody at once, which no attack does. It lasts until the channel's codes
 * are verified again.
 *
 * @param usual what is usual now, of those whose codes are `recent`
 */
export const outageOf = (
  before: Outage | null,
  recent: ReadonlyArray<RecentCodes>,
  usual: UsualTraffic,
  now: Instant
): Outage | null => {
  if (before !== null && !isOver(recent, before, usual, now)) return before
  for (const channel of new Set(recent.map((each) => each.channel))) {
    if (isDown(recent, channel, usual, now)) return { channel, since: now }
  }
  return null
}
