const PERSIAN_ZERO = 0x06f0
const ARABIC_INDIC_ZERO = 0x0660

/** Replaces Persian (۰–۹) and Arabic-Indic (٠–٩) digits by ASCII ones. */
export const foldDigits = (text: string): string =>
  text.replace(/[\u06f0-\u06f9\u0660-\u0669]/g, (digit) => {
    const code = digit.charCodeAt(0)
    return String(code - (code >= PERSIAN_ZERO ? PERSIAN_ZERO : ARABIC_INDIC_ZERO))
  })

/** A whole number in groups of three digits, with the separators of Persian, Arabic and English keyboards. */
const GROUPED = /^[-+]?\d{1,3}(?:[,٬،]\d{3})+$/

/** A typed number in ASCII digits, without separators of thousands. Other texts stay as they are. */
export const plainNumber = (text: string): string => {
  const folded = foldDigits(text)
  if (GROUPED.test(folded)) return folded.replaceAll(/[,٬،]/g, "")
  return /^[-+]?\d+$/.test(folded) ? folded : text
}

/** Replaces ASCII digits by Persian ones. */
export const persianDigits = (text: string): string =>
  text.replace(/\d/g, (digit) => String.fromCharCode(PERSIAN_ZERO + Number(digit)))

/** Characters without a form of their own, such as marks of direction, which copying takes along. */
const FORMAT = /\p{Cf}/gu

export const withoutFormat = (text: string): string => text.replace(FORMAT, "")

/** An identifier that a person pasted: without format characters, and without white space at its ends. */
export const pasted = (text: string): string => withoutFormat(text).trim()

/** A pasted text that can be Persian, which needs the joiners U+200C and U+200D. */
export const pastedText = (text: string): string => text.replace(/[\p{Cf}--[\u200c\u200d]]/gv, "").trim()

/** Format characters, white space, dashes (U+2212 is a minus sign) and parentheses. */
const SEPARATORS = /[\p{Cf}\s\p{Zs}\p{Pd}\u2212()]/gu
/** Most numbers are written so, and need not be rewritten. */
const BARE = /^\+?\d+$/

/** A phone or a code that a person wrote, in ASCII digits and without what separates them. */
export const bareNumber = (text: string): string =>
  BARE.test(text) ? text : foldDigits(text.replace(SEPARATORS, ""))
