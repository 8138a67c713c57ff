import { assert, describe, it } from "@effect/vitest"
import { lanes } from "../../../src/domain/message/MessageLanes.ts"
import { beginAttempt, postponeAttempt } from "../../../src/domain/message/MessageMachine.ts"
import { propertyRuns } from "../../support/PropertyRuns.ts"
import { happenings, live, setting, SIZE } from "./MessageRuns.ts"

describe("a call of a message that was begun and is put off", () => {
  it.prop(
    "spends no try, is due then, and can be begun again",
    [setting, happenings],
    ([setting, list]) => {
      for (const { after, turn } of live(setting, list)) {
        for (const lane of lanes(after)) {
          for (const [step] of after.route.entries()) {
            const begun = beginAttempt(after, step, { ...turn, lane }).next
            if (begun === after) continue
            const triesOf = (message: typeof after) =>
              message.attempts.find((attempt) => attempt.step === step)?.tries ?? 0
            const at = turn.now + 1000
            const { next, dueAt, events } = postponeAttempt(begun, { step, tries: triesOf(begun) }, after, at)
            assert.strictEqual(dueAt, at)
            assert.deepStrictEqual(events, [])
            assert.strictEqual(triesOf(next), triesOf(after))
            assert.strictEqual(
              next.attempts.filter(({ status }) => status === "sending").length,
              after.attempts.filter(({ status }) => status === "sending").length
            )
            const again = beginAttempt(next, step, { ...turn, lane, now: at }).next
            assert.strictEqual(triesOf(again), triesOf(begun))
            // One that was written off meanwhile stays as it is.
            assert.strictEqual(postponeAttempt(next, { step, tries: triesOf(begun) }, after, at).next, next)
          }
        }
      }
    },
    { arbitrary: { runs: propertyRuns(200), size: SIZE } }
  )

  it.prop(
    "of a second try leaves the outcome and the time of the first, and the provider's words",
    [setting, happenings],
    ([setting, list]) => {
      for (const { after, turn } of live(setting, list)) {
        for (const before of after.attempts.filter(({ status }) => status === "pending")) {
          const lane = after.strategy === "failover" ? 0 : before.step
          const begun = beginAttempt(after, before.step, { ...turn, lane }).next
          if (begun === after) continue
          const call = { step: before.step, tries: before.tries + 1 }
          const at = turn.now + 1000
          const { next } = postponeAttempt(begun, call, after, at)
          const waiting = next.attempts.find(({ step }) => step === before.step)
          assert.deepStrictEqual(waiting, { ...before, due_at: at })
        }
      }
    },
    { arbitrary: { runs: propertyRuns(200), size: SIZE } }
  )
})
