import { Schema } from "effect"
import { HOUR_MILLIS, type Instant, MINUTE_MILLIS } from "./Instant.ts"
import type { TimeSpan } from "./Paging.ts"

/** Sends are summed up for each half hour: a day of any time zone begins with one. */
export const SLOT_MILLIS = 30 * MINUTE_MILLIS

export const slotOf = (at: Instant): Instant => Math.floor(at / SLOT_MILLIS) * SLOT_MILLIS

/** The upper ends of the classes of times to verify, in seconds. Times beyond the last are one more class. */
export const SECONDS_CLASSES = [
  1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 18, 21, 25, 30, 35, 40, 45, 50, 55, 60, 70, 80, 90, 105, 120, 150, 180,
  240, 300, 420, 600
] as const

/** Codes, or messages, that were accepted in one slot. */
export const ActivityFigures = Schema.Struct({
  kind: Schema.Literals(["code", "message"]),
  /** Null: whatever the channel. Of a channel, `accepted` counts those that were tried over it. */
  channel: Schema.NullOr(Schema.String),
  accepted: Schema.Int,
  verified: Schema.Int,
  /** Attempts that a provider accepted, and those that failed; of channels only. */
  sent: Schema.Int,
  failed: Schema.Int,
  /** Attempts that arrived, and those that did not, by the provider's report; of channels only. */
  delivered: Schema.Int,
  undelivered: Schema.Int,
  /** Failed attempts by error code; of channels only. */
  errors: Schema.Record(Schema.String, Schema.Int),
  /** In rials; of channels only. */
  cost: Schema.Int,
  /** How many were verified in each class of `SECONDS_CLASSES`, by the class's index. */
  seconds: Schema.Record(Schema.String, Schema.Int)
})
export type ActivityFigures = typeof ActivityFigures.Type

export interface ActivitySlot {
  readonly startsAt: Instant
  readonly figures: ReadonlyArray<ActivityFigures>
}

export interface ActivitySums extends Omit<ActivityFigures, "kind" | "channel"> {}

type Mutable<T> = { -readonly [Key in keyof T]: T[Key] }

interface Sums extends Mutable<Omit<ActivitySums, "seconds" | "errors">> {
  readonly seconds: Record<string, number>
  readonly errors: Record<string, number>
}

const addEach = (sums: Record<string, number>, counts: Readonly<Record<string, number>>): void => {
  for (const name of Object.keys(counts)) sums[name] = (sums[name] ?? 0) + (counts[name] ?? 0)
}

const addTo = (sums: Sums, figures: ActivityFigures): void => {
  sums.accepted += figures.accepted
  sums.verified += figures.verified
  sums.sent += figures.sent
  sums.failed += figures.failed
  sums.delivered += figures.delivered
  sums.undelivered += figures.undelivered
  sums.cost += figures.cost
  addEach(sums.seconds, figures.seconds)
  addEach(sums.errors, figures.errors)
}

/** The sum of those figures that are chosen. A month has 1440 slots: they are added in place. */
export const sumOf = (
  slots: ReadonlyArray<ActivitySlot>,
  isChosen: (figures: ActivityFigures) => boolean
): ActivitySums => {
  const sums: Sums = {
    accepted: 0,
    verified: 0,
    sent: 0,
    failed: 0,
    delivered: 0,
    undelivered: 0,
    cost: 0,
    seconds: {},
    errors: {}
  }
  for (const { figures } of slots) for (const each of figures) if (isChosen(each)) addTo(sums, each)
  return sums
}

/** The channels that were tried, the most used first. */
export const channelsOf = (slots: ReadonlyArray<ActivitySlot>): ReadonlyArray<string> => {
  const counts = new Map<string, number>()
  for (const { channel, accepted } of slots.flatMap(({ figures }) => figures))
    if (channel !== null) counts.set(channel, (counts.get(channel) ?? 0) + accepted)
  return [...counts].toSorted(([, one], [, other]) => other - one).map(([channel]) => channel)
}

/** The time within which this share was verified, in seconds: as exact as the classes are; null without any. */
export const secondsWithin = ({ seconds }: Pick<ActivitySums, "seconds">, share: number): number | null => {
  const counts = [...SECONDS_CLASSES.keys(), SECONDS_CLASSES.length].map(
    (index) => seconds[String(index)] ?? 0
  )
  const wanted = counts.reduce((sum, count) => sum + count, 0) * share
  if (wanted === 0) return null
  let before = 0
  for (const [index, count] of counts.entries()) {
    const low = SECONDS_CLASSES[index - 1] ?? 0
    const high = SECONDS_CLASSES[index] ?? low
    if (before + count >= wanted) return low + ((high - low) * (wanted - before)) / count
    before += count
  }
  return null
}

