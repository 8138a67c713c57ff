import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect } from "effect"
import { attemptErrorCode, type ProviderOutcome } from "../../../src/domain/ProviderOutcome.ts"
import { recordAttempt } from "../../../src/domain/verification/Step.ts"
import { nextDueAt } from "../../../src/domain/verification/Verification.ts"
import { type Entry, happenings as allHappenings, isOver, live, outcomes, START } from "./VerificationRuns.ts"
import { afterUnknown, callAt, errorCodes, mixedRoute, only, repeats } from "./RepeatedRuns.ts"
import { propertyRuns } from "../../support/PropertyRuns.ts"

const runs = { arbitrary: { runs: propertyRuns(1_000) } }

/** A first call that is reported again would pass for its repeat, of which the generated histories say nothing. */
const happenings = Arbitrary.map(allHappenings, (list) => list.filter(({ kind }) => kind !== "repeated"))

/** The calls over each step that were taken notice of, in order. */
const callsByStep = (entries: ReadonlyArray<Entry>) =>
  Map.groupBy(
    entries.flatMap((entry) =>
      entry.call !== null && entry.after !== entry.before ? [{ ...entry, call: entry.call }] : []
    ),
    ({ call }) => call.step
  )

describe("a verification with steps that may be repeated", () => {
  it.prop(
    "calls over a step at most twice, and the second time only after an unknown outcome to one that de-duplicates",
    [mixedRoute, happenings],
    ([route, list]) => {
      for (const [step, calls] of callsByStep(live(route, list))) {
        assert.isAtMost(calls.length, 2)
        if (calls.length === 2) {
          assert.strictEqual(calls[0]?.call.outcome._tag, "Unknown")
          assert.isTrue(route[step]?.deduplicates)
        }
      }
    },
    runs
  )

  it.prop(
    "repeats a step exactly when its first outcome was unknown, its provider de-duplicates and it is not over",
    [mixedRoute, happenings],
    ([route, list]) => {
      for (const [step, calls] of callsByStep(live(route, list))) {
        const [first] = calls
        if (first === undefined) continue
        const { before, after, call, transition } = first
        const isOfUse = !isOver(before) && call.finishedAt < before.expiresAt
        const isRepeated = call.outcome._tag === "Unknown" && route[step]?.deduplicates === true && isOfUse
        assert.strictEqual(after.repeating, isRepeated)
        assert.strictEqual(after.attempts.length, before.attempts.length + 1)
        if (!isRepeated) continue
        assert.deepStrictEqual(after.remaining, before.remaining)
        assert.strictEqual(after.attempts.at(-1)?.error_code, "provider_outcome_unknown")
        assert.strictEqual(transition?.events.at(-1), "verification.attempt_unknown")
        assert.strictEqual(after.status, "queued")
        assert.strictEqual(nextDueAt(after), call.finishedAt)
      }
    },
    runs
  )

  it.prop(
    "records each step once, with the outcome of its last call",
    [mixedRoute, happenings],
    ([route, list]) => {
      const entries = live(route, list)
      const last = entries.at(-1)?.after
      assert.strictEqual(new Set(last?.attempts.map(({ step }) => step)).size, last?.attempts.length ?? 0)
      const calls = callsByStep(entries)
      for (const { step, error_code } of last?.attempts ?? []) {
        const [first, second] = calls.get(step) ?? []
        const settled = second?.call.outcome ?? first?.call.outcome ?? outcomes.Unknown
        const isDefinite = settled._tag === "Accepted" || settled._tag === "Rejected"
        const expected =
          second === undefined || isDefinite ? attemptErrorCode(settled) : "provider_outcome_unknown"
        assert.strictEqual(error_code, expected)
      }
    },
    runs
  )

  it.prop(
    "keeps a terminal status, and is failed only when each step's end is known and definite",
    [mixedRoute, happenings],
    ([route, list]) => {
      for (const { before, after } of live(route, list)) {
        if (isOver(before)) assert.strictEqual(after.status, before.status)
        if (after.status !== "failed") continue
        assert.lengthOf(after.attempts, route.length)
        for (const { status, error_code } of after.attempts) {
          assert.strictEqual(status, "failed")
          assert.notStrictEqual(error_code, "provider_outcome_unknown")
        }
      }
    },
    runs
  )

  it.prop(
    "repeats only a step that remains, the first one, at a provider that de-duplicates",
    [mixedRoute, happenings],
    ([route, list]) => {
      for (const { after } of live(route, list)) {
        const [first] = after.remaining
        if (first === undefined) assert.isFalse(after.repeating)
        else if (after.repeating) {
          assert.isTrue(route[first]?.deduplicates)
          assert.deepStrictEqual(errorCodes(after).at(-1), [first, "provider_outcome_unknown"])
        }
      }
    },
    runs
  )

  it.prop(
    "raises its revision exactly once by each change",
    [mixedRoute, happenings],
    ([route, list]) => {
      for (const { before, after } of live(route, list)) {
        assert.strictEqual(after.revision, before.revision + (after === before ? 0 : 1))
      }
    },
    runs
  )

  it.effect(
    "meets repeats, and what ends a verification before and during them, in the generated lives",
    () =>
      Effect.gen(function* () {
        const lives = yield* Arbitrary.sampleEffect(Arbitrary.all([mixedRoute, happenings]), {
          count: 4_000,
          seed: 1
        })
        const entries = lives.flatMap(([route, list]) => live(route, list))
        const repeated = entries.filter(({ before, call }) => before.repeating && call !== null)
        assert.isAbove(repeated.length, 200)
        assert.isAbove(repeated.filter(({ before }) => isOver(before)).length, 5)
        assert.isAbove(repeated.filter(({ wasAbandoned }) => wasAbandoned).length, 20)
      })
  )
})

describe("the answer to the first call, when it comes while the call is repeated", () => {
  const first = (outcome: ProviderOutcome) => ({
    ...callAt(0, outcome, START, START + 9000),
    isRepeat: false
  })

  it.each(repeats.filter(([, outcome]) => outcome._tag !== "Accepted"))(
    "changes nothing when it was %s: the repeat may have been accepted",
    (_, outcome) => {
      const repeating = afterUnknown(only)
      assert.strictEqual(recordAttempt(repeating, first(outcome)).next, repeating)
    }
  )

  it("settles the step when it was accepted", () => {
    const accepted = recordAttempt(afterUnknown(only), first(outcomes.Accepted)).next
    assert.deepStrictEqual(
      accepted.attempts.map(({ status }) => status),
      ["sent"]
    )
    assert.deepStrictEqual(accepted.remaining, [])
  })
})
