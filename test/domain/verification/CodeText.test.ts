import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { placeholders } from "../../../src/domain/message/Template.ts"
import {
  Brand,
  DEFAULT_CODE_TEXT,
  defaultCodeText,
  ownCodeText,
  renderCodeText,
  spokenCodeText
} from "../../../src/domain/verification/CodeText.ts"
import { foldDigits } from "../../../src/domain/text/PastedText.ts"
import { HostName } from "../../../src/domain/text/HostName.ts"

const plain = { locale: "fa", brand: null, webOtpHost: null } as const

const rendered = (options: Partial<Parameters<typeof defaultCodeText>[0]>) =>
  renderCodeText(defaultCodeText({ ...plain, ...options }), "012345", 300)

describe("the default text of a code", () => {
  it("is Persian with Persian digits, and names nobody", () => {
    assert.strictEqual(rendered({}), "کد تأیید شما: ۰۱۲۳۴۵\nاین کد تا ۵ دقیقه معتبر است. آن را به کسی ندهید.")
  })

  it("says whose code it is", () => {
    assert.include(rendered({ brand: "دیجی‌کالا" }), "کد تأیید دیجی‌کالا: ۰۱۲۳۴۵")
    assert.include(rendered({ locale: "en", brand: "Digikala" }), "Your Digikala code: 012345")
  })

  it("is English with ASCII digits on request", () => {
    assert.strictEqual(
      rendered({ locale: "en" }),
      "Your code: 012345\nIt is valid for 5 minutes. Do not share it."
    )
  })

  it.prop(
    "ends with the line for WebOTP, whose code has ASCII digits, after what it says anyway",
    [Arbitrary.schema(HostName), Arbitrary.schema(Schema.Literals(["fa", "en"]))],
    ([webOtpHost, locale]) => {
      const text = rendered({ locale, webOtpHost, brand: "X" })
      assert.strictEqual(text, `${rendered({ locale, brand: "X" })}\n\n@${webOtpHost} #012345`)
    },
    { arbitrary: { runs: 100 } }
  )

  it("without options is not stored", () => {
    assert.deepStrictEqual(defaultCodeText(plain), { textBody: null, textLocale: null })
  })

  it("has no placeholder left", () => {
    assert.deepStrictEqual(placeholders(renderCodeText(ownCodeText(DEFAULT_CODE_TEXT), "1234", 300)), [])
  })
})

describe("a text of the customer's own", () => {
  it.each([
    [300, "5"],
    [359, "5"],
    [600, "10"]
  ])("has the digits of the code as they are, and whole minutes: %s seconds", (seconds, minutes) => {
    assert.strictEqual(
      renderCodeText(ownCodeText("{{code}} تا {{minutes}} دقیقه"), "012345", seconds),
      `012345 تا ${minutes} دقیقه`
    )
  })

  it("can be verified by its Persian digits too", () => {
    assert.strictEqual(foldDigits("۰۱۲۳۴۵"), "012345")
  })
})

describe("the text of a call", () => {
  it("is the code digit by digit, twice", () => {
    assert.strictEqual(spokenCodeText("470", "fa"), "کد شما: چهار، هفت، صفر. تکرار می‌کنم: چهار، هفت، صفر.")
    assert.strictEqual(
      spokenCodeText("470", "en"),
      "Your code: four, seven, zero. Once more: four, seven, zero."
    )
  })

  it("names each digit, and has no digit that could be read as a number", () => {
    for (const locale of ["fa", "en"] as const) {
      const text = spokenCodeText("0123456789", locale)
      assert.isFalse(/\d/.test(text))
      assert.strictEqual(new Set(text.match(/[\p{L}\u200c]+/gu)).size, 14)
    }
  })
})

describe("a brand", () => {
  const isBrand = Schema.is(Brand)

  it.each(["دیجی‌کالا", "Peyk", "A & B", "۱۲۳", "x".repeat(40)])("can be %j", (brand) => {
    assert.isTrue(isBrand(brand))
  })

  it.each(["", " Peyk", "a\nb", "{{code}}", "a\u0000b", "a\u2028b", "x".repeat(41), "\ud800"])(
    "cannot be %j",
    (brand) => {
      assert.isFalse(isBrand(brand))
    }
  )
})
