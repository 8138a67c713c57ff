import { DateTime } from "effect"
import { DAY_MILLIS, HOUR_MILLIS, type Instant } from "../../../domain/Instant.ts"
import { type ActivitySlot, SLOT_MILLIS, slotOf } from "../../../domain/activity/Activity.ts"
import { html, type Html } from "../frame/Html.ts"
import type { View } from "../frame/SignedRoutes.ts"
import { addressWith } from "../frame/Visit.ts"

export const periods = {
  "24h": { unit: "hour", length: DAY_MILLIS, english: "24 hours", persian: "۲۴ ساعت" },
  "7d": { unit: "day", length: 7 * DAY_MILLIS, english: "7 days", persian: "۷ روز" },
  "30d": { unit: "day", length: 30 * DAY_MILLIS, english: "30 days", persian: "۳۰ روز" }
} as const
export type Period = keyof typeof periods

const isPeriod = (text: string): text is Period => Object.hasOwn(periods, text)

/** The period that the address names, or the shortest; null if there is no such period. */
export const periodOf = ({ query }: Pick<View, "query">): Period | null => {
  const wanted = query.get("period") ?? ""
  return wanted === "" ? "24h" : isPeriod(wanted) ? wanted : null
}

/** The hour, or the day in the viewer's zone, in which an instant is. */
const beginOf = (at: Instant, unit: "hour" | "day", zone: string): Instant =>
  DateTime.toEpochMillis(DateTime.startOf(DateTime.makeZonedUnsafe(at, { timeZone: zone }), unit))

/** Where the period begins: with a whole hour or day. */
export const beginOfPeriod = (period: Period, now: Instant, zone: string): Instant => {
  const { unit, length } = periods[period]
  return beginOf(now - length + (unit === "hour" ? HOUR_MILLIS : DAY_MILLIS), unit, zone)
}

interface Bucket {
  readonly begin: Instant
  readonly slots: ReadonlyArray<ActivitySlot>
}

/** The slots of each hour or day of the period, also of those without any. */
export const bucketsOf = (
  slots: ReadonlyArray<ActivitySlot>,
  period: Period,
  now: Instant,
  zone: string
): ReadonlyArray<Bucket> => {
  const { unit } = periods[period]
  const known = new Map(slots.map((slot) => [slot.startsAt, slot]))
  const buckets: Array<{ readonly begin: Instant; readonly slots: Array<ActivitySlot> }> = []
  let nextBegin = -Infinity
  for (let at = slotOf(beginOfPeriod(period, now, zone)); at <= now; at += SLOT_MILLIS) {
    if (at >= nextBegin) {
      const begin = beginOf(at, unit, zone)
      buckets.push({ begin, slots: [] })
      // a day has 23 to 25 hours; finding where it begins takes long
      nextBegin = beginOf(begin + 1.5 * (unit === "day" ? DAY_MILLIS : HOUR_MILLIS), unit, zone)
    }
    const slot = known.get(at)
    if (slot !== undefined) buckets.at(-1)?.slots.push(slot)
  }
  return buckets
}

/** Links to the periods, the shown one marked. */
export const periodLinks = (view: View, shown: Period | null): Html =>
  html`<nav class="segments" aria-label="${view.locale.say("Period", "بازه")}">
    ${Object.entries(periods).map(
      ([name, { english, persian }]) =>
        html`<a href="${addressWith(view, { period: name })}" ${name === shown && html`aria-current="true"`}>
          ${view.locale.say(english, persian)}
        </a>`
    )}
  </nav>`
