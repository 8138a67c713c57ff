import { expect, it } from "vitest"
import { makeLocale } from "../../../src/http/console/frame/Locale.ts"

it.each([
  ["en", 1500, "+1,500 IRR"],
  ["en", -1500, "−1,500 IRR"],
  ["en", 0, "0 IRR"],
  ["fa", 1500, "\u200e+۱٬۵۰۰ ریال"],
  ["fa", -1500, "\u200e−۱٬۵۰۰ ریال"],
  ["fa", 0, "۰ ریال"]
] as const)("an amount has its sign at the left of its digits: %s %d", (language, amount, text) => {
  expect(makeLocale(language, "Asia/Tehran").signedRials(amount)).toBe(text)
})
