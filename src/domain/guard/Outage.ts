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

interface Counts {
  codes: number
  verified: number
  expected: number
}

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
  const known = recent.findLastIndex((each) => each.minute === minute && each.channel === code.channel)
  const before = recent[known]
  if (before === undefined) {
    return [
      ...recent.filter((each) => each.minute > minute - KEPT_MINUTES),
      { minute, channel: code.channel, codes: weight, verified, expected }
    ]
  }
  return recent.with(known, {
    ...before,
    codes: before.codes + weight,
    verified: before.verified + verified,
    expected: before.expected + expected
  })
}

/** The place in `WINDOWS_MINUTES` of the shortest window with codes of this age, in minutes. */
const SHORTEST_WITH = Array.from({ length: KEPT_MINUTES }, (_, age) =>
  WINDOWS_MINUTES.findIndex((minutes) => age < minutes)
)

const add = (sum: Counts, { codes, verified, expected }: Readonly<Counts>) => {
  sum.codes += codes
  sum.verified += verified
  sum.expected += expected
}

/** The counts of each window. Each is part of the next longer one, so every minute is added once: codes are many. */
const countsIn = (
  recent: ReadonlyArray<RecentCodes>,
  now: Instant,
  channel: string | null
): ReadonlyArray<Readonly<Counts>> => {
  const counts = WINDOWS_MINUTES.map((): Counts => ({ codes: 0, verified: 0, expected: 0 }))
  const minute = minuteOf(now)
  for (const each of recent) {
    if (channel !== null && each.channel !== channel) continue
    const shortest = counts[SHORTEST_WITH[Math.max(0, minute - each.minute)] ?? -1]
    if (shortest !== undefined) add(shortest, each)
  }
  counts.reduce((shorter, longer) => {
    add(longer, shorter)
    return longer
  })
  return counts
}

export interface UsualTraffic {
  readonly codesPerHour: number
  readonly conversion: number
}

/** What one customer sent lately, and what is usual for it now, which is more than nothing. */
export interface CustomerTraffic extends UsualTraffic {
  readonly customerId: number
  readonly recent: ReadonlyArray<RecentCodes>
}

/** Customers that sent lately, together. */
export interface JointTraffic {
  readonly recent: ReadonlyArray<RecentCodes>
  readonly usual: UsualTraffic
}

interface WeighedTraffic extends CustomerTraffic {
  readonly weight: number
}

/** No customer counts for more than the third largest: none is more than a third of what is seen. */
const weighed = (customers: ReadonlyArray<CustomerTraffic>): ReadonlyArray<WeighedTraffic> => {
  const sizes = customers.map(({ codesPerHour }) => codesPerHour).toSorted((one, other) => other - one)
  const third = sizes[2]
  if (third === undefined) return []
  return customers.map((each) => ({ ...each, weight: Math.min(1, third / each.codesPerHour) }))
}

/** How many verified codes it misses. */
const missingOf = ({ recent, weight }: WeighedTraffic): number =>
  recent.reduce((sum, { expected, verified }) => sum + weight * (expected - verified), 0)

/** One customer alone makes no outage: it must show without the one that misses the most verified codes. */
const withoutMostMissing = (customers: ReadonlyArray<WeighedTraffic>): ReadonlyArray<WeighedTraffic> => {
  const [first, ...further] = customers.filter(({ recent }) => recent.length > 0)
  if (first === undefined) return customers
  const most = further.reduce((one, other) => (missingOf(other) > missingOf(one) ? other : one), first)
  return customers.filter((each) => each !== most)
}

