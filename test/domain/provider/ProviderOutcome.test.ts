import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import { attemptErrorCode, attemptResult, ProviderOutcome } from "../../../src/domain/ProviderOutcome.ts"
import { propertyRuns } from "../../support/PropertyRuns.ts"

/** Texts that a database refuses, and texts that a cut at a fixed length breaks. */
const nastyPiece = Schema.Union([
  Schema.Literals(["\u0000", "\ud83d", "\ude42", "🙂", "سلام", "a", "\u0000\u0000", "\\u0000"]),
  Schema.String
])
const words = Arbitrary.all([
  Arbitrary.schema(Schema.Literals([0, 1, 490, 495, 498, 499, 500, 501, 3_000])),
  Arbitrary.array(Arbitrary.schema(nastyPiece), { maxLength: 20 })
]).pipe(Arbitrary.map(([length, pieces]) => "x".repeat(length) + pieces.join("")))
const runs = { arbitrary: { runs: propertyRuns(1_000), size: 20 } }

const failure = (providerError: string) => ProviderOutcome.Unknown({ providerError })

const keptError = (providerError: string) => attemptResult(failure(providerError)).provider_error ?? ""

describe("the outcome of an attempt", () => {
  it.each([
    [ProviderOutcome.Accepted({ messageId: "m" }), null],
    [ProviderOutcome.Accepted({ messageId: null }), null],
    [ProviderOutcome.Rejected({ cause: "recipient", providerError: "" }), "recipient_unreachable"],
    [ProviderOutcome.Rejected({ cause: "request", providerError: "" }), "provider_rejected"],
    [ProviderOutcome.Rejected({ cause: "configuration", providerError: "" }), "provider_misconfigured"],
    [ProviderOutcome.Throttled({ retryAfterMillis: 1, providerError: "" }), "provider_rate_limited"],
    [ProviderOutcome.Unavailable({ providerError: "" }), "provider_unavailable"],
    [ProviderOutcome.Unknown({ providerError: "" }), "provider_outcome_unknown"]
  ])("that is %j has the code %j", (outcome, code) => {
    assert.strictEqual(attemptErrorCode(outcome), code)
    assert.strictEqual(attemptResult(outcome).error_code, code)
  })

  it("is kept as sent, with the provider's id, when it was accepted", () => {
    assert.deepStrictEqual(attemptResult(ProviderOutcome.Accepted({ messageId: "۱۲-ab" })), {
      status: "sent",
      error_code: null,
      provider_error: null,
      provider_message_id: "۱۲-ab"
    })
  })

  it("is kept without an id when the provider gave none", () => {
    assert.isNull(attemptResult(ProviderOutcome.Accepted({ messageId: null })).provider_message_id)
  })

  it("is kept as failed, with the provider's words, when it was not accepted", () => {
    assert.deepStrictEqual(attemptResult(failure("17 NotBaleUser")), {
      status: "failed",
      error_code: "provider_outcome_unknown",
      provider_error: "17 NotBaleUser",
      provider_message_id: null
    })
  })
})

describe("a provider's words", () => {
  it.prop(
    "are kept as a store can keep them: bounded, well-formed and without U+0000",
    [words],
    ([given]) => {
      const kept = keptError(given)
      assert.isAtMost(kept.length, 500)
      assert.isTrue(kept.isWellFormed())
      assert.notInclude(kept, "\u0000")
    },
    runs
  )

  it.prop(
    "are bounded, well-formed and without U+0000 in an id as well",
    [words],
    ([messageId]) => {
      const kept = attemptResult(ProviderOutcome.Accepted({ messageId })).provider_message_id ?? ""
      assert.strictEqual(kept, keptError(messageId))
    },
    runs
  )

  it.prop(
    "are kept to the last letter when they are short and a store takes them",
    [Schema.String],
    ([given]) => {
      const clean = given.replaceAll("\u0000", "").toWellFormed().slice(0, 250)
      if (clean.isWellFormed()) assert.strictEqual(keptError(clean), clean)
    },
    { arbitrary: { runs: propertyRuns(500) } }
  )

  it("are cut after 500 characters", () => {
    assert.strictEqual(keptError("x".repeat(100_000)), "x".repeat(500))
  })

  it("are cut after what is left without U+0000", () => {
    assert.strictEqual(keptError("\u0000".repeat(1000) + "y".repeat(501)), "y".repeat(500))
  })

  it("are well-formed when the cut goes through a surrogate pair", () => {
    assert.strictEqual(keptError(`${"x".repeat(499)}🙂`), `${"x".repeat(499)}\ufffd`)
  })

  it("lose no pair that ends at the cut", () => {
    assert.strictEqual(keptError(`${"x".repeat(498)}🙂z`), `${"x".repeat(498)}🙂`)
  })

  it("do not become a pair when a U+0000 stood between its halves", () => {
    assert.isTrue(keptError("\ud83d\u0000\ude42").isWellFormed())
  })
})
