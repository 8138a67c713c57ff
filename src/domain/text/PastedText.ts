import { foldDigits } from "./Digits.ts"

/** Characters without a form of their own, such as marks of direction, which copying takes along. */
const FORMAT = /\p{Cf}/gu

export const withoutFormat = (text: string): string => text.replace(FORMAT, "")

/** An identifier that a person pasted: without format characters, and without white space at its ends. */
export const pasted = (text: string): string => withoutFormat(text).trim()

/** The same for a text that can be Persian, which needs the joiners U+200C and U+200D. */
export const pastedText = (text: string): string => text.replace(/[\p{Cf}--[\u200c\u200d]]/gv, "").trim()

/** Format characters, white space, dashes (U+2212 is a minus sign) and parentheses. */
const SEPARATORS = /[\p{Cf}\s\p{Zs}\p{Pd}\u2212()]/gu
/** Most numbers are written so, and need not be rewritten. */
const BARE = /^\+?\d+$/

/** A phone or a code that a person wrote, in ASCII digits and without what separates them. */
export const bareNumber = (text: string): string =>
  BARE.test(text) ? text : foldDigits(text.replace(SEPARATORS, ""))
