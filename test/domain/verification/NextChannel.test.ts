import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { NoNextChannel, VerificationEnded } from "../../../src/domain/Errors.ts"
import { tryNext } from "../../../src/domain/verification/NextChannel.ts"
import { cancel } from "../../../src/domain/verification/VerificationMachine.ts"
import { awaitSlot, recordAttempt } from "../../../src/domain/verification/Step.ts"
import type { Verification } from "../../../src/domain/verification/Verification.ts"
import { created, outcomes, routeOf, START } from "./VerificationRuns.ts"

const NOW = START + 10_000

const sentAt = (step: number, at: number) => ({
  step,
  outcome: outcomes.Accepted,
  attemptedAt: at,
  finishedAt: at
})
const pending = created(routeOf([60, 60, 60]))
/** Its first channel accepted the code, and its second is due in a minute. */
const queued = recordAttempt(pending, sentAt(0, START)).next

const asked = (verification: Verification, fromSequence?: number, now = NOW) =>
  tryNext(verification, { fromSequence, now })
const after = (verification: Verification, fromSequence?: number, now = NOW) =>
  Result.getOrThrow(asked(verification, fromSequence, now)).next

describe("trying the next channel now", () => {
  it.each([undefined, 1])("ends the wait for it, from sequence %s", (fromSequence) => {
    const { next, events, dueAt } = Result.getOrThrow(asked(queued, fromSequence))
    assert.deepStrictEqual(next, { ...queued, revision: queued.revision + 1, nextStepAt: NOW })
    assert.deepStrictEqual([events, dueAt], [[], "held"])
  })

  it("counts the next wait from now", () => {
    const { nextStepAt } = recordAttempt(after(queued), sentAt(1, NOW)).next
    assert.strictEqual(nextStepAt, NOW + 60_000)
  })

  it("changes nothing where there is a later attempt than the one the caller looked at", () => {
    const later = recordAttempt(after(queued), sentAt(1, NOW)).next
    assert.strictEqual(after(later, 1), later)
    for (const sequence of [2, 3, 9]) assert.notStrictEqual(after(later, sequence), later)
  })

  it("goes by the order of the attempts where a skipped channel came after a later one", () => {
    const second = recordAttempt(pending, sentAt(1, START)).next
    const first = recordAttempt(after(second), sentAt(0, NOW)).next
    assert.deepStrictEqual(
      first.attempts.map(({ step }) => step + 1),
      [2, 1]
    )
    assert.strictEqual(after(first, 2), first)
    assert.notStrictEqual(after(first, 1), first)
  })

  it("changes nothing where the next channel is due, is being called, or has its slot", () => {
    const slot = awaitSlot(queued, { step: 1, skipped: [], at: START + 70_000 }).next
    const due = START + 60_000
    for (const [verification, now] of [
      [pending, NOW],
      [queued, due],
      [after(queued), NOW],
      [slot, due]
    ] as const) {
      assert.strictEqual(after(verification, undefined, now), verification)
    }
  })

  it("is refused where no channel is left, but not to who looked at an earlier attempt", () => {
    const last = recordAttempt(recordAttempt(queued, sentAt(1, START)).next, sentAt(2, START)).next
    for (const sequence of [undefined, 3]) {
      assert.deepStrictEqual(asked(last, sequence), Result.fail(new NoNextChannel()))
    }
    assert.strictEqual(after(last, 2), last)
  })

  it.each<[string, Verification, number]>([
    ["canceled", Result.getOrThrow(cancel(queued, NOW)).next, NOW],
    ["verified", { ...queued, status: "verified" }, NOW],
    ["expired", queued, queued.expiresAt]
  ])("is refused for one that is %s", (status, verification, now) => {
    assert.deepStrictEqual(
      asked(verification, 1, now),
      Result.fail(new VerificationEnded({ details: { status } }))
    )
  })
})
