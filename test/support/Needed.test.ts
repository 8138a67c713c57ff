import { expect, it } from "vitest"
import { needed } from "./Needed.ts"

it.each(["true", "1"])("what tests need is an error where it is missing and CI is %s", (CI) => {
  expect(() => needed(false, "install a browser", { CI })).toThrow("install a browser")
  expect(needed(true, "install a browser", { CI })).toBe(true)
})

it.each([undefined, "", "false"])("tests are skipped without what they need where CI is %s", (CI) => {
  expect(needed(false, "install a browser", CI === undefined ? {} : { CI })).toBe(false)
})
