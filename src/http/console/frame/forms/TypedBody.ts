import { pasted, plainNumber } from "../../../../domain/text/PastedText.ts"

/** A number that was typed, in any digits; what is none stays text, so that its schema says what it expected. */
export const typedNumber = (text: string | null): unknown => {
  const trimmed = plainNumber(pasted(text ?? ""))
  if (trimmed === "") return null
  return /^-?\d{1,15}$/.test(trimmed) ? Number(trimmed) : trimmed
}
