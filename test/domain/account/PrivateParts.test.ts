import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { maskPhone, Phone } from "../../../src/domain/Phone.ts"
import { inWords, ProviderOutcome, withoutPrivateParts } from "../../../src/domain/ProviderOutcome.ts"
import { propertyRuns } from "../../support/PropertyRuns.ts"

const PHONE = Phone.make("+989121234567")
const parts = { phone: PHONE, text: "کد شما: 047113", code: "047113" }

const scrubbed = (words: string, changes: Partial<typeof parts> = {}) =>
  withoutPrivateParts(words, { ...parts, ...changes })

const forms = ["9121234567", "09121234567", "+989121234567", "989121234567", "00989121234567"]

describe("a provider's words", () => {
  it.each(forms)("show the phone masked, where they hold it as %s", (form) => {
    assert.strictEqual(scrubbed(`no user ${form}!`), "no user +98912•••4567!")
    assert.strictEqual(
      scrubbed(`{"to":"${form}","also":"${form}"}`),
      '{"to":"+98912•••4567","also":"+98912•••4567"}'
    )
  })

  it("show the phone masked and the code hidden in whatever digits, and however they are grouped", () => {
    for (const form of ["0912 123 4567", "+98 (912) 123-4567", "۰۹۱۲۱۲۳۴۵۶۷", "٠٩١٢ ١٢٣ ٤٥٦٧"]) {
      assert.strictEqual(scrubbed(`no user ${form}!`), "no user +98912•••4567!")
    }
    assert.strictEqual(scrubbed("code ۰۴۷۱۱۳, 047-113, 047 113"), "code •••, •••, •••")
  })

  it("do not repeat the text, nor the code without it", () => {
    assert.strictEqual(scrubbed("refused: کد شما: 047113."), "refused: •••.")
    assert.strictEqual(scrubbed("bad token 047113 047113"), "bad token ••• •••")
  })

  it("without any of it stay as they are", () => {
    for (const words of ["", "17 NotBaleUser", "phone +989351234567, code 471130"]) {
      assert.strictEqual(scrubbed(words), words)
    }
  })

  it("hide a text that means something in a pattern or a replacement as it is written", () => {
    for (const text of ["$&$1", "a.*b", "(?:)", "[x]+", "\\d{4}"]) {
      assert.strictEqual(scrubbed(`<${text}>`, { text }), "<•••>")
    }
    assert.strictEqual(scrubbed("axxb", { text: "a.*b" }), "axxb")
  })

  it("do not repeat the text in another form, nor a part of it", () => {
    const text = "سلام علی، کد ورود شما ۱۲۳۴۵ است.\nآن را به کسی نگویید."
    const given = (words: string) => scrubbed(words, { text, code: "" })
    for (const form of [
      text.replaceAll("\n", " "),
      text.replaceAll(/\s+/g, "  "),
      text.replaceAll("۱۲۳۴۵", "12345"),
      JSON.stringify(text).slice(1, -1),
      JSON.stringify(text)
        .slice(1, -1)
        .replaceAll(/[^ -~]/g, (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`),
      encodeURIComponent(text),
      text.slice(0, 30),
      text.slice(10)
    ]) {
      assert.match(given(`refused: <${form}>`), /^refused: <[•.\s\\n]{3,12}>$/u, form)
    }
    assert.strictEqual(given("the value 12345 of param 1"), "the value ••• of param 1")
    assert.strictEqual(given("کد ۱۲۳۴۵ پذیرفته نشد"), "کد ••• پذیرفته نشد")
  })

  it("keep what is too short to say anything, and is part of many words", () => {
    assert.strictEqual(scrubbed("ok, it is OK", { text: "ok", code: "" }), "ok, it is OK")
    assert.strictEqual(scrubbed("1234 and 123", { text: "123", code: "" }), "1234 and 123")
  })

  it("hide a message that holds the phone, and the phone next to it", () => {
    const text = "call 09121234567 now"
    assert.strictEqual(scrubbed(`${text} / 09121234567`, { text, code: "" }), "••• / +98912•••4567")
  })
})

const digitsOf = (length: number) =>
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 10 ** length - 1 }))).pipe(
    Arbitrary.map((number) => String(number).padStart(length, "0"))
  )
const phone = Arbitrary.map(digitsOf(9), (digits) => Phone.make(`+989${digits}`))
const code = Arbitrary.schema(Schema.Literals([4, 5, 6, 8])).pipe(
  Arbitrary.flatMap((length) => digitsOf(length))
)
const text = Arbitrary.schema(
  Schema.Union([
    Schema.Literals(["کد شما: ", "code ", "$& \\d+ (", "سلام دنیا", "🙂🙂🙂🙂"]),
    Schema.String.check(Schema.isMinLength(4))
  ])
)
const piece = Arbitrary.schema(
  Schema.Union([
    Schema.Literals(["bare", "zero", "plus", "country", "double zero", "text", "code", "text and code"]),
    Schema.Struct({ words: Schema.String })
  ])
)

describe("whatever words hold the phone, the text and the code", () => {
  it.prop(
    "come out without them",
    [phone, code, text, Arbitrary.array(piece, { maxLength: 10 })],
    ([phone, code, text, pieces]) => {
      const national = phone.slice(3)
      const whole = `${text}${code}`
      const written = {
        bare: national,
        zero: `0${national}`,
        plus: phone,
        country: `98${national}`,
        "double zero": `0098${national}`,
        text: whole,
        code,
        "text and code": `${whole} ${code}`
      }
      const words = pieces.map((each) => (typeof each === "string" ? written[each] : each.words)).join(" ")
      const result = withoutPrivateParts(words, { phone, text: whole, code })
      assert.notInclude(result, national)
      assert.notInclude(result, whole)
      // The visible part of the mask may happen to be the code.
      assert.notInclude(result.replaceAll(maskPhone(phone), "|"), code)
    },
    { arbitrary: { runs: propertyRuns(2_000), size: 12 } }
  )

  it.prop(
    "hold no text in a form that a program writes, whatever stands around it",
    [Arbitrary.schema(Schema.String.check(Schema.isMinLength(4))), Arbitrary.schema(Schema.String)],
    ([given, around]) => {
      const whole = `${given.toWellFormed()}“سلام”`
      const own = { phone: PHONE, text: whole, code: "90817263" }
      const json = JSON.stringify(whole).slice(1, -1)
      const ascii = json.replaceAll(
        /[^ -~]/g,
        (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`
      )
      for (const form of [whole, ascii, encodeURIComponent(whole)]) {
        assert.notInclude(withoutPrivateParts(form, own), form)
        assert.notInclude(withoutPrivateParts(`${around}<${form}>${around}`, own), form)
      }
    },
    { arbitrary: { runs: propertyRuns(1_000), size: 20 } }
  )

  it.prop(
    "come out as they went in where they hold none of it",
    [Arbitrary.schema(Schema.String)],
    ([words]) => {
      const own = { phone: PHONE, text: "a text nobody says", code: "90817263" }
      const isFree = !words.includes(own.text) && !words.includes(own.code) && !words.includes("9121234567")
      if (isFree) assert.strictEqual(withoutPrivateParts(words, own), words)
    }
  )
})

describe("an outcome in other words", () => {
  const shout = (words: string) => words.toUpperCase()

  it("has its provider's words changed, and nothing else", () => {
    const outcomes = [
      ProviderOutcome.Rejected({ cause: "recipient", providerError: "no", isContactLost: true }),
      ProviderOutcome.Throttled({ retryAfterMillis: 7, providerError: "no" }),
      ProviderOutcome.Unavailable({ providerError: "no" }),
      ProviderOutcome.Unknown({ providerError: "no" })
    ]
    for (const outcome of outcomes) {
      assert.deepEqual({ ...inWords(outcome, shout) }, { ...outcome, providerError: "NO" })
    }
  })

  it("is the same when it was accepted, with the provider's id untouched", () => {
    const accepted = ProviderOutcome.Accepted({ messageId: "m-1" })
    assert.strictEqual(inWords(accepted, shout), accepted)
  })
})
