import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Effect } from "effect"
import { type ProviderOutcome, attemptErrorCode } from "../../../src/domain/account/ProviderOutcome.ts"
import {
  type EventType,
  sendAnswer,
  type Verification,
  viewVerification
} from "../../../src/domain/verification/Verification.ts"
import { recordAttempt } from "../../../src/domain/verification/StepCalls.ts"
import { awaitSlot, skipRemaining } from "../../../src/domain/verification/StepChoice.ts"
import { decide, mayStillSend, nextDueAt } from "../../../src/domain/verification/VerificationMachine.ts"
import { deduplicating, mixedRoute, repeats } from "./RepeatedRuns.ts"
import {
  created,
  type Entry,
  happenings as allHappenings,
  isOver,
  live,
  outcomes,
  routeOf,
  START
} from "./VerificationRuns.ts"

const runs = { arbitrary: { runs: 1_000 } }

/** A first call that is reported again would pass for its repeat, of which the generated histories say nothing. */
const happenings = Arbitrary.map(allHappenings, (list) => list.filter(({ kind }) => kind !== "repeated"))

const callAt = (
  step: number,
  outcome: ProviderOutcome,
  attemptedAt: number,
  finishedAt = attemptedAt + 35
) => ({
  step,
  outcome,
  attemptedAt,
  finishedAt
})

/** Three channels, of which the first de-duplicates. */
const fresh = created(deduplicating(routeOf([60, 60, 60]), [0]))
const only = created(deduplicating(routeOf([60]), [0]))

const afterUnknown = (verification: Verification): Verification =>
  recordAttempt(verification, callAt(0, outcomes.Unknown, START)).next

const ended = (verification: Verification, status: "verified" | "locked" | "expired"): Verification => ({
  ...verification,
  status,
  revision: verification.revision + 1,
  nextStepAt: null
})

const errorCodes = ({ attempts }: Verification) => attempts.map(({ step, error_code }) => [step, error_code])

/** The unknown outcome has its event already: the repeat adds one only if it settles the outcome. */
const eventsOfRepeat = (errorCode: string | null): ReadonlyArray<EventType> => {
  if (errorCode === null) return ["verification.attempt_sent"]
  return errorCode === "provider_outcome_unknown" ? [] : ["verification.attempt_failed"]
}

