import { assert, describe, it } from "@effect/vitest"
import { Schema } from "effect"
import { canonicalNumber } from "../../../src/domain/text/Fingerprints.ts"
import { propertyRuns } from "../../support/PropertyRuns.ts"

/** A number as digits × 10^exponent, so that BigInt can compare two of them. */
interface Decimal {
  readonly digits: bigint
  readonly exponent: number
}

const decimal = Schema.Struct({
  digits: Schema.BigInt.check(Schema.isBetweenBigInt({ minimum: -(10n ** 45n), maximum: 10n ** 45n })),
  exponent: Schema.Int.check(Schema.isBetween({ minimum: -60, maximum: 60 }))
})
const zeros = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 30 }))

const plain = ({ digits, exponent }: Decimal): string => `${digits}e${exponent}`

const withMoreZeros = ({ digits, exponent }: Decimal, count: number): string =>
  `${digits}${"0".repeat(count)}E${exponent - count < 0 ? "" : "+"}${exponent - count}`

const withFraction = ({ digits, exponent }: Decimal, count: number): string => {
  const sign = digits < 0n ? "-" : ""
  const all = String(digits < 0n ? -digits : digits).padStart(count + 2, "0")
  const split = all.length - count - 1
  const whole = all.slice(0, split).replace(/^0+(?=\d)/, "")
  return `${sign}${whole}.${all.slice(split)}e${exponent + count + 1}`
}

const isEqual = (a: Decimal, b: Decimal): boolean => {
  const common = Math.min(a.exponent, b.exponent)
  const scaled = ({ digits, exponent }: Decimal) => digits * 10n ** BigInt(exponent - common)
  return scaled(a) === scaled(b)
}

const runs = { arbitrary: { runs: propertyRuns(1_000), size: 50 } }

describe("canonicalNumber", () => {
  it.prop(
    "does not depend on zeros, on the place of the point, or on the exponent",
    [decimal, zeros],
    ([number, count]) => {
      const text = canonicalNumber(plain(number))
      assert.strictEqual(canonicalNumber(withMoreZeros(number, count)), text)
      assert.strictEqual(canonicalNumber(withFraction(number, count)), text)
    },
    runs
  )

  it.prop(
    "differs for different values",
    [decimal, decimal],
    ([one, other]) => {
      assert.strictEqual(canonicalNumber(plain(one)) === canonicalNumber(plain(other)), isEqual(one, other))
    },
    runs
  )

  it.prop(
    "differs for neighbours, however long they are",
    [decimal],
    ([number]) => {
      const next = { ...number, digits: number.digits + 1n }
      assert.notStrictEqual(canonicalNumber(plain(number)), canonicalNumber(plain(next)))
    },
    runs
  )

  it.prop(
    "is JavaScript's text of a number that JavaScript writes",
    [Schema.Finite],
    ([number]) => {
      assert.strictEqual(canonicalNumber(String(number)), String(number))
    },
    runs
  )

  it.prop(
    "stays the same if it is made again",
    [decimal],
    ([number]) => {
      const text = canonicalNumber(plain(number))
      assert.strictEqual(canonicalNumber(text), text)
    },
    runs
  )

  it.each([
    ["2.0", "2"],
    ["20e-1", "2"],
    ["1E2", "100"],
    ["-0", "0"],
    ["-0.0e9", "0"],
    ["0.10", "0.1"],
    ["1E+21", "1e+21"],
    ["1e-07", "1e-7"],
    ["12345678901234567890", "12345678901234567890"],
    ["12345678901234567891.00", "12345678901234567891"],
    ["0.1000000000000000000001", "0.1000000000000000000001"],
    ["1e400", "1e400"],
    ["-1e-400", "-1e-400"],
    ["1e99999999999999999999", "1e99999999999999999999"]
  ])("of %s is %s", (number, text) => {
    assert.strictEqual(canonicalNumber(number), text)
  })
})
