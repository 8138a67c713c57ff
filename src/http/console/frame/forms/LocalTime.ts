import { DateTime, Option } from "effect"
import type { Instant } from "../../../../domain/Instant.ts"
import { foldDigits, pasted, persianDigits } from "../../../../domain/text/PastedText.ts"
import type { Locale } from "../Locale.ts"
import { fromJalali, jalaliOf } from "../../../../domain/text/JalaliDate.ts"

const LOCAL = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,3})?)?$/
/** `2026-11-24T14:30` */
const LOCAL_LENGTH = 16
/** `1405/9/3 14:30`; without a time it is the beginning of the day. */
const JALALI = /^(1[2-5]\d\d)[/-](\d{1,2})[/-](\d{1,2})(?:[T\s]+(\d{1,2}):(\d\d))?$/

const inZone = (text: string, timeZone: string): Instant | null =>
  Option.match(DateTime.makeZoned(text, { timeZone, adjustForTimeZone: true }), {
    onNone: () => null,
    onSome: DateTime.toEpochMillis
  })

const parseJalali = (text: string, zone: string): Instant | null => {
  const [, year, month, day, hour = "0", minute = "00"] = JALALI.exec(text) ?? []
  if (Number(hour) > 23 || Number(minute) > 59) return null
  const at = fromJalali(Number(year), Number(month), Number(day))
  if (at === null) return null
  const date = DateTime.formatIsoDateUtc(DateTime.makeUnsafe(at))
  return inZone(`${date}T${hour.padStart(2, "0")}:${minute}`, zone)
}

/**
 * The instant of a date and time field in the viewer's zone; null for any other text. Browsers send Gregorian dates; in
 * Persian, people type those of their own calendar.
 */
export const parseLocalTime = (given: string, zone: string): Instant | null => {
  const text = foldDigits(pasted(given))
  if (JALALI.test(text)) return parseJalali(text, zone)
  return LOCAL.test(text) ? inZone(text, zone) : null
}

/** An instant as a date and time field of the viewer's language has it: what `parseLocalTime` reads. */
export const formatLocalTime = (
  at: Instant,
  { language, zone }: Pick<Locale, "language" | "zone">
): string => {
  const local = DateTime.formatIsoZoned(DateTime.makeZonedUnsafe(at, { timeZone: zone })).slice(
    0,
    LOCAL_LENGTH
  )
  if (language === "en") return local
  const [date = "", time = ""] = local.split("T")
  const day = DateTime.toEpochMillis(DateTime.makeUnsafe(`${date}T00:00:00Z`))
  return persianDigits(`${jalaliOf(day)} ${time}`)
}
