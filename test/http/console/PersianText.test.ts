import { createHash } from "node:crypto"
import { readFileSync } from "node:fs"
import { describe, expect, it } from "vitest"
import { makeLocale } from "../../../src/http/console/frame/Locale.ts"
import { directionOf, listed, overChannel } from "../../../src/http/console/parts/Text.ts"

const asset = (name: string): Uint8Array =>
  readFileSync(new URL(`../../../src/http/console/assets/${name}`, import.meta.url))

describe("Persian text", () => {
  it("has the font of the npm package vazirmatn 33.0.3, as it is there, in at most 50 KB", () => {
    const font = asset("vazirmatn-33.0.3.woff2")
    expect(createHash("sha256").update(font).digest("hex")).toBe(
      "cdef5578ea583313cbea060a14aa107955a99717a861971b860cb564dfe1bbf5"
    )
    expect(font.length).toBeLessThanOrEqual(50_000)
  })

  it.each([
    ["{{name}} سلام", "rtl"],
    ["{{code}}: your code", "ltr"],
    ["۱۲۳ کد", "rtl"],
    ["کد laleh", "rtl"],
    ["{{code}}", "auto"]
  ])("%s is written %s, whatever its parameters are called", (text, direction) => {
    expect(directionOf(text)).toBe(direction)
  })
})

it.each([
  ["en", "bale", "Bale"],
  ["en", "voice", "a voice call"],
  ["fa", "voice", "تماس صوتی"]
] as const)(
  "a code is sent over a channel with its name, or over a call: %s %s",
  (language, channel, text) => {
    expect(overChannel(channel, makeLocale(language, "Asia/Tehran"))).toBe(text)
  }
)

it.each([
  ["en", ["Bale"], "Bale"],
  ["en", ["Bale", "SMS"], "Bale and SMS"],
  ["en", ["Bale", "Eitaa", "SMS"], "Bale, Eitaa and SMS"],
  ["fa", ["بله", "ایتا", "پیامک"], "بله، ایتا و پیامک"]
] as const)("names in a sentence are listed as people write them: %s %j", (language, names, text) => {
  expect(listed(names, makeLocale(language, "Asia/Tehran"))).toBe(text)
})
