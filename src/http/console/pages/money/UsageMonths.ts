import { Array as Arr, Clock, DateTime, Effect } from "effect"
import { DAY_MILLIS, type Instant } from "../../../../domain/Instant.ts"
import type { TimeSpan } from "../../../../domain/Paging.ts"
import type { View } from "../../frame/SignedRoutes.ts"
import { type ChoiceFilter, choiceProblems } from "../../parts/lists/Filters.ts"

const SHOWN_MONTHS = 12

export interface Month extends TimeSpan {
  /** `2026-11` */
  readonly id: string
}

/** This month in UTC and those before it, the newest first. */
const monthsUntil = (now: Instant): Arr.NonEmptyReadonlyArray<Month> => {
  const first = DateTime.startOf(DateTime.makeUnsafe(now), "month")
  return Arr.makeBy(SHOWN_MONTHS, (ago) => {
    const from = DateTime.subtract(first, { months: ago })
    return {
      id: DateTime.formatIsoDateUtc(from).slice(0, 7),
      from: DateTime.toEpochMillis(from),
      to: DateTime.toEpochMillis(DateTime.add(from, { months: 1 }))
    }
  })
}

/** Its name; in Persian, where no month of the calendar begins with it, its first and last day. */
export const monthName = ({ from, to }: Month, { language }: View["locale"]): string =>
  language === "fa"
    ? new Intl.DateTimeFormat("fa-IR-u-ca-persian-nu-arabext", {
        year: "numeric",
        month: "long",
        day: "numeric",
        timeZone: "UTC"
      }).formatRange(from, to - 1)
    : new Intl.DateTimeFormat("en-GB", { year: "numeric", month: "long", timeZone: "UTC" }).format(from)

/** The month that the address names; without one it is this month. */
export const readMonth = (view: View) =>
  Effect.map(Clock.currentTimeMillis, (now) => {
    const { query, locale } = view
    const [current, ...earlier] = monthsUntil(now)
    const filter: ChoiceFilter = {
      name: "month",
      label: locale.say("Month", "ماه"),
      any: locale.say("This month", "این ماه"),
      anyValue: current.id,
      choices: earlier.map((each) => [each.id, monthName(each, locale)] as const)
    }
    const month = earlier.find(({ id }) => id === query.get("month")) ?? current
    return { month, filter, problems: choiceProblems(view, [filter]), now }
  })

export const daysOf = ({ from, to }: Month, now: Instant): ReadonlyArray<string> => {
  const end = Math.min(to, now + 1)
  return Array.from({ length: Math.ceil((end - from) / DAY_MILLIS) }, (_, index) =>
    DateTime.formatIsoDateUtc(DateTime.makeUnsafe(from + index * DAY_MILLIS))
  )
}
