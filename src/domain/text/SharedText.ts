import { foldDigits } from "./Digits.ts"

/** A text without white space and format characters, in one spelling, and where each of its letters came from. */
interface Plain {
  readonly letters: string
  /** The index in the original text of each letter. */
  readonly origins: ReadonlyArray<number>
}

const IGNORED = /[\s\p{Cf}]/u

const plainOf = (text: string): Plain => {
  const letters: Array<string> = []
  const origins: Array<number> = []
  for (let index = 0; index < text.length; index++) {
    const letter = text.charAt(index)
    if (IGNORED.test(letter)) continue
    const folded = foldDigits(letter).toLowerCase()
    // One letter for one, so that the origins stay right.
    letters.push(folded.length === 1 ? folded : letter)
    origins.push(index)
  }
  return { letters: letters.join(""), origins }
}

/** A part of this length is no coincidence. */
const MIN_SHARED = 12
/** A shorter text reveals nothing, and is part of many words. */
const MIN_LENGTH = 4

const asciiJson = (text: string): string =>
  JSON.stringify(text)
    .slice(1, -1)
    .replaceAll(/[^\x20-\x7e]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`)

/**
 * Forms in which a program repeats a text that it received, of those that the words can hold. Encoded forms of a long
 * text have thousands of parts, and most words have no encoded letter.
 */
const repeatedForms = (text: string, words: string): ReadonlyArray<string> => [
  text,
  ...(words.includes("\\") ? [asciiJson(text)] : []),
  ...(words.includes("%") ? [encodeURIComponent(text.toWellFormed())] : [])
]

/** Whether words with so few letters cannot hold a part of the text, in any form. No form is shorter than the text. */
const isTooShort = (letters: number, text: string): boolean =>
  letters < MIN_SHARED &&
  letters < Math.max(MIN_LENGTH, plainOf(text.slice(0, 2 * MIN_SHARED)).letters.length)

/** Encoded letters take six characters or more each. */
const sharedLength = (form: string, text: string): number => (form === text ? MIN_SHARED : MIN_SHARED * 6)

/** Marks each letter of `words` that is in a part of at least this length that `form` has too. */
const markShared = (words: Plain, form: Plain, length: number, marks: Uint8Array): void => {
  const size = Math.min(length, form.letters.length)
  if (size < MIN_LENGTH) return
  const parts = new Set<string>()
  for (let at = 0; at + size <= form.letters.length; at++) parts.add(form.letters.slice(at, at + size))
  for (let at = 0; at + size <= words.letters.length; at++) {
    if (parts.has(words.letters.slice(at, at + size))) marks.fill(1, at, at + size)
  }
}

/**
 * The words without the parts that they share with a text: all of it, or any long part, whatever the white space, the
 * script of digits, or the encoding.
 */
export const withoutShared = (words: string, text: string, by: string): string => {
  const plain = plainOf(words)
  if (isTooShort(plain.letters.length, text)) return words
  const marks = new Uint8Array(plain.letters.length)
  for (const form of repeatedForms(text, words))
    markShared(plain, plainOf(form), sharedLength(form, text), marks)
  let kept = ""
  let from = 0
  for (let at = 0; at < marks.length; at++) {
    if (marks[at] === 0) continue
    let end = at
    while (marks[end + 1] === 1) end++
    kept += words.slice(from, plain.origins[at]) + by
    from = (plain.origins[end] ?? 0) + 1
    at = end
  }
  return kept + words.slice(from)
}
