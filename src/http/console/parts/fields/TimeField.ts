import type { Html } from "../../frame/Html.ts"
import type { Locale } from "../../frame/Locale.ts"
import { inputField, type InputOptions } from "./Fields.ts"

/** How people write a time in their own calendar. */
export const JALALI_EXAMPLE = "۱۴۰۵/۰۹/۰۳ ۱۴:۳۰"

/** A date and time. Browsers ask for Gregorian dates; Persian pages have a text field for the calendar of Iran. */
export const timeField = (options: Omit<InputOptions, "type">, { language }: Locale): Html =>
  language === "fa"
    ? inputField({ ...options, placeholder: JALALI_EXAMPLE, isLtr: true })
    : inputField({ ...options, type: "datetime-local" })
