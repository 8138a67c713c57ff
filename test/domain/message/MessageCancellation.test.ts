import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { isUncertain } from "../../../src/domain/ProviderOutcome.ts"
import type { Message, MessageAttempt } from "../../../src/domain/message/Message.ts"
import {
  awaitAccount,
  beginAttempt,
  cancelMessage,
  decideMessage,
  stopMessage
} from "../../../src/domain/message/MessageMachine.ts"
import { lanes } from "../../../src/domain/message/MessageLanes.ts"
import { happenings, live, setting, SIZE } from "./MessageRuns.ts"
import { propertyRuns } from "../../support/PropertyRuns.ts"

const runs = { arbitrary: { runs: propertyRuns(1_000), size: SIZE } }
const PATIENCE = 900_000

const mayHaveArrived = (attempt: MessageAttempt): boolean =>
  attempt.status === "sent" ||
  attempt.status === "sending" ||
  isUncertain(attempt) ||
  attempt.repeated === true

const isRefused = ({ completedAt, attempts }: Message): boolean =>
  completedAt !== null || attempts.some(mayHaveArrived)

/** No lane does anything more. */
const assertAtRest = (message: Message, now: number) => {
  for (const lane of lanes(message)) {
    const turn = { lane, dueAt: null, now, patienceMillis: PATIENCE }
    assert.strictEqual(decideMessage(message, lane, now)._tag, "Nothing")
    message.route.forEach((_, step) => assert.strictEqual(beginAttempt(message, step, turn).next, message))
    assert.strictEqual(awaitAccount(message, now, turn).next, message)
  }
}

describe("canceling a message", () => {
  it.prop(
    "is refused exactly when it has ended, or when the phone may have received it",
    [setting, happenings],
    ([setting, list]) => {
      for (const { after, turn } of live(setting, list)) {
        assert.strictEqual(Result.isFailure(cancelMessage(after, turn.now)), isRefused(after))
      }
    },
    runs
  )

  it.prop(
    "ends it: nothing is held, nothing waits, and no lane does anything more",
    [setting, happenings],
    ([setting, list]) => {
      for (const { after, turn } of live(setting, list)) {
        const canceled = cancelMessage(after, turn.now)
        if (Result.isFailure(canceled)) continue
        const { next, events, dueAt } = canceled.success
        assert.deepStrictEqual([next.status, next.held, next.captured], ["canceled", 0, 0])
        assert.deepStrictEqual([next.completedAt, next.reservations], [turn.now, []])
        assert.deepStrictEqual([events, dueAt], [["message.canceled"], null])
        assert.isTrue(next.attempts.every(({ status }) => status === "failed"))
        assertAtRest(next, turn.now + 1)
      }
    },
    runs
  )

  it.prop(
    "again changes nothing",
    [setting, happenings],
    ([setting, list]) => {
      for (const { after, turn } of live(setting, list)) {
        const canceled = cancelMessage(after, turn.now)
        if (Result.isFailure(canceled)) continue
        const { next } = canceled.success
        assert.deepStrictEqual(
          cancelMessage(next, turn.now + 1),
          Result.succeed({ next, events: [], dueAt: null })
        )
      }
    },
    runs
  )
})

describe("stopping a message", () => {
  it.prop(
    "cancels it where that is possible, and is refused exactly when it has ended, or is being sent",
    [setting, happenings],
    ([setting, list]) => {
      for (const { after, turn } of live(setting, list)) {
        const isBusy = after.attempts.some(({ status }) => status === "sending")
        const stopped = stopMessage(after, turn.now)
        const canceled = cancelMessage(after, turn.now)
        assert.strictEqual(Result.isFailure(stopped), after.completedAt !== null || isBusy)
        if (Result.isSuccess(canceled)) assert.deepStrictEqual(stopped, canceled)
      }
    },
    runs
  )

  it.prop(
    "keeps what was sent and what it cost, holds nothing, and no lane does anything more",
    [setting, happenings],
    ([setting, list]) => {
      for (const { after, turn } of live(setting, list)) {
        const stopped = stopMessage(after, turn.now)
        if (Result.isFailure(stopped) || Result.isSuccess(cancelMessage(after, turn.now))) continue
        const { next, events, dueAt } = stopped.success
        const isSent = (attempt: MessageAttempt) => attempt.status === "sent"
        assert.deepStrictEqual(next.attempts.filter(isSent), after.attempts.filter(isSent))
        assert.deepStrictEqual([next.captured, next.held], [after.captured, 0])
        assert.deepStrictEqual([next.completedAt, next.reservations, dueAt], [turn.now, [], null])
        assert.deepStrictEqual(events, [`message.${next.status}`])
        assertAtRest(next, turn.now + 1)
      }
    },
    runs
  )

  it.prop(
    "adds no attempt: only what was really tried appears",
    [setting, happenings],
    ([setting, list]) => {
      for (const { after, turn } of live(setting, list)) {
        const stopped = stopMessage(after, turn.now)
        if (Result.isFailure(stopped)) continue
        const tried = after.attempts.filter(({ status, tries }) => status !== "pending" || tries > 0)
        const { attempts } = stopped.success.next
        assert.deepStrictEqual(
          attempts.map(({ step, error_code }) => [step, error_code]),
          tried.map(({ step, error_code }) => [step, error_code])
        )
      }
    },
    runs
  )
})
