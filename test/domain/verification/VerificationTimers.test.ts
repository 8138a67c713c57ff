import { assert, describe, it } from "@effect/vitest"
import { recordAttempt } from "../../../src/domain/verification/Step.ts"
import { decide, expire } from "../../../src/domain/verification/VerificationMachine.ts"
import { created, happenings, isOver, live, outcomes, route, routeOf, START } from "./VerificationRuns.ts"
import { propertyRuns } from "../../support/PropertyRuns.ts"

const runs = { arbitrary: { runs: propertyRuns(1_000) } }

describe("the timer of a verification", () => {
  it.prop(
    "is set exactly while it is active, due at its next step and never after its end",
    [route, happenings],
    ([route, list]) => {
      for (const { transition } of live(route, list)) {
        if (transition === null) continue
        const { next: verification, dueAt } = transition
        const { nextStepAt, expiresAt } = verification
        const expected = Math.min(nextStepAt ?? expiresAt, expiresAt)
        assert.strictEqual(dueAt, isOver(verification) ? null : expected)
      }
    },
    runs
  )

  it.prop(
    "goes on exactly the step's wait after a sent attempt was planned, or was made if more than 5 s late",
    [route, happenings],
    ([route, list]) => {
      for (const { before, after, call } of live(route, list)) {
        if (call === null || call.outcome._tag !== "Accepted" || isOver(after)) continue
        if (after.remaining.length === 0) continue
        const planned = before.nextStepAt ?? Number.NaN
        const base = call.attemptedAt - planned > 5_000 ? call.attemptedAt : planned
        const due = base + (route[call.step]?.wait ?? Number.NaN) * 1_000
        assert.strictEqual(after.nextStepAt, due < after.expiresAt ? due : null)
      }
    },
    runs
  )

  it.prop(
    "goes on at once after a failed attempt",
    [route, happenings],
    ([route, list]) => {
      for (const { after, call } of live(route, list)) {
        if (call === null || call.outcome._tag === "Accepted" || after.nextStepAt === null) continue
        assert.strictEqual(after.nextStepAt, call.finishedAt)
      }
    },
    runs
  )

  it.prop(
    "decides nothing once over, sleeps until it is due, and then tries, abandons or expires",
    [route, happenings],
    ([route, list]) => {
      for (const { before, now, action, wasAbandoned, call } of live(route, list)) {
        // an end that came during the call was not known to the decision
        if (action === null || (call !== null && isOver(before))) continue
        const { remaining, nextStepAt, expiresAt } = before
        const isStepDue = nextStepAt !== null && nextStepAt <= now
        const due = Math.min(nextStepAt ?? expiresAt, expiresAt)
        if (isOver(before)) assert.deepStrictEqual(action, { _tag: "Nothing" })
        else if (now < due) assert.deepStrictEqual(action, { _tag: "Sleep", until: due })
        else if (wasAbandoned && isStepDue)
          assert.deepStrictEqual(action, { _tag: "AbandonStep", step: remaining[0] ?? -1 })
        else if (now >= expiresAt) assert.deepStrictEqual(action, { _tag: "Expire" })
        else {
          assert.strictEqual(action._tag, "TryStep")
          if (action._tag === "TryStep") assert.deepStrictEqual(action.steps, remaining)
        }
      }
    },
    runs
  )

  it.prop(
    "tries no step at or after its end",
    [route, happenings],
    ([route, list]) => {
      for (const { action, before, now } of live(route, list)) {
        if (action?._tag === "TryStep") assert.isBelow(now, before.expiresAt)
      }
    },
    runs
  )
})

describe("the end of validity", () => {
  it.prop(
    "comes at most once, and leaves no next step",
    [route],
    ([route]) => {
      const { next: verification, events, dueAt } = expire(created(route))
      assert.deepStrictEqual([verification.status, verification.nextStepAt, dueAt], ["expired", null, null])
      assert.deepStrictEqual(events, ["verification.expired"])
      assert.strictEqual(expire(verification).next, verification)
    },
    { arbitrary: { runs: 20 } }
  )

  it("comes at its very millisecond", () => {
    const { next: verification } = recordAttempt(created(routeOf([60])), {
      step: 0,
      outcome: outcomes.Accepted,
      attemptedAt: START,
      finishedAt: START
    })
    const end = START + 300_000
    assert.deepStrictEqual(decide(verification, end - 1, false), { _tag: "Sleep", until: end })
    assert.deepStrictEqual(decide(verification, end, false), { _tag: "Expire" })
    assert.deepStrictEqual(decide(verification, end, true), { _tag: "Expire" })
  })

  it("is not overtaken by a definite failure that comes after it: who read expired does not read failed later", () => {
    const before = { ...created(routeOf([60, 60])), status: "queued" as const, remaining: [1] }
    const {
      next: verification,
      events,
      dueAt
    } = recordAttempt(
      { ...before, nextStepAt: before.expiresAt - 2_000 },
      {
        step: 1,
        outcome: outcomes.Rejected,
        attemptedAt: before.expiresAt - 2_000,
        finishedAt: before.expiresAt + 3_000
      }
    )
    assert.strictEqual(verification.status, "queued")
    assert.deepStrictEqual(events, ["verification.attempt_failed"])
    assert.strictEqual(dueAt, before.expiresAt)
    assert.strictEqual(expire(verification).next.status, "expired")
  })

  it("is what a next step that would only be due later gives way to, whoever held the timer before", () => {
    const late = START + 250_000
    const { next: verification } = recordAttempt(
      {
        ...created(routeOf([120, 120, 120])),
        status: "queued",
        remaining: [1, 2],
        nextStepAt: START + 120_000
      },
      { step: 1, outcome: outcomes.Accepted, attemptedAt: late, finishedAt: late }
    )
    const end = START + 360_000
    assert.strictEqual(verification.nextStepAt, null)
    assert.deepStrictEqual(decide(verification, end - 1, false), { _tag: "Sleep", until: end })
    assert.deepStrictEqual(decide(verification, end, false), { _tag: "Expire" })
    assert.deepStrictEqual(decide(verification, end, true), { _tag: "Expire" })
  })
})
