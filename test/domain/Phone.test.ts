import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Result, Schema } from "effect"
import { parsePhoneNumber } from "libphonenumber-js/mobile"
import { ERASED_PHONE, maskPhone, parseContactPhone, parsePhone, Phone } from "../../src/domain/Phone.ts"
import { propertyRuns } from "../support/PropertyRuns.ts"

const accepted = (input: string): string => Result.getOrThrow(parsePhone(input))
const refusal = (input: string): string | undefined =>
  Result.match(parsePhone(input), { onFailure: ({ _tag }) => _tag, onSuccess: () => undefined })

const forms = {
  local: (ten: string) => `0${ten}`,
  "E.164": (ten: string) => `+98${ten}`,
  "international with 00": (ten: string) => `0098${ten}`,
  bare: (ten: string) => ten
}

const scripts = {
  ASCII: "0123456789",
  Persian: "۰۱۲۳۴۵۶۷۸۹",
  "Arabic-Indic": "٠١٢٣٤٥٦٧٨٩"
}

/** What is copied along from right-to-left text: marks, embeddings, overrides and isolates of direction, joiners. */
const invisible = [
  ..."\u061c\u200b\u200c\u200d\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2060\u2066\u2067\u2068\u2069\ufeff"
]
const dashes = [..."-\u2010\u2011\u2012\u2013\u2014\u2015\u2212\ufe63\uff0d"]
const spaces = [..." \t\n\u00a0\u1680\u2002\u2007\u2009\u202f\u205f\u3000"]
const separators = ["", "(", ")", " - ", ") (", "\u2069 \u2066", ...invisible, ...dashes, ...spaces]

const digit = Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 9 })))
const digits = (count: number) => Arbitrary.array(digit, { minLength: count, maxLength: count })
const form = Arbitrary.schema(Schema.Literals(["local", "E.164", "international with 00", "bare"])).pipe(
  Arbitrary.map((name) => forms[name])
)
/** Any national number of a mobile phone, but the one that stands for an erased phone. */
const ten = digits(9).pipe(
  Arbitrary.map((rest) => `9${rest.join("")}`),
  Arbitrary.map((number) => (number === ERASED_PHONE.slice(3) ? "9800000001" : number))
)

/** How each character of a number is written: the script of a digit, and what stands between it and the next. */
const writtenDigit = Schema.Struct({
  script: Schema.Literals(Object.values(scripts)),
  separator: Schema.Literals(separators)
})
const writing = Arbitrary.array(Arbitrary.schema(writtenDigit), { minLength: 14, maxLength: 14 })

const isDigit = (character: string | undefined): boolean => character !== undefined && /\d/.test(character)

const write = (number: string, how: ReadonlyArray<typeof writtenDigit.Type>): string =>
  Array.from(number, (character, index) => {
    const { script, separator } = how[index] ?? { script: scripts.ASCII, separator: "" }
    if (!isDigit(character)) return character
    const written = script.charAt(Number(character))
    return isDigit(number[index + 1]) ? written + separator : written
  }).join("")

