import { Schema } from "effect"
import { HOUR_MILLIS, type Instant, MINUTE_MILLIS } from "../Instant.ts"
import type { WeighedCode } from "./Segments.ts"

/** The codes of one channel that were due in one minute. */
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

/** The last minutes that are looked at. */
const WINDOWS_MINUTES = [2, 5, 10, 20, 30, 40, 60, 80, 120]
const ENOUGH_EXPECTED = 7
const KEPT_MINUTES = 120

const FALLEN_SHARE = 0.5
const RECOVERED_SHARE = 0.7
/** In an outage fewer codes than usual are verified, by the clock; an attack does not change how many are. */
const COLLAPSED_SHARE = 0.4
/** How sure it must be that they are: chance alone reaches this in one of e^4 = 55 cases. */
const ENOUGH_EVIDENCE = 4
/** How sure it must be that they are not, after all. */
const ENOUGH_OF_RECOVERY = 2
/** In an outage users try again, but not as often as this. */
export const MAX_TIMES_USUAL = 3
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

/** The codes of the last minutes, of all channels. */
interface Window {
  /** The first of its minutes. */
  readonly from: number
  readonly all: Counts
  /** The codes that are usual in this time, and how many of them are verified. */
  readonly usualCodes: number
  readonly usualVerified: number
}

interface ChannelWindow extends Window {
  readonly own: Counts
}

const windowsOf = (
  recent: ReadonlyArray<RecentCodes>,
  usual: UsualTraffic,
  now: Instant
): ReadonlyArray<Window> =>
  WINDOWS_MINUTES.map((minutes) => {
    const from = minuteOf(now) - minutes + 1
    const usualCodes = (usual.codesPerHour * minutes * MINUTE_MILLIS) / HOUR_MILLIS
    return {
      from,
      all: sumOf(recent.filter(({ minute }) => minute >= from)),
      usualCodes,
      usualVerified: usual.conversion * usualCodes
    }
  })

const inChannel = (
  windows: ReadonlyArray<Window>,
  recent: ReadonlyArray<RecentCodes>,
  channel: string
): ReadonlyArray<ChannelWindow> => {
  const ofChannel = recent.filter((each) => each.channel === channel)
  return windows.map((window) => ({
    ...window,
    own: sumOf(ofChannel.filter(({ minute }) => minute >= window.from))
  }))
}

/** More codes than users ask for who try again: whatever else is true, this is an attack. */
const isFlooded = ({ all, usualCodes }: Window): boolean =>
  all.codes > MAX_TIMES_USUAL * usualCodes + SMALL_NUMBER

/** The likelihood that the verified codes have collapsed, against that they are as usual: a Poisson test, in logarithms. */
const evidenceOf = ({ all, usualVerified }: Window): number =>
  (1 - COLLAPSED_SHARE) * usualVerified + all.verified * Math.log(COLLAPSED_SHARE)

/** Hardly any code of the channel is verified, and that is not because there are more codes than usual. */
const isDownIn = (window: ChannelWindow): boolean =>
  window.own.expected >= ENOUGH_EXPECTED &&
  window.own.verified < FALLEN_SHARE * window.own.expected &&
  evidenceOf(window) >= ENOUGH_EVIDENCE

/** As many codes as usual are verified. */
const isUpIn = (window: Window): boolean => evidenceOf(window) <= -ENOUGH_OF_RECOVERY

/** Whether a channel is down in some time, and no codes of a part of it that is later say otherwise. */
const isDown = (windows: ReadonlyArray<ChannelWindow>): boolean =>
  windows.some((window, nth) => isDownIn(window) && !windows.slice(0, nth).some(isUpIn))

/** Whether the latest time that says anything says that as many codes as usual are verified. */
const isUp = (windows: ReadonlyArray<Window>): boolean => {
  const telling = windows.find((window) => Math.abs(evidenceOf(window)) >= ENOUGH_OF_RECOVERY)
  return telling !== undefined && isUpIn(telling)
}

/** Where too little is sent to know, an outage is believed this long. */
const BELIEVED_MILLIS = 15 * MINUTE_MILLIS

/**
 * Whether an outage is over: codes of the channel are verified again, or as many as usual in all, whatever else is sent.
 * Codes of before it say nothing about that.
 */
const isOver = (windows: ReadonlyArray<ChannelWindow>, { since }: Outage, now: Instant): boolean => {
  if (windows.some((window) => window.from > minuteOf(since) && isUpIn(window))) return true
  const known = windows.find(({ own }) => own.expected >= ENOUGH_EXPECTED)
  if (known === undefined) return now - since >= BELIEVED_MILLIS
  const usual = windows.find(({ usualVerified }) => usualVerified >= ENOUGH_EXPECTED)
  return (
    known.own.verified >= RECOVERED_SHARE * known.own.expected ||
    (usual !== undefined && usual.all.verified >= RECOVERED_SHARE * usual.usualVerified)
  )
}

/**
 * Whether a channel is out: it has fallen for everybody at once, which no attack does. It lasts until the channel's codes
 * are verified again. With far more codes than usual there is none.
 *
 * @param usual what is usual now, of those whose codes are `recent`
 * @param elsewhere an outage that others see; it is none here where as many codes as usual are verified
 */
export const outageOf = (
  before: Outage | null,
  recent: ReadonlyArray<RecentCodes>,
  usual: UsualTraffic,
  now: Instant,
  elsewhere: Outage | null = null
): Outage | null => {
  const windows = windowsOf(recent, usual, now)
  if (windows.some(isFlooded)) return null
  if (before !== null && !isOver(inChannel(windows, recent, before.channel), before, now)) return before
  for (const channel of new Set(recent.map((each) => each.channel))) {
    if (isDown(inChannel(windows, recent, channel))) return { channel, since: now }
  }
  return isUp(windows) ? null : elsewhere
}
