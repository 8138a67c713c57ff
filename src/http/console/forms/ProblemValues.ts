import type { Expected } from "../../../domain/Problem.ts"
import type { Locale } from "../frame/Locale.ts"
import { isolatedText } from "../parts/Text.ts"

/** Both languages; `{name}` stands for the parameter of that name. */
export type Text = readonly [english: string, persian: string]

/** What a field takes instead. */
export const typeProblem = (expected: ReadonlyArray<Expected>, { say }: Locale): string => {
  const values = expected.flatMap((each) => ("value" in each ? [each.value] : []))
  const types = new Set(
    expected.flatMap((each) => ("type" in each && each.type !== "null" ? [each.type] : []))
  )
  if (values.length > 0 && types.size === 0) {
    return say("Choose one of the offered values.", "یکی از گزینه‌ها را انتخاب کنید.")
  }
  if (types.has("number") && values.length > 0) {
    const words = values.join(", ")
    return say(`Enter seconds, or the word ${words}.`, `عدد به ثانیه یا واژهٔ ${words} را وارد کنید.`)
  }
  if (types.has("number")) return say("Enter a whole number.", "یک عدد صحیح وارد کنید.")
  return types.has("string")
    ? say("This field is required.", "این فیلد الزامی است.")
    : say("This value is not valid.", "این مقدار معتبر نیست.")
}

const MINUTES_OF_HOUR = 60
/** A clock that is set an hour wrong is a minute off in addition. */
const NEARLY = 2

/** How far a clock is off, in words: most are off by whole hours. */
export const clockError = (minutes: number, number: Locale["number"]): Text => {
  const hours = Math.round(minutes / MINUTES_OF_HOUR)
  return hours > 0 && Math.abs(minutes - hours * MINUTES_OF_HOUR) <= NEARLY
    ? [hours === 1 ? "one hour" : `${number(hours)} hours`, `${hours === 1 ? "یک" : number(hours)} ساعت`]
    : [`${number(minutes)} minutes`, `${number(minutes)} دقیقه`]
}

/** A parameter of a problem within its text. */
export const shownParam = (value: unknown, { language, number }: Locale): string => {
  if (typeof value === "number") return number(value)
  return language === "fa" ? isolatedText(String(value)) : String(value)
}
