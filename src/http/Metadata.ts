import { Result } from "effect"
import { LosslessNumber, parse, stringify } from "lossless-json"
import { ValidationError } from "../domain/Errors.ts"
import { jsonObject } from "../domain/Fields.ts"
import { problem } from "../domain/Problem.ts"
import { refusedWith } from "../domain/SchemaProblems.ts"

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

/** Whether this is small enough to store. */
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
 * A body read without loss; undefined if that is impossible. JSON.parse is inexact: it rounds long numbers, and takes
 * some keys with escapes for others (nodejs/node#63785). A body that is too deep cannot be read exactly.
 */
export const readExactly = (body: string): unknown =>
  Result.getOrUndefined(Result.try(() => parse(body, null, options)))

const tooLong = (path: string): ValidationError =>
  new ValidationError({
    problems: [{ path, problem: problem("metadata_too_long", { bytes: MAX_METADATA_BYTES }) }]
  })

/**
 * The metadata of an object that was read exactly. `decoded` is what JSON.parse made of it, which stays if there is no
 * exact reading.
 */
export const metadataIn = (
  exact: unknown,
  decoded: object,
  path = "body.metadata"
): Result.Result<Metadata, ValidationError> => {
  const value = exact === undefined ? decoded : (Object(exact).metadata as unknown)
  const text = stringify(value) ?? "{}"
  return isShort(text) ? Result.succeed({ text, value }) : Result.fail(tooLong(path))
}

/** The `metadata` of a body that JSON.parse has already decoded; undefined without one. */
export const readMetadata = (
  body: string,
  decoded: object | null | undefined
): Result.Result<Metadata | undefined, ValidationError> =>
  decoded == null ? Result.succeed(undefined) : metadataIn(readExactly(body), decoded)

/** The fields of stored metadata for people: strings as they are, other values as their JSON text. */
export const metadataFields = (text: string): ReadonlyArray<readonly [name: string, value: string]> =>
  Object.entries(Object(readExactly(text) ?? JSON.parse(text))).map(([name, value]) => [
    name,
    typeof value === "string" ? value : (stringify(value) ?? "")
  ])

/** JSON text of an object with its metadata, if any, exactly as the request had it. */
export const withMetadata = (wire: object, metadata: string | null): string => {
  const json = JSON.stringify(wire)
  return metadata === null ? json : `${json.slice(0, -1)},"metadata":${metadata}}`
}

/** The `metadata` field of a body. */
export const MetadataField = jsonObject(
  (given) =>
    isWithinBounds(given) ||
    refusedWith(problem("metadata_too_large", { bytes: MAX_METADATA_BYTES, levels: MAX_METADATA_DEPTH }))
).annotate({ description: "Your own data, returned as sent." })
