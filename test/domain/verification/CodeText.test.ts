import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { placeholders } from "../../../src/domain/message/Template.ts"
import {
  AppHash,
  Brand,
  type CodeText,
  DEFAULT_CODE_TEXT,
  defaultCodeText,
  isTooLongForApp,
  ownCodeText,
  readingHost,
  renderCodeText,
  spokenCodeText,
  textOver
} from "../../../src/domain/verification/CodeText.ts"
import type { Channel } from "../../../src/domain/routing/Channel.ts"
import { foldDigits } from "../../../src/domain/text/PastedText.ts"
import { HostName, SiteOrigin } from "../../../src/domain/text/HostName.ts"

const plain = { locale: "fa", brand: null, webOtpHost: null, appHash: null } as const

const rendered = (options: Partial<Parameters<typeof defaultCodeText>[0]>) =>
  renderCodeText(defaultCodeText({ ...plain, ...options }), "012345", 300)

/** As it goes over the channel. */
const over = (channel: Channel, text: CodeText) => renderCodeText(textOver(channel, text), "012345", 300)

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

  it.prop(
    "has the app's hash alone in the line before the last, and in SMS only",
    [
      Arbitrary.schema(AppHash),
      Arbitrary.schema(Schema.NullOr(HostName)),
      Arbitrary.schema(Schema.Literals(["fa", "en"])),
      Arbitrary.schema(Schema.NullOr(Brand))
    ],
    ([appHash, webOtpHost, locale, brand]) => {
      const body = rendered({ locale, brand })
      const last = webOtpHost === null ? [] : [`@${webOtpHost} #012345`]
      const text = defaultCodeText({ locale, brand, webOtpHost, appHash })
      assert.deepStrictEqual(over("sms", text).split("\n"), [...body.split("\n"), "", appHash, ...last])
      for (const channel of ["bale", "telegram"] as const)
        assert.strictEqual(over(channel, text), rendered({ locale, brand, webOtpHost }))
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
  it("has its lines on every channel", () => {
    const text = ownCodeText("Code {{code}}\nFA+9qCX9VSu\n@shop.ir #{{code}}")
    for (const channel of ["sms", "bale"] as const)
      assert.strictEqual(over(channel, text), "Code 012345\nFA+9qCX9VSu\n@shop.ir #012345")
  })

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

describe("the site that reads a code", () => {
  const sites = { webOtpHost: "old.ir", webOtpOrigins: ["https://a.ir", "https://b.ir"] }

  it("is the one that the request names, else the first", () => {
    assert.strictEqual(readingHost(sites, undefined), "a.ir")
    assert.strictEqual(readingHost(sites, "https://b.ir"), "b.ir")
    assert.strictEqual(readingHost({ ...sites, webOtpOrigins: [] }, undefined), "old.ir")
    assert.isNull(readingHost({ webOtpHost: null, webOtpOrigins: [] }, undefined))
  })

  it("is none that was not saved", () => {
    for (const origin of ["https://c.ir", "https://old.ir"]) assert.isUndefined(readingHost(sites, origin))
    assert.isUndefined(readingHost({ ...sites, webOtpOrigins: [] }, "https://old.ir"))
  })

  it.each([
    ["https://shop.example.ir", true],
    ["https://xn--mgba.ir", true],
    ["http://shop.example.ir", false],
    ["https://shop.example.ir/", false],
    ["https://shop.example.ir:8443", false],
    ["https://Shop.example.ir", false],
    ["https://localhost", false],
    ["https://a.ir\n@b.ir", false],
    ["https://u@a.ir", false],
    [`https://${"a.".repeat(126)}ir`, false]
  ])("is %j: %s", (origin, isAllowed) => {
    assert.strictEqual(Schema.is(SiteOrigin)(origin), isAllowed)
  })
})

describe("the hash of an app", () => {
  it.each(["FA+9qCX9VS", "FA+9qCX9VSuu", "FA-9qCX9VSu", "FA+9qCX9VS=", "FA+9qCX9VS\n", " FA+9qCX9VS", ""])(
    "is not %j",
    (text) => {
      assert.isFalse(Schema.is(AppHash)(text))
    }
  )

  const hash = "FA+9qCX9VSu"
  const sms = (bytes: number) => `${"x".repeat(bytes - hash.length - 1)}\n${hash}`

  it("is found in 140 bytes, and in no more", () => {
    assert.isFalse(isTooLongForApp(sms(140), hash))
    assert.isTrue(isTooLongForApp(sms(141), hash))
    const persian = `${"آ".repeat(64)}\n${hash}`
    assert.isFalse(isTooLongForApp(persian, hash))
    assert.isTrue(isTooLongForApp(`آ${persian}`, hash))
  })

  it("does not limit an SMS without it", () => {
    assert.isFalse(isTooLongForApp(sms(200), "other+hash0"))
    assert.isFalse(isTooLongForApp(sms(200), null))
  })

  it.each([
    ["fa", null, false],
    ["fa", "shop.example.ir", true],
    ["en", "shop.example.ir", false]
  ] as const)("fits the default text: %s with %s is too long: %s", (locale, webOtpHost, isTooLong) => {
    const text = over("sms", defaultCodeText({ locale, brand: null, webOtpHost, appHash: hash }))
    assert.strictEqual(isTooLongForApp(text, hash), isTooLong)
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
