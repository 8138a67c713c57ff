import { assert, describe, it } from "@effect/vitest"
import type { Verification } from "../../../src/domain/verification/Verification.ts"
import { expire } from "../../../src/domain/verification/VerificationMachine.ts"
import { type CodeEntry, modelOfCompare } from "../../support/CodeModel.ts"
import { recordAttempt } from "../../../src/domain/verification/Step.ts"
import { created, outcomes, routeOf, START } from "./VerificationRuns.ts"

const NOW = START + 10_000

/** A verification whose first channel accepted the code, and whose second is still to come. */
const queued: Verification = recordAttempt(created(routeOf([60, 60])), {
  step: 0,
  outcome: outcomes.Accepted,
  attemptedAt: START,
  finishedAt: START
}).next

const entered = (entry: Partial<CodeEntry>): CodeEntry => ({
  isRight: false,
  now: NOW,
  wrongCodes: 0,
  maxWrongCodes: 5,
  ...entry
})

describe("a code that is entered", () => {
  it("verifies when it is right: no channel follows, and nothing is held for one", () => {
    const { next, reason, events, dueAt } = modelOfCompare(queued, entered({ isRight: true }))
    assert.deepStrictEqual([reason, events, dueAt], ["ok", ["verification.verified"], null])
    assert.deepStrictEqual(next, {
      ...queued,
      status: "verified",
      revision: queued.revision + 1,
      nextStepAt: null,
      held: 0,
      verifiedAt: NOW
    })
  })

  it("is counted when it is wrong, and changes nothing else", () => {
    const { next, reason, wrongCodes, events } = modelOfCompare(queued, entered({ wrongCodes: 3 }))
    assert.deepStrictEqual([reason, wrongCodes, events], ["invalid_code", 4, []])
    assert.strictEqual(next, queued)
  })

  it("locks when it is one wrong code too many, and is itself answered with invalid_code", () => {
    const { next, reason, wrongCodes, events } = modelOfCompare(queued, entered({ wrongCodes: 4 }))
    assert.deepStrictEqual([reason, wrongCodes, events], ["invalid_code", 5, ["verification.locked"]])
    assert.deepStrictEqual([next.status, next.nextStepAt, next.verifiedAt], ["locked", null, null])
  })

  it("never locks where there is no limit", () => {
    const { next, wrongCodes } = modelOfCompare(queued, entered({ wrongCodes: 999, maxWrongCodes: null }))
    assert.deepStrictEqual([next.status, wrongCodes], ["queued", 1000])
  })

  it("is not compared after the end: the status answers, right or wrong, and nothing is counted", () => {
    const verified = modelOfCompare(queued, entered({ isRight: true })).next
    const locked = modelOfCompare(queued, entered({ wrongCodes: 4 })).next
    for (const isRight of [true, false]) {
      for (const [verification, now, expected] of [
        [verified, NOW, "already_verified"],
        [locked, NOW, "locked"],
        [{ ...queued, status: "failed" }, NOW, "failed"],
        [expire(queued).next, NOW, "expired"],
        [queued, queued.expiresAt, "expired"]
      ] as const) {
        const { next, reason, wrongCodes, events } = modelOfCompare(
          verification,
          entered({ isRight, now, wrongCodes: 2 })
        )
        assert.deepStrictEqual([reason, wrongCodes, events], [expected, 2, []])
        assert.strictEqual(next, verification)
      }
    }
  })
})
