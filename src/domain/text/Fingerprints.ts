import { Predicate, Result } from "effect"
import { LosslessNumber, parse } from "lossless-json"

/** ± digits × 10^exponent, without zeros at either end of the digits; zero has none. */
interface Decimal {
  readonly sign: string
  readonly digits: string
  /** A bigint: a request can write an exponent of thousands of digits. */
  readonly exponent: bigint
}

/** Sign, whole digits, digits of the fraction, exponent. */
const NUMBER = /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/

/** A loop, because `/0+$/` takes quadratic time on many zeros. */
const withoutTrailingZeros = (digits: string): string => {
  let end = digits.length
  while (digits[end - 1] === "0") end -= 1
  return digits.slice(0, end)
}

const parseDecimal = (text: string): Decimal | undefined => {
  const [, sign = "", whole, fraction = "", exponent = "0"] = NUMBER.exec(text) ?? []
  if (whole === undefined) return undefined
  const all = `${whole}${fraction}`
  const significant = withoutTrailingZeros(all)
  return {
    sign,
    digits: significant.replace(/^0+/, ""),
    exponent: BigInt(exponent) + BigInt(whole.length - significant.length)
  }
}

/** Longer numbers have an exponent. A whole number of 128 bits has 39 digits. */
const MAX_PLACES = 40n

const writeDecimal = ({ sign, digits, exponent }: Decimal): string => {
  if (digits === "") return "0"
  const point = BigInt(digits.length) + exponent
  if (point > MAX_PLACES || point < -MAX_PLACES) return `${sign}${digits}e${exponent}`
  const places = Number(point)
  if (exponent >= 0n) return `${sign}${digits.padEnd(places, "0")}`
  return places > 0
    ? `${sign}${digits.slice(0, places)}.${digits.slice(places)}`
    : `${sign}0.${"0".repeat(-places)}${digits}`
}

/** One text for each value, with all its digits. */
const exactText = (text: string): string | undefined => {
  const decimal = parseDecimal(text)
  return decimal && writeDecimal(decimal)
}

/**
 * One text for each value of a JSON number: `2` for `2.0` and `20e-1`. JavaScript's own text, unless that has another
 * value.
 */
export const canonicalNumber = (text: string): string => {
  const rounded = String(Number(text))
  const exact = exactText(text) ?? text
  return exactText(rounded) === exact ? rounded : exact
}

/** An object or array that is being written. */
interface Open {
  readonly value: Readonly<Record<string, unknown>> | ReadonlyArray<unknown>
  /** Of an object, in their order; null: an array. */
  readonly keys: ReadonlyArray<string> | null
  readonly size: number
  /** How many of its parts are written. */
  written: number
}

const openArray = (value: ReadonlyArray<unknown>): Open => ({
  value,
  keys: null,
  size: value.length,
  written: 0
})

const openObject = (given: object): Open => {
  const value = given as Readonly<Record<string, unknown>>
  const keys = Object.keys(value)
    .filter((key) => value[key] !== undefined)
    .sort()
  return { value, keys, size: keys.length, written: 0 }
}

const partOf = ({ value, keys }: Open, index: number): unknown =>
  (value as Readonly<Record<string | number, unknown>>)[keys?.[index] ?? index]

/** A number that JavaScript cannot hold has the form that stored fingerprints were made of. */
const numberText = ({ value }: LosslessNumber): string => {
  const text = canonicalNumber(value)
  return String(Number(text)) === text ? text : `{"isLosslessNumber":true,"value":"${text}"}`
}

/**
 * JSON with sorted keys and without absent fields: equal values have equal texts. Without recursion, as a request may
 * be nested so deeply that it would exhaust the stack.
 */
export const canonicalJson = (root: unknown): string => {
  let text = ""
  const opened: Array<Open> = []
  const write = (value: unknown) => {
    if (Array.isArray(value)) {
      text += "["
      opened.push(openArray(value))
    } else if (value instanceof LosslessNumber) {
      text += numberText(value)
    } else if (Predicate.isObject(value)) {
      text += "{"
      opened.push(openObject(value))
    } else text += JSON.stringify(value ?? null)
  }
  write(root)
  for (let inner = opened.at(-1); inner !== undefined; inner = opened.at(-1)) {
    const { keys, size, written } = inner
    if (written === size) {
      text += keys === null ? "]" : "}"
      opened.pop()
      continue
    }
    inner.written += 1
    if (written > 0) text += ","
    if (keys !== null) text += `${JSON.stringify(keys[written])}:`
    write(partOf(inner, written))
  }
  return text
}

const exactNumber = (text: string): number | string =>
  /^-?\d+$/.test(text) && !Number.isSafeInteger(Number(text)) ? text : Number(text)

/** As Node's parser does. */
const last = ({ newValue }: { readonly newValue: unknown }) => newValue

/** Text without a long number, as nearly all is, means the same to Node's parser, which takes a tenth of the time. */
const LONG_NUMBER = /\d{16}/
/** Longer text may be nested deeper than the reader can follow. */
const MAX_PLAIN_LENGTH = 4096

/** Reads JSON whose ids can exceed what a number holds exactly: such integers become strings. */
export const readExactJson = (text: string): Result.Result<unknown, unknown> =>
  Result.try((): unknown =>
    text.length > MAX_PLAIN_LENGTH || LONG_NUMBER.test(text)
      ? parse(text, null, { parseNumber: exactNumber, onDuplicateKey: last })
      : JSON.parse(text)
  )

const OFFSET = 0x81_1c_9d_c5
const PRIME = 0x01_00_01_93

/** FNV-1a, 32 bits, signed. Not for secrets. A hash as `from` makes one of both texts. */
export const fnv1a = (text: string, from = OFFSET): number => {
  let hash = from
  for (let index = 0; index < text.length; index += 1) hash = Math.imul(hash ^ text.charCodeAt(index), PRIME)
  return hash
}
