import { expect, it } from "vitest"
import { DAY_MILLIS } from "../../../src/domain/Instant.ts"
import { isBeingSetUp, type SetUpProgress } from "../../../src/services/customer/SetUpProgress.ts"

const NOW = 1_800_000_000_000
const done: SetUpProgress = {
  hasChannel: true,
  hasOrder: true,
  keyMode: "live",
  firstSendAt: NOW - 30 * DAY_MILLIS,
  hasWebhook: true
}

it.each([
  [{ hasChannel: false }, true],
  [{ hasOrder: false }, true],
  [{ keyMode: null }, true],
  [{ firstSendAt: null }, true],
  [{}, false]
] as const)("a customer with %o is being set up: %s", (missing, expected) => {
  expect(isBeingSetUp({ ...done, ...missing }, NOW)).toBe(expected)
})

it("reminds of the webhook for a week after the first send", () => {
  const since = (days: number) => ({ ...done, hasWebhook: false, firstSendAt: NOW - days * DAY_MILLIS })
  expect(isBeingSetUp(since(6.9), NOW)).toBe(true)
  expect(isBeingSetUp(since(7), NOW)).toBe(false)
})
