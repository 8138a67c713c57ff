import { assert, describe, it } from "@effect/vitest"
import { type Message, type MessageAttempt, viewMessage } from "../../../src/domain/message/Message.ts"
import { attemptErrors } from "../../../src/domain/ProviderOutcome.ts"
import { begins, happenings, live, setting, SIZE } from "./MessageRuns.ts"
import { inShownOrder } from "./MessageExamples.ts"
import { propertyRuns } from "../../support/PropertyRuns.ts"

const runs = { arbitrary: { runs: propertyRuns(1_000), size: SIZE } }

const attemptOf = ({ attempts }: Message, step: number): MessageAttempt | undefined =>
  attempts.find((attempt) => attempt.step === step)

/** Since when a lane could go on, for all that its attempts show. */
const sinceWhen = ({ strategy, attempts, scheduledFor, createdAt }: Message, lane: number): number => {
  const last = attempts.findLast(({ step }) => strategy === "failover" || step === lane)
  return (last?.status === "pending" ? last.due_at : last?.finished_at) ?? scheduledFor ?? createdAt
}

const isFinished = ({ status }: MessageAttempt): boolean => status === "sent" || status === "failed"

describe("the attempts of a failover message", () => {
  it.prop(
    "are never two under way at once",
    [setting, happenings],
    ([setting, list]) => {
      for (const { after } of live({ ...setting, strategy: "failover" }, list)) {
        const open = after.attempts.filter((attempt) => !isFinished(attempt))
        assert.isAtMost(open.length, 1)
      }
    },
    runs
  )

  it.prop(
    "begin only when all before have failed: none after a success",
    [setting, happenings],
    ([setting, list]) => {
      for (const { before, after, step } of begins(live({ ...setting, strategy: "failover" }, list))) {
        assert.isFalse(before.attempts.some(({ status }) => status === "sent"))
        const others = after.attempts.filter((attempt) => attempt.step !== step)
        assert.isTrue(others.every(({ status }) => status === "failed"))
      }
    },
    runs
  )

  it.prop(
    "are none for the routes that were not used, once one has succeeded",
    [setting, happenings],
    ([setting, list]) => {
      const entries = live({ ...setting, strategy: "failover" }, list)
      const last = entries.at(-1)?.after
      if (last?.status !== "sent") return
      const begun = new Set(begins(entries).map(({ step }) => step))
      assert.deepStrictEqual(new Set(last.attempts.map(({ step }) => step)), begun)
    },
    runs
  )

  it.prop(
    "end as provider_unavailable where a retry gives way to another route",
    [setting, happenings],
    ([setting, list]) => {
      const entries = live({ ...setting, strategy: "failover" }, list)
      for (const { before, after, step, turn } of begins(entries)) {
        const waiting = before.attempts.find((attempt) => attempt.status === "pending")
        if (waiting === undefined || waiting.step === step) continue
        assert.deepStrictEqual(attemptOf(after, waiting.step), {
          ...waiting,
          status: "failed",
          error_code: "provider_unavailable",
          finished_at: turn.now
        })
      }
    },
    runs
  )
})

describe("the attempts of a broadcast message", () => {
  it.prop(
    "do not touch each other",
    [setting, happenings],
    ([setting, list]) => {
      for (const entry of live({ ...setting, strategy: "broadcast" }, list)) {
        const { before, after, turn, deed } = entry
        const own = deed?._tag === "Record" ? deed.call.step : turn.lane
        const others = ({ attempts }: Message) => attempts.filter(({ step }) => step !== own)
        assert.deepStrictEqual(others(after), others(before))
      }
    },
    runs
  )
})

