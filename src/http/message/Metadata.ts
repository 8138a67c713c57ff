import { Result } from "effect"
import { LosslessNumber, parse, stringify } from "lossless-json"

export const MAX_METADATA_BYTES = 16_384
export const MAX_METADATA_DEPTH = 32

const isContainer = (value: unknown): value is object => typeof value === "object" && value !== null

/** Level by level, so that no depth can exhaust the stack. */
const isDeeperThan = (value: object, levels: number): boolean => {
  let level: ReadonlyArray<object> = [value]
  for (let depth = 0; depth < levels; depth++) {
    level = level.flatMap((container) => Object.values(container).filter(isContainer))
    if (level.length === 0) return false
  }
  return true
}

export const isShort = (text: string): boolean => new TextEncoder().encode(text).length <= MAX_METADATA_BYTES

/** Whether this is small enough to store with a message. */
export const isWithinBounds = (metadata: object): boolean =>
  !isDeeperThan(metadata, MAX_METADATA_DEPTH) && isShort(JSON.stringify(metadata))

/** A number that JavaScript would change stays text. */
const exactNumber = (text: string): number | LosslessNumber =>
  String(Number(text)) === text ? Number(text) : new LosslessNumber(text)

/** The customer's data as it came: its JSON text, and the value by which requests are compared. */
export interface Metadata {
  readonly text: string
  readonly value: unknown
}

const options = {
  parseNumber: exactNumber,
  onDuplicateKey: ({ newValue }: { readonly newValue: unknown }) => newValue
}

/**
 * The `metadata` of a body that JSON.parse has already `decoded`. It is parsed again because JSON.parse is inexact: it
 * rounds long numbers, and takes some keys with escapes for others (nodejs/node#63785). If the body is too deep for an
 * exact reading outside its metadata, the inexact value stays.
 */
export const readMetadata = (body: string, decoded: object): Metadata => {
  const exact = Result.try(() => Object(parse(body, null, options)).metadata)
  const value = Result.getOrElse(exact, () => decoded)
  return { text: stringify(value) ?? "{}", value }
}
