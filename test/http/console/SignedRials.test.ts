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

it.each([
  ["en", "−1,500 IRR"],
  ["fa", "\u200e−۱٬۵۰۰ ریال"]
] as const)("a balance below zero has the same sign: %s", (language, text) => {
  expect(makeLocale(language, "Asia/Tehran").rials(-1500)).toBe(text)
})

it("a percent sign in Persian is at the left of its digits, with and without a letter before them", () => {
  expect(makeLocale("fa", "Asia/Tehran").percent(0.397)).toBe("\u061c۳۹٫۷٪")
})
