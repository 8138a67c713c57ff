import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import {
  awaitSlot,
  type Choice,
  chooseStep,
  recordAttempt,
  releaseStep,
  skipRemaining
} from "../../../src/domain/verification/Step.ts"
import { isAnswered, sendResponse, type Verification } from "../../../src/domain/verification/Verification.ts"
import { expire } from "../../../src/domain/verification/VerificationMachine.ts"
import { created, outcomes, route, START } from "./VerificationRuns.ts"
import { propertyRuns } from "../../support/PropertyRuns.ts"

const runs = { arbitrary: { runs: propertyRuns(500) } }

const outcome = Arbitrary.schema(
  Schema.Literals(["Accepted", "Rejected", "Throttled", "Unavailable", "Unknown"])
)

/** A new verification, and one of its steps to go first: some of those before it are skipped. */
const chosen = Arbitrary.all([
  route,
  Arbitrary.schema(Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 4 }))),
  Arbitrary.schema(Schema.Boolean)
]).pipe(
  Arbitrary.map(([route, index, skips]): { readonly fresh: Verification; readonly choice: Choice } => {
    const step = index % route.length
    return { fresh: created(route), choice: { step, skipped: skips ? [...Array(step).keys()] : [] } }
  })
)

const attempted = (verification: Verification, step: number, name: keyof typeof outcomes): Verification =>
  recordAttempt(verification, {
    step,
    outcome: outcomes[name],
    attemptedAt: START + 1_000,
    finishedAt: START + 1_035
  }).next

const channelOf = ({ route }: Verification, step: number) => (route[step] ?? route[0]).descriptor

describe("the answer of send", () => {
  it.prop(
    "names the step that was chosen and called, and is failed only if that failed and nothing is left",
    [chosen, outcome],
    ([{ fresh, choice }, name]) => {
      const before = chooseStep(fresh, choice).next
      assert.isFalse(isAnswered(before))
      const after = attempted(before, choice.step, name)
      assert.isTrue(isAnswered(after))
      assert.deepStrictEqual(sendResponse(after), {
        status: after.status === "failed" ? "failed" : "queued",
        channel: channelOf(fresh, choice.step)
      })
    },
    runs
  )

  it.prop(
    "names the step whose slot is awaited, and stays queued whatever the outcome of that attempt",
    [chosen, outcome],
    ([{ fresh, choice }, name]) => {
      const waiting = awaitSlot(fresh, { ...choice, at: START + 1_000 }).next
      assert.isTrue(isAnswered(waiting))
      const answer = { status: "queued", channel: channelOf(fresh, choice.step) }
      assert.deepStrictEqual(sendResponse(waiting), answer)
      const after = attempted(waiting, choice.step, name)
      assert.deepStrictEqual(sendResponse(after), answer)
      assert.deepStrictEqual(sendResponse(skipRemaining(after, START + 2_000).next), answer)
      assert.deepStrictEqual(sendResponse(expire(after).next), answer)
    },
    runs
  )

  it.prop(
    "is failed and names the first step when no account may send, and each step's attempt says why",
    [route],
    ([route]) => {
      const { next, events } = skipRemaining(created(route), START)
      assert.deepStrictEqual(sendResponse(next), { status: "failed", channel: route[0].descriptor })
      assert.deepStrictEqual(events, ["verification.failed"])
      assert.deepStrictEqual(
        next.attempts.map(({ step, status, error_code, attempted_at }) => [
          step,
          status,
          error_code,
          attempted_at
        ]),
        route.map((_, step) => [step, "failed", "account_unavailable", null])
      )
    },
    runs
  )

  it.prop(
    "is queued when the lease ran out before the call, and stays so whatever the outcome of the next process's call",
    [chosen, outcome],
    ([{ fresh, choice }, name]) => {
      const before = chooseStep(fresh, choice).next
      const { next, dueAt, events } = releaseStep(before, choice.step, START + 60_000)
      assert.deepStrictEqual([next.status, dueAt, events], ["pending", START + 60_000, []])
      const answer = { status: "queued", channel: channelOf(fresh, choice.step) }
      assert.deepStrictEqual(sendResponse(next), answer)
      assert.deepStrictEqual(sendResponse(attempted(next, choice.step, name)), answer)
    },
    runs
  )

  it.prop(
    "has no attempt that was not made in a verification of which one was made",
    [chosen, outcome],
    ([{ fresh, choice }, name]) => {
      const after = attempted(chooseStep(fresh, choice).next, choice.step, name)
      const { attempts } = skipRemaining(after, START + 2_000).next
      assert.deepStrictEqual(
        attempts.map(({ step, attempted_at }) => [step, attempted_at]),
        [[choice.step, START + 1_000]]
      )
    },
    runs
  )
})