describe("parsePhone", () => {
  it.each(Object.entries(forms))("takes the %s form", (_, form) => {
    assert.strictEqual(accepted(form("9121234567")), "+989121234567")
  })

  it.each(Object.entries(scripts))("takes %s digits in every form", (_, script) => {
    for (const form of Object.values(forms)) {
      const written = form("9351234567").replaceAll(/\d/g, (character) => script.charAt(Number(character)))
      assert.strictEqual(accepted(written), "+989351234567")
    }
  })

  it.each(["0912 123 4567", "0912-123-4567", "0(912)1234567", "+98 (912) 123-4567", "0098 912 123 45 67"])(
    "takes the separators of %s",
    (input) => {
      assert.strictEqual(accepted(input), "+989121234567")
    }
  )

  it.each([
    "\u2066+989121234567\u2069",
    "\u202a+98 912 123 4567\u202c",
    "\u200f۰۹۱۲−۱۲۳−۴۵۶۷",
    "\ufeff0912\u20111234567"
  ])("takes %j, as it is copied out of right-to-left text", (input) => {
    assert.strictEqual(accepted(input), "+989121234567")
    assert.strictEqual(Result.getOrThrow(parseContactPhone(input)), "+989121234567")
  })

  it.each([...invisible, ...dashes, ...spaces])("takes %j around and inside of every form", (character) => {
    for (const form of Object.values(forms)) {
      const number = form("9351234567")
      const written = `${character}${number.slice(0, 8)}${character}${number.slice(8)}${character}`
      assert.strictEqual(accepted(written), "+989351234567")
    }
  })

  it.each(["0998", "0941", "0997", "0995", "0999", "0940", "0980", "0989"])(
    "takes the range %s, whether or not a library has heard of it",
    (range) => {
      assert.strictEqual(accepted(`${range}1234567`), `+98${range.slice(1)}1234567`)
    }
  )

  it.prop(
    "takes what libphonenumber writes for a number, in each of its formats",
    [ten, Schema.Literals(["E.164", "NATIONAL", "INTERNATIONAL", "IDD"])],
    ([national, format]) => {
      const phone = parsePhoneNumber(`+98${national}`)
      assert.strictEqual(accepted(phone.format(format, { fromCountry: "DE" })), phone.number)
    },
    { arbitrary: { runs: 200 } }
  )

  it.prop(
    "gives one E.164 number for all forms, digit scripts and separators of a mobile number",
    [ten, form, writing],
    ([national, inForm, how]) => {
      assert.strictEqual(accepted(write(inForm(national), how)), `+98${national}`)
    },
    { arbitrary: { runs: propertyRuns(500) } }
  )

  it.prop(
    "gives a number that it takes again unchanged",
    [ten],
    ([national]) => {
      const phone = accepted(national)
      assert.strictEqual(accepted(phone), phone)
    },
    { arbitrary: { runs: 100 } }
  )

  it.each([
    ["nothing", ""],
    ["separators alone", "( ) -"],
    ["a digit too few", "0912123456"],
    ["a digit too many", "091212345678"],
    ["a landline number", "02188776655"],
    ["format characters alone", "\u2066\u2069"],
    ["an erased phone", "+989800000000"],
    ["an erased phone in another form", "\u2066۰۹۸۰ ۰۰۰ ۰۰۰۰\u2069"],
    ["another country's number", "+14155552671"],
    ["another country's number with the same ten digits", "+909121234567"],
    ["98 without + or 00", "989121234567"],
    ["98 and the local form", "+9809121234567"],
    ["three zeros", "00098 9121234567"],
    ["two plus signs", "++989121234567"],
    ["+ before 00", "+00989121234567"],
    ["a letter", "0912123456a"],
    ["a letter after a whole number", "09121234567a"],
    ["dots", "0912.123.4567"],
    ["a second number", "09121234567,09121234568"],
    ["Devanagari digits", "०९१२१२३४५६७"]
  ])("refuses %s", (_, input) => {
    assert.strictEqual(refusal(input), "invalid_phone")
  })

  it.prop(
    "refuses a number whose length is wrong in any form",
    [ten, form, Schema.Literals(["shorter", "longer"]), digit],
    ([national, inForm, change, extra]) => {
      const changed = change === "shorter" ? national.slice(0, -1) : `${national}${extra}`
      assert.strictEqual(refusal(inForm(changed)), "invalid_phone")
    },
    { arbitrary: { runs: 200 } }
  )
})

describe("an erased phone", () => {
  it("is a phone, and not one that anybody can ask for", () => {
    assert.isTrue(Schema.is(Phone)(ERASED_PHONE))
    for (const form of Object.values(forms)) {
      const written = form(ERASED_PHONE.slice(3))
      assert.strictEqual(refusal(written), "invalid_phone")
      assert.isTrue(Result.isFailure(parseContactPhone(written)))
    }
    assert.isTrue(Result.isFailure(parseContactPhone(ERASED_PHONE.slice(1))))
  })
})

describe("maskPhone", () => {
  it("shows the operator and the last four digits", () => {
    assert.strictEqual(maskPhone(Phone.make("+989121234567")), "+98912•••4567")
  })

  it.prop(
    "says nothing about the middle digits",
    [ten, digits(3)],
    ([national, middle]) => {
      const other = national.slice(0, 3) + middle.join("") + national.slice(6)
      const masked = maskPhone(Phone.make(`+98${national}`))
      assert.strictEqual(maskPhone(Phone.make(`+98${other}`)), masked)
      assert.strictEqual(masked, `+98${national.slice(0, 3)}•••${national.slice(6)}`)
    },
    { arbitrary: { runs: 200 } }
  )
})
