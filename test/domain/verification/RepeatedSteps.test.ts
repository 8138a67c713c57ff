import { assert, describe, it } from "@effect/vitest"
import { attemptErrorCode } from "../../../src/domain/ProviderOutcome.ts"
import {
  type EventType,
  sendResponse,
  type Verification,
  viewVerification,
  mayStillSend
} from "../../../src/domain/verification/Verification.ts"
import { awaitSlot, recordAttempt, skipRemaining } from "../../../src/domain/verification/Step.ts"
import { decide } from "../../../src/domain/verification/VerificationMachine.ts"
import { created, outcomes, routeOf, START } from "./VerificationRuns.ts"
import { afterUnknown, callAt, deduplicating, errorCodes, only, repeats } from "./RepeatedRuns.ts"

/** Three channels, of which the first de-duplicates. */
const fresh = created(deduplicating(routeOf([60, 60, 60]), [0]))

const ended = (verification: Verification, status: "verified" | "locked" | "expired"): Verification => ({
  ...verification,
  status,
  revision: verification.revision + 1,
  nextStepAt: null
})

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
    assert.strictEqual(sendResponse(next).status, "queued")
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
