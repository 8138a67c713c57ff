import { Schema } from "effect"
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
