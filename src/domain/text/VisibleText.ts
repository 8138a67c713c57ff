import { Schema, SchemaTransformation } from "effect"
import { problem } from "../Problem.ts"
import { check } from "../SchemaProblems.ts"

/**
 * Whether PostgreSQL can store a text. It has no U+0000, and half of a surrogate pair is no character. JSON can write
 * both as escapes.
 */
export const isStorable = (text: string): boolean => text.isWellFormed() && !text.includes("\u0000")

export const storableText = check(isStorable, problem("not_storable"))

/** A text that somebody else wrote, such as a provider, in a form that can be stored. */
export const storable = (text: string): string => text.replaceAll("\u0000", "").toWellFormed()

/** A text of a request. */
export const StorableText = Schema.String.check(storableText)

/**
 * White space, control and format characters, and others that show nothing: fillers of Hangul, variation selectors, and
 * the empty pattern of Braille.
 */
const NOTHING = /^[\s\p{Cc}\p{Cf}\p{Z}\p{Default_Ignorable_Code_Point}\u2800]*$/u

/** Whether a reader would see nothing. */
export const isBlank = (text: string): boolean => NOTHING.test(text)

/**
 * Control characters (escape sequences, line breaks), line separators, and what changes the direction of the text
 * around it. U+200C and U+200D are none of them: Persian needs these.
 */
const MISLEADING = /[\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]/u

/** Whether a name would break the line, or the order, of the text in which it stands. */
export const isMisleading = (text: string): boolean => MISLEADING.test(text)

const EDGE_MARK = /[\u200e\u200f\u061c]/

const isEdge = (character: string | undefined): boolean =>
  character !== undefined && (character.trim() === "" || EDGE_MARK.test(character))

/**
 * A name without marks of direction at its ends, nor the white space around those. A loop, as a pattern would take
 * quadratic time.
 */
export const trimmedName = (text: string): string => {
  let [start, end] = [0, text.length]
  while (start < end && isEdge(text[start])) start += 1
  while (end > start && isEdge(text[end - 1])) end -= 1
  return EDGE_MARK.test(text.slice(0, start) + text.slice(end)) ? text.slice(start, end) : text
}

/** A name as it was typed or pasted. */
export const TrimmedName = Schema.String.pipe(
  Schema.decode(SchemaTransformation.transform({ decode: trimmedName, encode: (text) => text }))
)

const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" }

const escaped = (character: string): string =>
  SHORT[character] ?? `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`

const ALL_MISLEADING = new RegExp(MISLEADING, "gu")

/**
 * A text of somebody else, in one line of a terminal or of a log: `\u001b` in place of the character.
 */
export const inOneLine = (text: string): string =>
  MISLEADING.test(text) ? text.replace(ALL_MISLEADING, escaped) : text

/** A text of somebody else for a page or JSON, where line breaks and tabs are white space. JSON keeps its meaning. */
export const shown = (text: string): string =>
  MISLEADING.test(text)
    ? text.replace(ALL_MISLEADING, (character) => (/\s/.test(character) ? character : escaped(character)))
    : text
