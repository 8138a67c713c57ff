import { Schema, SchemaTransformation } from "effect"

/**
 * How answers of providers are read, for all adapters. The field that says yes or no may have another type than the
 * documents show; a field beside it never makes a response unreadable, and never changes what the response says.
 */

const WHOLE = /^[+-]?\d{1,15}$/

/** A whole number, or its text; null if it is neither. */
export const wholeOf = (value: unknown): number | null => {
  if (typeof value === "number") return Number.isSafeInteger(value) ? value : null
  const text = typeof value === "string" ? value.trim() : ""
  return WHOLE.test(text) ? Number(text) : null
}

/** A number, or its text; null if it is neither. */
export const finiteOf = (value: unknown): number | null => {
  if (typeof value !== "number" && (typeof value !== "string" || value.trim() === "")) return null
  const number = Number(value)
  return Number.isFinite(number) ? number : null
}

/** Printable, and no longer than any provider's id. */
const ID = /^[\x21-\x7e]{1,200}$/

/** An id as exact text; null if it is none. Ids too long for a number come as text from the reader of JSON. */
export const idOf = (value: unknown): string | null => {
  if (typeof value === "number") return Number.isSafeInteger(value) && value !== 0 ? String(value) : null
  const text = typeof value === "string" ? value.trim() : ""
  return ID.test(text) && text !== "0" ? text : null
}

/** The first of a list, or the value itself if it is no list. */
export const firstOf = (value: unknown): unknown => (Array.isArray(value) ? value[0] : value)

/** The field of an object; undefined without one. */
export const fieldOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? Object.getOwnPropertyDescriptor(value, name)?.value
    : undefined

/** Words for people; null if there are none. What is no text is shown as it came. */
export const wordsIn = (value: unknown): string | null => {
  if (value === null || value === undefined || value === "") return null
  return typeof value === "string" ? value : JSON.stringify(value)
}

const readBy = <A>(schema: Schema.Codec<A>, decode: (value: unknown) => A) =>
  Schema.Unknown.pipe(
    Schema.decodeTo(schema, SchemaTransformation.transform<A, unknown>({ decode, encode: (value) => value }))
  )

/** Fields beside the one that says yes or no: null if they cannot be read. */
export const maybeWhole = Schema.optionalKey(readBy(Schema.NullOr(Schema.Number), wholeOf))
export const maybeWords = Schema.optionalKey(readBy(Schema.NullOr(Schema.String), wordsIn))
export const maybeAnything = Schema.optionalKey(Schema.Unknown)

/** The field that says yes or no: a response without it cannot be read. */
export const Whole = Schema.Union([
  Schema.Int,
  Schema.String.check(Schema.isPattern(/^\s*[+-]?\d{1,15}\s*$/))
]).pipe(
  Schema.decodeTo(
    Schema.Int,
    SchemaTransformation.transform<number, number | string>({ decode: Number, encode: (value) => value })
  )
)

const YES = ["true", "1", "yes", "ok", "success"]
const NO = ["false", "0", "no", "error", "failed", "fail", "failure"]

const yesOrNoOf = (value: unknown): boolean | null => {
  if (typeof value === "boolean") return value
  if (typeof value !== "string" && typeof value !== "number") return null
  const word = String(value).trim().toLowerCase()
  if (YES.includes(word)) return true
  return NO.includes(word) ? false : null
}

/** Yes or no: as a boolean, as 1 or 0, or in words. */
export const YesOrNo = Schema.Unknown.check(
  Schema.makeFilter((value) => yesOrNoOf(value) !== null || "is neither yes nor no")
).pipe(
  Schema.decodeTo(
    Schema.Boolean,
    SchemaTransformation.transform<boolean, unknown>({
      decode: (value) => yesOrNoOf(value) === true,
      encode: (value) => value
    })
  )
)