/** The known figures of a slot. */
export interface SummedSlot {
  readonly startsAt: Instant
  /** Null: they were never summed up. */
  readonly summedAt: Instant | null
  /** Some of its sends were not over then, or waited for a delivery report. */
  readonly isOpen: boolean
}

const MIN_AGE_MILLIS = 10_000
/** A code is verified up to ten minutes after it was sent. */
const CHANGING_MILLIS = 11 * MINUTE_MILLIS
/** Sends are written a little after the time that they were accepted at. */
const LATE_MILLIS = MINUTE_MILLIS
/** Figures that were summed up so long after a slot began are final, if nothing was open. */
export const FINAL_AFTER_MILLIS = SLOT_MILLIS + LATE_MILLIS
/** A slot of an hour ago whose sends are not over is summed up again after about a minute, one of a day ago after half an hour. */
const AGE_SHARE = 50

/** Whether it was over, and all of its sends written, when it was summed up. */
const isWhole = (slot: SummedSlot): slot is SummedSlot & { readonly summedAt: Instant } =>
  slot.summedAt !== null && slot.summedAt >= slot.startsAt + FINAL_AFTER_MILLIS

/** Whether its figures may have changed enough to sum them up again. */
export const isStale = (slot: SummedSlot, now: Instant): boolean => {
  const { startsAt, summedAt, isOpen } = slot
  if (summedAt === null) return true
  const isFinal = !isOpen && isWhole(slot)
  const age = now - startsAt - SLOT_MILLIS - CHANGING_MILLIS
  return !isFinal && now - summedAt >= Math.max(MIN_AGE_MILLIS, age / AGE_SHARE)
}

/** Whether the hourly round sums it up again. A day-old slot that waits for reports: every six hours. */
export const isDue = (slot: SummedSlot, now: Instant): boolean => {
  const { isOpen, startsAt } = slot
  if (now < startsAt + FINAL_AFTER_MILLIS) return false
  return !isWhole(slot) || (isOpen && now - slot.summedAt >= (now - startsAt) / 4)
}

/** Whether a report uses its figures. Those that rounds keep up are never too old for that. */
export const isUsable = (slot: SummedSlot, now: Instant): boolean => {
  const { isOpen, startsAt } = slot
  if (!isWhole(slot)) return false
  return !isOpen || now - slot.summedAt < Math.max(2 * HOUR_MILLIS, (now - startsAt) / 2)
}

/** Slots next to each other, as few ranges as can be read at once, the newest first. */
export const rangesOf = (slots: ReadonlyArray<Instant>, maxSlots: number): ReadonlyArray<TimeSpan> => {
  const ranges: Array<{ from: Instant; to: Instant }> = []
  for (const slot of slots.toSorted((one, other) => other - one)) {
    const last = ranges.at(-1)
    if (last !== undefined && last.from === slot + SLOT_MILLIS && last.to - slot <= maxSlots * SLOT_MILLIS)
      last.from = slot
    else ranges.push({ from: slot, to: slot + SLOT_MILLIS })
  }
  return ranges
}

/** The parts of this time that no slot covers. */
export const gapsOf = (
  { from, to }: TimeSpan,
  slots: ReadonlyArray<Pick<ActivitySlot, "startsAt">>
): ReadonlyArray<TimeSpan> => {
  const starts = slots.map(({ startsAt }) => startsAt).toSorted((one, other) => one - other)
  const begins = [from, ...starts.map((startsAt) => startsAt + SLOT_MILLIS)]
  const ends = [...starts, to]
  return begins
    .map((begin, index) => ({ from: begin, to: ends[index] ?? to }))
    .filter((gap) => gap.from < gap.to)
}

/** From the end of a round to the next, and the longest round. */
export const ACTIVITY_ROUND_MILLIS = HOUR_MILLIS
export const ACTIVITY_TURN_MILLIS = 10 * MINUTE_MILLIS

const PAUSE_PER_WORK = 4

/** How long to leave the store alone after sums that took `elapsed` ms. */
export const activityPauseMillis = (elapsed: number): number => elapsed * PAUSE_PER_WORK
