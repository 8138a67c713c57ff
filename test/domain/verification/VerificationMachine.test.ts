import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect } from "effect"
import type { ProviderOutcome } from "../../../src/domain/ProviderOutcome.ts"
import { type EventType, mayStillSend } from "../../../src/domain/verification/Verification.ts"
import { type Entry, failures, happenings, isOver, live, outcomes, route } from "./VerificationRuns.ts"
import { propertyRuns } from "../../support/PropertyRuns.ts"

const runs = { arbitrary: { runs: propertyRuns(1_000) } }

/** The outcome is known, and the code did not arrive. */
const isDefinite = ({ _tag }: ProviderOutcome): boolean =>
  _tag === "Rejected" || _tag === "Throttled" || _tag === "Unavailable"

/** The outcomes of all calls up to and with the entry at `index`. */
const outcomesUntil = (entries: ReadonlyArray<Entry>, index: number): ReadonlyArray<ProviderOutcome> =>
  entries.slice(0, index + 1).flatMap(({ call }) => (call === null ? [] : [call.outcome]))

describe("a verification", () => {
  it.prop(
    "keeps its status once that is terminal",
    [route, happenings],
    ([route, list]) => {
      for (const { before, after } of live(route, list)) {
        if (isOver(before)) assert.strictEqual(after.status, before.status)
      }
    },
    runs
  )

  it.prop(
    "tries each step at most once, and in order",
    [route, happenings],
    ([route, list]) => {
      for (const { before, after } of live(route, list)) {
        assert.deepStrictEqual(
          after.remaining,
          before.remaining.slice(before.remaining.length - after.remaining.length)
        )
        assert.strictEqual(after.remaining.length, route.length - after.attempts.length)
        assert.deepStrictEqual(
          after.attempts.map(({ step }) => step),
          [...after.attempts.keys()]
        )
        assert.deepStrictEqual(after.attempts.slice(0, before.attempts.length), before.attempts)
        assert.isAtMost(after.attempts.length, route.length)
      }
    },
    runs
  )

  for (const [what, list] of [
    ["any outcomes", happenings],
    ["failures alone", failures]
  ] as const) {
    it.prop(
      `becomes failed exactly when its last step was tried and each definitely failed, after ${what}`,
      [route, list],
      ([route, list]) => {
        const entries = live(route, list)
        for (const [index, { before, after }] of entries.entries()) {
          if (isOver(before)) continue
          const known = outcomesUntil(entries, index)
          // Past the end it has expired for readers, who do not see that it failed later.
          const isOverdue = entries
            .slice(0, index + 1)
            .some(({ call }) => (call?.finishedAt ?? 0) >= after.expiresAt)
          const expected = known.length === route.length && known.every(isDefinite) && !isOverdue
          assert.strictEqual(after.status === "failed", expected)
        }
      },
      runs
    )
  }

  it.prop(
    "is never failed after an unknown outcome",
    [route, happenings],
    ([route, list]) => {
      const entries = live(route, list)
      const last = entries.at(-1)?.after
      const isUnknown = outcomesUntil(entries, entries.length).includes(outcomes.Unknown)
      if (isUnknown) assert.notStrictEqual(last?.status, "failed")
    },
    runs
  )

  it.prop(
    "is pending exactly until its first attempt is recorded, and then queued until it ends",
    [route, happenings],
    ([route, list]) => {
      for (const { after } of live(route, list)) {
        if (!isOver(after))
          assert.strictEqual(after.status, after.attempts.length === 0 ? "pending" : "queued")
      }
    },
    runs
  )

  it.prop(
    "has a next step only while it is active, steps are left and its end is not reached, and only then a code to keep",
    [route, happenings],
    ([route, list]) => {
      for (const { after } of live(route, list)) {
        const hasNext = !isOver(after) && after.remaining.length > 0
        assert.isTrue(after.nextStepAt === null || (hasNext && after.nextStepAt < after.expiresAt))
        assert.strictEqual(mayStillSend(after), after.nextStepAt !== null)
      }
    },
    runs
  )

  it.prop(
    "has a new revision after each change, and nothing announced without one",
    [route, happenings],
    ([route, list]) => {
      for (const { before, after, transition } of live(route, list)) {
        assert.strictEqual(after.revision, before.revision + (after === before ? 0 : 1))
        if (after === before) assert.deepStrictEqual(transition?.events ?? [], [])
      }
    },
    runs
  )

  it.prop(
    "announces that it is queued, each attempt, and its end, in the order in which they happen",
    [route, happenings],
    ([route, list]) => {
      for (const { before, after, call, transition } of live(route, list)) {
        const expected: Array<EventType> = []
        if (before.status === "pending" && after.status === "queued") expected.push("verification.queued")
        if (call?.outcome._tag === "Accepted") expected.push("verification.attempt_sent")
        else if (call?.outcome._tag === "Unknown") expected.push("verification.attempt_unknown")
        else if (call !== null) expected.push("verification.attempt_failed")
        if (!isOver(before) && after.status === "failed") expected.push("verification.failed")
        if (!isOver(before) && after.status === "expired") expected.push("verification.expired")
        if (transition !== null) assert.deepStrictEqual(transition.events, expected)
      }
    },
    runs
  )

  it.effect("meets every end, and every decision, in the generated lives", () =>
    Effect.gen(function* () {
      const input = Arbitrary.all([route, happenings])
      const lives = yield* Arbitrary.sampleEffect(input, { count: 3_000, seed: 1 })
      const entries = lives.flatMap(([route, list]) => live(route, list))
      assert.deepStrictEqual([...new Set(entries.map(({ after }) => after.status))].sort(), [
        "expired",
        "failed",
        "locked",
        "pending",
        "queued",
        "verified"
      ])
      assert.deepStrictEqual(
        [...new Set(entries.flatMap(({ action }) => (action === null ? [] : [action._tag])))].sort(),
        ["AbandonStep", "Expire", "Nothing", "Sleep", "TryStep"]
      )
      assert.isAbove(entries.filter(({ before, call }) => call !== null && isOver(before)).length, 50)
    })
  )
})