describe("the attempts of a message", () => {
  it.prop(
    "are at most one for each step, in the order in which they began, and keep their place",
    [setting, happenings],
    ([setting, list]) => {
      for (const { before, after } of live(setting, list)) {
        const steps = after.attempts.map(({ step }) => step)
        const known = before.attempts.map(({ step }) => step)
        assert.deepStrictEqual(steps.slice(0, known.length), known)
        assert.strictEqual(new Set(steps).size, steps.length)
      }
    },
    runs
  )

  it.prop(
    "are shown with their place in the route and its channel",
    [setting, happenings],
    ([setting, list]) => {
      for (const { after } of live(setting, list)) {
        const shown = viewMessage(after).attempts
        assert.deepStrictEqual(
          shown.map(({ sequence, channel }) => [sequence, channel]),
          inShownOrder(after).map(({ step }) => [step + 1, after.route[step]?.descriptor])
        )
      }
    },
    runs
  )

  it.prop(
    "were each begun, or failed with account_unavailable and without a call",
    [setting, happenings],
    ([setting, list]) => {
      const entries = live(setting, list)
      const begun = new Set(begins(entries).map(({ step }) => step))
      for (const attempt of entries.at(-1)?.after.attempts ?? []) {
        if (begun.has(attempt.step)) {
          assert.isAtLeast(attempt.tries, 1)
          assert.isNotNull(attempt.attempted_at)
          assert.notStrictEqual(attempt.error_code, "account_unavailable")
        } else {
          const { status, tries, error_code, provider_error, attempted_at } = attempt
          assert.deepStrictEqual(
            [status, tries, error_code, provider_error, attempted_at],
            ["failed", 0, "account_unavailable", null, null]
          )
        }
      }
    },
    runs
  )

  it.prop(
    "do not change once they are finished",
    [setting, happenings],
    ([setting, list]) => {
      for (const { before, after } of live(setting, list)) {
        for (const attempt of before.attempts.filter(isFinished)) {
          assert.deepStrictEqual(attemptOf(after, attempt.step), attempt)
        }
      }
    },
    runs
  )

  it.prop(
    "begin with a call now, and with no error of an earlier one",
    [setting, happenings],
    ([setting, list]) => {
      for (const { step, turn, before, after } of begins(live(setting, list))) {
        const earlier = attemptOf(before, step)
        assert.deepStrictEqual(attemptOf(after, step), {
          step,
          status: "sending",
          tries: (earlier?.tries ?? 0) + 1,
          error_code: null,
          provider_error: null,
          provider_message_id: null,
          due_at: earlier?.due_at ?? turn.dueAt ?? sinceWhen(before, turn.lane),
          attempted_at: turn.now,
          finished_at: null
        })
      }
    },
    runs
  )

  it.prop(
    "that were given up without a call were due when the lane's timer was, or else since the lane could go on",
    [setting, happenings],
    ([setting, list]) => {
      for (const { before, after, turn } of live(setting, list)) {
        for (const { step, error_code, due_at } of after.attempts) {
          if (error_code !== "account_unavailable" || attemptOf(before, step) !== undefined) continue
          assert.strictEqual(due_at, turn.dueAt ?? sinceWhen(before, turn.lane))
        }
      }
    },
    runs
  )

  it.prop(
    "show an error while they have failed or wait to be made again, and none else",
    [setting, happenings],
    ([setting, list]) => {
      for (const { after } of live(setting, list)) {
        for (const { status, errorCode, errorMessage, providerError } of viewMessage(after).attempts) {
          assert.strictEqual(errorCode === null, status === "sent" || status === "sending")
          assert.strictEqual(errorMessage, errorCode === null ? null : attemptErrors[errorCode])
          if (errorCode === null || errorCode === "account_unavailable") assert.isNull(providerError)
        }
      }
    },
    runs
  )

  it.prop(
    "have a time at which they finished exactly when they have",
    [setting, happenings],
    ([setting, list]) => {
      for (const { after } of live(setting, list)) {
        for (const attempt of after.attempts) {
          assert.strictEqual(attempt.finished_at !== null, isFinished(attempt))
        }
      }
    },
    runs
  )
})
