import { describe, expect, it } from "@effect/vitest"
import { verdictOf } from "../../../src/domain/account/Cooldown.ts"
import { ProviderOutcome } from "../../../src/domain/ProviderOutcome.ts"

const MAX = 900_000

const cooldownAfter = (retryAfterMillis: number | null) =>
  verdictOf(ProviderOutcome.Throttled({ retryAfterMillis, providerError: "429" }), MAX)

describe("a provider that says slow down", () => {
  it.each([
    [1, 1],
    [0.5, 1],
    [30_000, 30_000],
    [MAX, MAX]
  ])("and asks for %d ms gives its account a cooldown of %d ms", (asked, millis) => {
    expect(cooldownAfter(asked)).toEqual({ _tag: "CoolDown", millis })
  })

  it.each([MAX + 1, 86_400_000, 1e303, Number.MAX_VALUE, Number.POSITIVE_INFINITY])(
    "and asks for %d ms gives its account the longest cooldown that is set",
    (asked) => {
      expect(cooldownAfter(asked)).toEqual({ _tag: "CoolDown", millis: MAX })
    }
  )

  it.each([null, Number.NaN, 0, -1, -1e300, Number.NEGATIVE_INFINITY])(
    "and asks for %d ms, which is no time, gives its account a cooldown of the usual length",
    (asked) => {
      expect(cooldownAfter(asked)).toEqual({ _tag: "CoolDown", millis: null })
    }
  )
})
