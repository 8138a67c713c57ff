import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import { isUncertain } from "../../../src/domain/account/ProviderOutcome.ts"
import type { Message, MessageAttempt } from "../../../src/domain/message/Message.ts"
import { cancelMessage } from "../../../src/domain/message/MessageCancellation.ts"
import { lanes } from "../../../src/domain/message/MessageLanes.ts"
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