describe("a step whose outcome is unknown, to a provider that de-duplicates", () => {
  it("counts as failed at once, is to be repeated before all others, and nothing else changes", () => {
    const transition = recordAttempt(fresh, callAt(0, outcomes.Unknown, START, START + 35))
    const attempt = {
      step: 0,
      status: "failed",
      error_code: "provider_outcome_unknown",
      provider_error: "no answer",
      provider_message_id: null,
      attempted_at: START
    } as const
    assert.deepStrictEqual(transition, {
      next: {
        ...fresh,
        status: "queued",
        revision: 1,
        attempts: [attempt],
        nextStepAt: START + 35,
        repeating: true,
        answeredStatus: "queued",
        answeredStep: 0
      },
      events: ["verification.queued", "verification.attempt_unknown"],
      dueAt: START + 35
    })
    assert.deepStrictEqual(decide(transition.next, START + 35, false), {
      _tag: "TryStep",
      steps: [0],
      hasSlot: false
    })
  })

  it("comes first again where it was not the next of those that remained", () => {
    const later = created(deduplicating(routeOf([60, 60, 60]), [1]))
    const { next } = recordAttempt(later, callAt(1, outcomes.Unknown, START))
    assert.deepStrictEqual(next.remaining, [1, 0, 2])
    assert.deepStrictEqual(decide(next, START + 35, false), { _tag: "TryStep", steps: [1], hasSlot: false })
  })

  it("leaves the verification queued, without a next channel to count down to, and the code kept", () => {
    const next = afterUnknown(fresh)
    assert.strictEqual(next.status, "queued")
    assert.strictEqual(sendAnswer(next).status, "queued")
    assert.isTrue(mayStillSend(next))
    const { remainingSeconds, currentChannelStatus } = viewVerification(next, START + 35)
    assert.deepStrictEqual([remainingSeconds, currentChannelStatus], [null, "failed"])
    const waiting = awaitSlot(next, { step: 0, skipped: [], at: START + 9_000 }).next
    assert.isNull(viewVerification(waiting, START + 35).remainingSeconds)
  })

  it("leaves the only channel's verification active, with the code kept, until the repeat is done", () => {
    const next = afterUnknown(only)
    assert.isTrue(mayStillSend(next))
    const done = recordAttempt(next, callAt(0, outcomes.Unknown, START + 35)).next
    assert.isFalse(mayStillSend(done))
    assert.isFalse(done.repeating)
  })

  it.each(repeats)("is recorded once, by the repeat, when that is %s", (_, outcome, errorCode) => {
    const { next, events } = recordAttempt(afterUnknown(fresh), callAt(0, outcome, START + 35, START + 70))
    assert.deepStrictEqual(errorCodes(next), [[0, errorCode]])
    assert.deepStrictEqual(next.remaining, [1, 2])
    assert.isFalse(next.repeating)
    assert.strictEqual(next.status, "queued")
    assert.deepStrictEqual(events, eventsOfRepeat(errorCode))
    assert.strictEqual(next.attempts[0]?.attempted_at, START + 35)
    assert.strictEqual(next.nextStepAt, errorCode === null ? START + 35 + 60_000 : START + 70)
  })

  it.each(repeats)(
    "over the only channel fails the verification only if the repeat is %s and that is definite",
    (_, outcome, errorCode) => {
      const { next, events } = recordAttempt(afterUnknown(only), callAt(0, outcome, START + 35))
      const isDefinite = errorCode === "recipient_unreachable" || errorCode === "provider_rejected"
      assert.strictEqual(next.status, isDefinite ? "failed" : "queued")
      assert.strictEqual(events.includes("verification.failed"), isDefinite)
      assert.strictEqual(events.includes("verification.attempt_failed"), isDefinite)
      assert.notInclude(events, "verification.attempt_unknown")
    }
  )

  it("keeps the verification from failing when the repeat was not taken and every later channel failed", () => {
    const throttled = recordAttempt(afterUnknown(fresh), callAt(0, outcomes.Throttled, START + 35)).next
    const second = recordAttempt(throttled, callAt(1, outcomes.Rejected, START + 70)).next
    const third = recordAttempt(second, callAt(2, outcomes.Rejected, START + 105)).next
    assert.strictEqual(third.status, "queued")
    assert.lengthOf(third.attempts, 3)
  })

  it("is not repeated when the answer was lost at the end of validity", () => {
    const late = recordAttempt(fresh, callAt(0, outcomes.Unknown, fresh.expiresAt - 35, fresh.expiresAt)).next
    assert.deepStrictEqual(errorCodes(late), [[0, "provider_outcome_unknown"]])
    assert.isFalse(late.repeating)
    assert.isNull(late.nextStepAt)
    const early = recordAttempt(
      fresh,
      callAt(0, outcomes.Unknown, fresh.expiresAt - 35, fresh.expiresAt - 1)
    ).next
    assert.isTrue(early.repeating)
  })

  it.each(["verified", "locked", "expired"] as const)(
    "is recorded late, and not repeated, when the verification was %s meanwhile",
    (status) => {
      const { next, dueAt, events } = recordAttempt(ended(fresh, status), callAt(0, outcomes.Unknown, START))
      assert.strictEqual(next.status, status)
      assert.isFalse(next.repeating)
      assert.isNull(dueAt)
      assert.deepStrictEqual(errorCodes(next), [[0, "provider_outcome_unknown"]])
      assert.deepStrictEqual(events, ["verification.attempt_unknown"])
    }
  )

  it.each(repeats)(
    "and the verification ended during the repeat, which is %s, is recorded late, once",
    (_, outcome, errorCode) => {
      const over = ended(afterUnknown(fresh), "verified")
      const { next, dueAt, events } = recordAttempt(over, callAt(0, outcome, START + 35))
      assert.deepStrictEqual(events, eventsOfRepeat(errorCode))
      assert.deepStrictEqual(errorCodes(next), [[0, errorCode]])
      assert.deepStrictEqual(
        [next.status, next.repeating, next.nextStepAt, dueAt],
        ["verified", false, null, null]
      )
      assert.strictEqual(recordAttempt(next, callAt(0, outcome, START + 70)).next, next)
    }
  )

  it("begun by a dead process is to be repeated, and begun again by a dead process is given up", () => {
    assert.deepStrictEqual(decide(fresh, START, true), { _tag: "AbandonStep", step: 0 })
    const once = recordAttempt(fresh, callAt(0, outcomes.Unknown, START, START + 30_000)).next
    assert.isTrue(once.repeating)
    assert.deepStrictEqual(decide(once, START + 30_000, true), { _tag: "AbandonStep", step: 0 })
    const twice = recordAttempt(once, callAt(0, outcomes.Unknown, START + 30_000, START + 60_000)).next
    assert.deepStrictEqual(errorCodes(twice), [[0, "provider_outcome_unknown"]])
    assert.deepStrictEqual(twice.remaining, [1, 2])
    assert.isFalse(twice.repeating)
  })

  it("is given up as unknown when its account may not send in time, and the route goes on at once", () => {
    const pending = afterUnknown(fresh)
    const { next, events } = skipRemaining(pending, START + 500)
    assert.deepStrictEqual(errorCodes(next), [[0, "provider_outcome_unknown"]])
    assert.deepStrictEqual(next.remaining, [1, 2])
    assert.deepStrictEqual([next.nextStepAt, next.repeating, next.status], [START + 500, false, "queued"])
    assert.deepStrictEqual(events, [])
    assert.strictEqual(next.attempts[0]?.attempted_at, START)
  })

  it("given up as the last one leaves the verification queued, because the code may have arrived", () => {
    const { next } = skipRemaining(afterUnknown(only), START + 500)
    assert.strictEqual(next.status, "queued")
    assert.deepStrictEqual(errorCodes(next), [[0, "provider_outcome_unknown"]])
  })

  it("waits for its account's slot as a repeat, and loses no other step meanwhile", () => {
    const { next, dueAt } = awaitSlot(afterUnknown(fresh), { step: 0, skipped: [], at: START + 9_000 })
    assert.strictEqual(dueAt, START + 9_000)
    assert.deepStrictEqual([next.repeating, next.slotReserved, next.remaining], [true, true, [0, 1, 2]])
    assert.deepStrictEqual(decide(next, START + 9_000, false), { _tag: "TryStep", steps: [0], hasSlot: true })
    const done = recordAttempt(next, callAt(0, outcomes.Accepted, START + 9_000)).next
    assert.deepStrictEqual([done.repeating, done.slotReserved], [false, false])
  })

  it("counts each step's one repeat by itself", () => {
    const both = created(deduplicating(routeOf([60, 60]), [0, 1]))
    const first = recordAttempt(afterUnknown(both), callAt(0, outcomes.Unknown, START + 35)).next
    const second = recordAttempt(first, callAt(1, outcomes.Unknown, START + 70)).next
    assert.isTrue(second.repeating)
    assert.deepStrictEqual(second.remaining, [1])
  })
})

describe("a step whose outcome is unknown, to any other provider", () => {
  it("is recorded at once and never repeated, also when another step's provider de-duplicates", () => {
    const other = created(deduplicating(routeOf([60, 60]), [1]))
    const { next } = recordAttempt(other, callAt(0, outcomes.Unknown, START))
    assert.isFalse(next.repeating)
    assert.deepStrictEqual(errorCodes(next), [[0, "provider_outcome_unknown"]])
    assert.deepStrictEqual(next.remaining, [1])
  })
})

describe("a step whose outcome is known", () => {
  it.each([outcomes.Accepted, outcomes.Rejected, outcomes.Throttled, outcomes.Unavailable])(
    "as $_tag is not repeated, though its provider de-duplicates",
    (outcome) => {
      const { next } = recordAttempt(fresh, callAt(0, outcome, START))
      assert.isFalse(next.repeating)
      assert.deepStrictEqual(errorCodes(next), [[0, attemptErrorCode(outcome)]])
    }
  )
})

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
