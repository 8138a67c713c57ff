import { describe, expect, it } from "@effect/vitest"
import { verdictOf } from "../../../src/domain/account/Pace.ts"
import { ProviderOutcome } from "../../../src/domain/account/ProviderOutcome.ts"

const MAX = 900_000

const restAfter = (retryAfterMillis: number | null) =>
  verdictOf(ProviderOutcome.Throttled({ retryAfterMillis, providerError: "429" }), MAX)

describe("a provider that says slow down", () => {
  it.each([
    [1, 1],
    [0.5, 1],
    [30_000, 30_000],
    [MAX, MAX]
  ])("and asks for %d ms has its account rest for %d ms", (asked, millis) => {
    expect(restAfter(asked)).toEqual({ _tag: "MustRest", millis })
  })

  it.each([MAX + 1, 86_400_000, 1e303, Number.MAX_VALUE, Number.POSITIVE_INFINITY])(
    "and asks for %d ms has its account rest for the longest time that is set",
    (asked) => {
      expect(restAfter(asked)).toEqual({ _tag: "MustRest", millis: MAX })
    }
  )

  it.each([null, Number.NaN, 0, -1, -1e300, Number.NEGATIVE_INFINITY])(
    "and asks for %d ms, which is no time, has its account rest as if it had not said how long",
    (asked) => {
      expect(restAfter(asked)).toEqual({ _tag: "MustRest", millis: null })
    }
  )
})