const joined = (customers: ReadonlyArray<CustomerTraffic>): JointTraffic => {
  const counted = withoutMostMissing(weighed(customers))
  const recent = new Map<string, RecentCodes>()
  for (const { recent: own, weight } of counted) {
    for (const { minute, channel, codes, verified, expected } of own) {
      const key = `${minute} ${channel}`
      const before = recent.get(key)
      recent.set(key, {
        minute,
        channel,
        codes: (before?.codes ?? 0) + weight * codes,
        verified: (before?.verified ?? 0) + weight * verified,
        expected: (before?.expected ?? 0) + weight * expected
      })
    }
  }
  const codesPerHour = counted.reduce((sum, each) => sum + each.weight * each.codesPerHour, 0)
  const verifiedPerHour = counted.reduce(
    (sum, each) => sum + each.weight * each.codesPerHour * each.conversion,
    0
  )
  const conversion = codesPerHour === 0 ? 0 : verifiedPerHour / codesPerHour
  return { recent: [...recent.values()], usual: { codesPerHour, conversion } }
}

/**
 * What the others send together, for each customer: computed once for all that are not among those given. While a
 * provider is out, every customer asks.
 */
export const trafficOfOthers = (
  customers: ReadonlyArray<CustomerTraffic>
): ((customerId: number) => JointTraffic) => {
  const known = new Map<number | null, JointTraffic>()
  const ids = new Set(customers.map(({ customerId }) => customerId))
  return (customerId) => {
    const left = ids.has(customerId) ? customerId : null
    const before = known.get(left)
    if (before !== undefined) return before
    const others = joined(customers.filter((each) => each.customerId !== left))
    known.set(left, others)
    return others
  }
}

/** The codes of the last minutes, of all channels. */
interface Window {
  /** The first of its minutes. */
  readonly from: number
  readonly all: Readonly<Counts>
  /** The codes that are usual in this time, and how many of them are verified. */
  readonly usualCodes: number
  readonly usualVerified: number
}

interface ChannelWindow extends Window {
  readonly own: Readonly<Counts>
}

const NONE: Readonly<Counts> = { codes: 0, verified: 0, expected: 0 }

const windowsOf = (
  recent: ReadonlyArray<RecentCodes>,
  usual: UsualTraffic,
  now: Instant
): ReadonlyArray<Window> => {
  const counts = countsIn(recent, now, null)
  return WINDOWS_MINUTES.map((minutes, nth) => {
    const usualCodes = (usual.codesPerHour * minutes * MINUTE_MILLIS) / HOUR_MILLIS
    return {
      from: minuteOf(now) - minutes + 1,
      all: counts[nth] ?? NONE,
      usualCodes,
      usualVerified: usual.conversion * usualCodes
    }
  })
}

const inChannel = (
  windows: ReadonlyArray<Window>,
  recent: ReadonlyArray<RecentCodes>,
  now: Instant,
  channel: string
): ReadonlyArray<ChannelWindow> => {
  const counts = countsIn(recent, now, channel)
  return windows.map((window, nth) => ({ ...window, own: counts[nth] ?? NONE }))
}

/** More codes than users ask for who try again: whatever else is true, this is an attack. */
const isFlooded = ({ all, usualCodes }: Window): boolean =>
  all.codes > MAX_TIMES_USUAL * usualCodes + SMALL_NUMBER

/** The likelihood that the verified codes have collapsed, against that they are as usual: a Poisson test, in logarithms. */
const evidenceOf = ({ all, usualVerified }: Window): number =>
  (1 - COLLAPSED_SHARE) * usualVerified + all.verified * Math.log(COLLAPSED_SHARE)

const hasCollapsed = (window: Window): boolean => evidenceOf(window) >= ENOUGH_EVIDENCE

/** Hardly any code of the channel is verified, and that is not because there are more codes than usual. */
const isDownIn = (window: ChannelWindow): boolean =>
  window.own.expected >= ENOUGH_EXPECTED &&
  window.own.verified < FALLEN_SHARE * window.own.expected &&
  hasCollapsed(window)

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
  if (before !== null && !isOver(inChannel(windows, recent, now, before.channel), before, now)) return before
  // Nearly always nothing has collapsed, and then no channel need be looked at.
  const channels = windows.some(hasCollapsed) ? new Set(recent.map((each) => each.channel)) : []
  for (const channel of channels) {
    if (isDown(inChannel(windows, recent, now, channel))) return { channel, since: now }
  }
  return isUp(windows) ? null : elsewhere
}
