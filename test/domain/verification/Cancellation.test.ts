import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { VerificationEnded } from "../../../src/domain/Errors.ts"
import { recordAttempt } from "../../../src/domain/verification/Step.ts"
import type { Verification } from "../../../src/domain/verification/Verification.ts"
import { cancel, decide, expire } from "../../../src/domain/verification/VerificationMachine.ts"
import { modelOfCompare } from "../../support/CodeModel.ts"
import { created, outcomes, routeOf, START } from "./VerificationRuns.ts"

const NOW = START + 10_000

const sent = { step: 0, outcome: outcomes.Accepted, attemptedAt: START, finishedAt: START }
/** Its first channel accepted the code, and its second is still to come. */
const queued: Verification = recordAttempt(created(routeOf([60, 60])), sent).next
const entered = { isRight: true, now: NOW, wrongCodes: 4, maxWrongCodes: 5 }

const canceled = (verification: Verification, now = NOW) => Result.getOrThrow(cancel(verification, now))

describe("canceling a verification", () => {
  it("ends it: nothing is held any more, its timer goes, and it is announced", () => {
    const { next, events, dueAt } = canceled({ ...queued, held: 1000 })
    assert.deepStrictEqual(next, {
      ...queued,
      status: "canceled",
      revision: queued.revision + 1,
      nextStepAt: null,
      held: 0
    })
    assert.deepStrictEqual([events, dueAt], [["verification.canceled"], null])
    assert.deepStrictEqual(decide(next, START + 60_000, false), { _tag: "Nothing" })
  })

  it("again changes nothing, also after the time at which it would have expired", () => {
    const { next } = canceled(queued)
    assert.strictEqual(canceled(next).next, next)
    const late = canceled(next, queued.expiresAt)
    assert.deepStrictEqual([late.next, late.events], [next, []])
  })

  it("keeps a call that was under way in the history, and charges nothing for it", () => {
    const pending = created(routeOf([60, 60]))
    const { next, events } = recordAttempt(canceled(pending).next, { ...sent, finishedAt: NOW })
    assert.deepStrictEqual([next.status, next.attempts.length, next.captured], ["canceled", 1, 0])
    assert.deepStrictEqual(events, ["verification.attempt_sent"])
  })

  it("answers later codes with canceled, and counts none", () => {
    const { next } = canceled(queued)
    const { reason, wrongCodes, events } = modelOfCompare(next, entered)
    assert.deepStrictEqual([reason, wrongCodes, events], ["canceled", 4, []])
  })

  it.each<[string, Verification, number]>([
    ["verified", modelOfCompare(queued, entered).next, NOW],
    ["locked", modelOfCompare(queued, { ...entered, isRight: false }).next, NOW],
    ["failed", { ...queued, status: "failed" }, NOW],
    ["expired", expire(queued).next, NOW],
    ["expired", queued, queued.expiresAt]
  ])("is refused for one that is %s", (status, verification, now) => {
    assert.deepStrictEqual(
      cancel(verification, now),
      Result.fail(new VerificationEnded({ details: { status } }))
    )
  })
})
