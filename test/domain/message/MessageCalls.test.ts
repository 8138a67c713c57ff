import { assert, describe, it } from "@effect/vitest"
import type { Message, MessageAttempt } from "../../../src/domain/message/Message.ts"
import { lanes } from "../../../src/domain/message/MessageLanes.ts"
import { beginAttempt, recordOutcome } from "../../../src/domain/message/MessageMachine.ts"
import { outcomes } from "./MessageExamples.ts"
import { begins, happenings, live, setting, SIZE } from "./MessageRuns.ts"
import { propertyRuns } from "../../support/PropertyRuns.ts"

const runs = { arbitrary: { runs: propertyRuns(1_000), size: SIZE } }

const attemptOf = ({ attempts }: Message, step: number): MessageAttempt | undefined =>
  attempts.find((attempt) => attempt.step === step)

const isFinished = ({ status }: MessageAttempt): boolean => status === "sent" || status === "failed"

describe("the calls of a message", () => {
  it.prop(
    "are never made again over a step that was sent, failed definitely or had an unknown outcome",
    [setting, happenings],
    ([setting, list]) => {
      for (const { after, turn } of live(setting, list)) {
        const later = { ...turn, now: turn.now + 3_600_000 }
        for (const { step } of after.attempts.filter(isFinished)) {
          for (const lane of lanes(after)) {
            assert.strictEqual(beginAttempt(after, step, { ...later, lane }).next, after)
          }
        }
      }
    },
    { arbitrary: { runs: propertyRuns(300), size: SIZE } }
  )

  it.prop(
    "are not made over a step while one over it is under way",
    [setting, happenings],
    ([setting, list]) => {
      for (const { after, turn } of live(setting, list)) {
        for (const { step } of after.attempts.filter(({ status }) => status === "sending")) {
          for (const lane of lanes(after)) {
            const later = { ...turn, lane, now: turn.now + 3_600_000 }
            assert.strictEqual(beginAttempt(after, step, later).next, after)
          }
        }
      }
    },
    { arbitrary: { runs: propertyRuns(300), size: SIZE } }
  )

  it.prop(
    "are made in the lane of their step only",
    [setting, happenings],
    ([setting, list]) => {
      for (const { step, turn } of begins(live(setting, list))) {
        assert.strictEqual(turn.lane, setting.strategy === "failover" ? 0 : step)
      }
    },
    runs
  )

  it.prop(
    "are at most three over a step, and more than one only after the provider was unavailable",
    [setting, happenings],
    ([setting, list]) => {
      const entries = live(setting, list)
      for (const [step, calls] of Map.groupBy(begins(entries), ({ step }) => step)) {
        assert.isAtMost(calls.length, 3)
        for (const [number, { index, after }] of calls.entries()) {
          assert.strictEqual(attemptOf(after, step)?.tries, number + 1)
          const reported = entries
            .slice(calls[number - 1]?.index ?? index, index)
            .flatMap(({ deed, before, after }) =>
              deed?._tag === "Record" && deed.call.step === step && after !== before ? [deed.outcome] : []
            )
          assert.deepStrictEqual(reported, number === 0 ? [] : [outcomes.Unavailable])
        }
      }
    },
    runs
  )

  it.prop(
    "are due again 2 s after the first that found the provider unavailable, and 8 s after the second",
    [setting, happenings],
    ([setting, list]) => {
      for (const { deed, before, after, turn } of live(setting, list)) {
        if (deed?._tag !== "Record" || after === before || deed.outcome._tag !== "Unavailable") continue
        const begun = attemptOf(before, deed.call.step)
        assert.isDefined(begun)
        const delay = [2_000, 8_000][begun.tries - 1]
        const known = { ...begun, error_code: "provider_unavailable", provider_error: "refused" } as const
        const expected: MessageAttempt =
          delay === undefined
            ? { ...known, status: "failed", finished_at: turn.now }
            : { ...known, status: "pending", due_at: turn.now + delay }
        assert.deepStrictEqual(attemptOf(after, deed.call.step), expected)
      }
    },
    runs
  )

  it.prop(
    "are not made before they are due, nor before the message's time",
    [setting, happenings],
    ([setting, list]) => {
      for (const { step, turn, before } of begins(live(setting, list))) {
        const { scheduledFor, createdAt } = before
        assert.isAtLeast(turn.now, attemptOf(before, step)?.due_at ?? scheduledFor ?? createdAt)
      }
    },
    runs
  )

  it.prop(
    "change nothing when one that is not under way is reported, whatever its outcome",
    [setting, happenings],
    ([setting, list]) => {
      for (const { after, turn } of live(setting, list)) {
        for (const step of after.route.keys()) {
          const attempt = attemptOf(after, step)
          const inProgress = attempt?.status === "sending" ? attempt.tries : null
          for (const tries of [0, 1, 2, 3, 4].filter((number) => number !== inProgress)) {
            const call = { step, tries }
            const reported = recordOutcome(after, call, outcomes.Accepted, turn.now).next
            assert.strictEqual(reported, after)
            assert.strictEqual(recordOutcome(after, call, outcomes.Unavailable, turn.now).next, after)
          }
        }
      }
    },
    { arbitrary: { runs: propertyRuns(200), size: SIZE } }
  )

  it.prop(
    "change nothing when they are reported a second time, also during the next one over the same step",
    [setting, happenings],
    ([setting, list]) => {
      for (const { kind, before, after } of live(setting, list)) {
        if (kind === "late") assert.strictEqual(after, before)
      }
    },
    runs
  )
})
