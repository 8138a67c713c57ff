/** Digits as people type and read them: Persian, Arabic and Latin ones. */

const PERSIAN = "۰۱۲۳۴۵۶۷۸۹"

/** The digits of a text, as Latin ones, without anything else. */
export const latinDigits = (text: string): string =>
  text.replaceAll(/[۰-۹٠-٩]/g, (digit) => String(digit.charCodeAt(0) & 15)).replaceAll(/\D/g, "")

/** A text with the digits of the language. */
export const shownDigits = (text: string, isPersian: boolean): string =>
  isPersian ? text.replaceAll(/\d/g, (digit) => PERSIAN[Number(digit)] ?? digit) : text

/** The digits of a number that is being typed or was pasted: 0912…, without the country's code. */
const localDigits = (typed: string): string => {
  const digits = latinDigits(typed)
  const isForeign = digits.startsWith("0098") || (digits.startsWith("98") && typed.includes("+"))
  const bare = isForeign || digits.length === 12 ? digits.replace(/^(00)?98/, "") : digits
  const isShort = bare !== digits && bare.startsWith("9")
  return (isShort ? `0${bare}` : bare).slice(0, bare.startsWith("9") && !isShort ? 10 : 11)
}

/** In groups, as Iranians read it: 0912 123 4567. */
export const groupedPhone = (typed: string): string => {
  const digits = localDigits(typed)
  const first = digits.startsWith("9") ? 3 : 4
  return [digits.slice(0, first), digits.slice(first, first + 3), digits.slice(first + 3)]
    .filter((group) => group !== "")
    .join(" ")
}

/** The number to send, 09121234567; null if it is none. */
export const phoneOf = (typed: string): string | null => {
  const digits = localDigits(typed)
  if (/^9\d{9}$/.test(digits)) return `0${digits}`
  return /^09\d{9}$/.test(digits) ? digits : null
}

/** 75 is 1:15. */
export const clockTime = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, "0")}`
