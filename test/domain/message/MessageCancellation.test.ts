import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { isUncertain } from "../../../src/domain/account/ProviderOutcome.ts"
import type { Message, MessageAttempt } from "../../../src/domain/message/Message.ts"
import { cancelMessage, stopMessage } from "../../../src/domain/message/MessageCancellation.ts"
import { lanes, laneState } from "../../../src/domain/message/MessageLanes.ts"
import { awaitAccount, beginAttempt, decideMessage } from "../../../src/domain/message/MessageMachine.ts"
import { happenings, live, setting, SIZE } from "./MessageRuns.ts"

const runs = { arbitrary: { runs: 1_000, size: SIZE } }
const PATIENCE = 900_000

const mayHaveArrived = (attempt: MessageAttempt): boolean =>
  attempt.status === "sent" ||
  attempt.status === "sending" ||
  isUncertain(attempt) ||
  attempt.repeated === true

const isRefused = ({ completedAt, attempts }: Message): boolean =>
  completedAt !== null || attempts.some(mayHaveArrived)

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
        for (const lane of lanes(next)) {
          const later = { lane, dueAt: null, now: turn.now + 1, patienceMillis: PATIENCE }
          assert.strictEqual(decideMessage(next, lane, later.now)._tag, "Nothing")
          next.route.forEach((_, step) => assert.strictEqual(beginAttempt(next, step, later).next, next))
          assert.strictEqual(awaitAccount(next, later.now, later).next, next)
        }
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
        assert.isTrue(lanes(next).every((lane) => laneState(next, lane) !== "open"))
      }
    },
    runs
  )
})
