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
