import { assert, describe, it } from "@effect/vitest"
import { Arbitrary, Schema } from "effect"
import type { Strategy } from "../../../src/domain/message/Message.ts"
import {
  awaitAccount,
  awaitSlot,
  beginAttempt,
  type LaneTurn,
  recordOutcome
} from "../../../src/domain/message/MessageMachine.ts"
import type { MessageTransition } from "../../../src/domain/message/MessageLanes.ts"
import { created, outcomes, START } from "./MessageExamples.ts"
import { happenings, live, patienceEnd, setting, SIZE } from "./MessageRuns.ts"
import { propertyRuns } from "../../support/PropertyRuns.ts"

const runs = { arbitrary: { runs: propertyRuns(1_000), size: SIZE } }

const PATIENCE = 900_000

const turnAt = (now: number, lane = 0): LaneTurn => ({ lane, dueAt: START, now, patienceMillis: PATIENCE })

const message = (strategy: Strategy, steps: 1 | 2 | 3) =>
  created({ strategy, steps, scheduledInMillis: null })

const statuses = ({ next }: MessageTransition) =>
  next.attempts.map(({ step, status, error_code }) => [step, status, error_code])

describe("the patience of a message", () => {
  it("ends also for one whose slot others pushed past it", () => {
    const end = START + PATIENCE
    const pushed = { step: 0, at: end + 100 }
    const patient = { ...message("failover", 1), patientUntil: end }
    const waiting = awaitSlot(patient, pushed, turnAt(end - 1))
    assert.deepStrictEqual([waiting.dueAt, waiting.next.reservations], [end, []])
    const over = awaitSlot({ ...waiting.next, reservations: [{ step: 0, at: end - 1 }] }, pushed, turnAt(end))
    assert.deepStrictEqual(statuses(over), [[0, "failed", "account_unavailable"]])
    assert.strictEqual(over.next.status, "failed")
  })

  it.prop(
    "counts from its planned time, or from the first look at it when that is more than 5 s late",
    [
      Arbitrary.schema(Schema.Literals([0, 1, 4_999, 5_000, 5_001, 900_000, 86_400_000])),
      Arbitrary.schema(Schema.NullOr(Schema.Literals([1, 60_000]))),
      Arbitrary.schema(Schema.Literals(["begin", "wait"]))
    ],
    ([late, scheduledInMillis, how]) => {
      const planned = START + (scheduledInMillis ?? 0)
      const now = planned + late
      const before = created({ strategy: "failover", steps: 2, scheduledInMillis })
      const { next } =
        how === "begin" ? beginAttempt(before, 0, turnAt(now)) : awaitAccount(before, now + 1, turnAt(now))
      assert.strictEqual(next.patientUntil, (late > 5_000 ? now : planned) + PATIENCE)
    },
    { arbitrary: { runs: 200 } }
  )

  it.prop(
    "does not change once it counts",
    [setting, happenings],
    ([setting, list]) => {
      for (const { before, after } of live(setting, list)) {
        if (before.patientUntil !== null) assert.strictEqual(after.patientUntil, before.patientUntil)
      }
    },
    runs
  )

  it.prop(
    "counts once an attempt has begun, or a lane waits",
    [setting, happenings],
    ([setting, list]) => {
      for (const { before, after, deed } of live(setting, list)) {
        if (after === before || (deed?._tag === "Wait" && after.attempts !== before.attempts)) continue
        assert.isNotNull(after.patientUntil)
      }
    },
    runs
  )

  it.prop(
    "is not over while anything is given up as account_unavailable before its end",
    [setting, happenings],
    ([setting, list]) => {
      for (const { before, after, turn } of live(setting, list)) {
        const isNew = after.attempts.some(
          ({ step, error_code }) =>
            error_code === "account_unavailable" && before.attempts.every((attempt) => attempt.step !== step)
        )
        if (isNew) assert.isAtLeast(turn.now, patienceEnd(after, turn))
      }
    },
    runs
  )

  it.prop(
    "gives up, when it is over, every route of the lane that is left, and nothing sooner",
    [setting, happenings],
    ([setting, list]) => {
      for (const { before, after, turn, deed, transition } of live(setting, list)) {
        if (deed?._tag !== "Wait" || after === before) continue
        if (turn.now < patienceEnd(after, turn)) {
          assert.deepStrictEqual(after.attempts, before.attempts)
          assert.notStrictEqual(transition?.dueAt, null)
        } else {
          const steps = setting.strategy === "failover" ? [...after.route.keys()] : [turn.lane]
          const failed = after.attempts.filter(({ status }) => status === "failed").map(({ step }) => step)
          assert.includeMembers(failed, steps)
          assert.isNull(transition?.dueAt)
        }
      }
    },
    runs
  )

  it("is not over a millisecond before its end", () => {
    const { next, dueAt } = awaitAccount(message("failover", 2), START + 5_000_000, turnAt(START + 5_000))
    const again = awaitAccount(next, START + 5_000_000, turnAt(START + PATIENCE - 1))
    assert.deepStrictEqual([dueAt, again.dueAt], [START + PATIENCE, START + PATIENCE])
    assert.deepStrictEqual([again.next.status, again.next.attempts], ["queued", []])
  })

  it("is over at its very end", () => {
    const { next } = awaitAccount(message("failover", 2), START + 5_000_000, turnAt(START))
    const { next: ended, events, dueAt } = awaitAccount(next, START + 5_000_000, turnAt(START + PATIENCE))
    assert.deepStrictEqual([ended.status, ended.completedAt], ["failed", START + PATIENCE])
    assert.deepStrictEqual([events, dueAt], [["message.failed"], null])
    assert.deepStrictEqual(
      ended.attempts.map(({ step, error_code, tries, attempted_at, finished_at }) => [
        step,
        error_code,
        tries,
        attempted_at,
        finished_at
      ]),
      [
        [0, "account_unavailable", 0, null, START + PATIENCE],
        [1, "account_unavailable", 0, null, START + PATIENCE]
      ]
    )
  })

  it("ends a retry that waits as provider_unavailable, and a route that was never called as account_unavailable", () => {
    const begun = beginAttempt(message("failover", 2), 0, turnAt(START)).next
    const waiting = recordOutcome(begun, { step: 0, tries: 1 }, outcomes.Unavailable, START + 100).next
    const ended = awaitAccount(waiting, START + 5_000_000, turnAt(START + PATIENCE))
    assert.deepStrictEqual(statuses(ended), [
      [0, "failed", "provider_unavailable"],
      [1, "failed", "account_unavailable"]
    ])
    assert.strictEqual(ended.next.status, "failed")
  })

  it("ends one lane of a broadcast and leaves the others as they are", () => {
    const begun = beginAttempt(message("broadcast", 3), 1, turnAt(START, 1)).next
    const ended = awaitAccount(begun, START + 5_000_000, turnAt(START + PATIENCE, 2))
    assert.deepStrictEqual(statuses(ended), [
      [1, "sending", null],
      [2, "failed", "account_unavailable"]
    ])
    assert.deepStrictEqual([ended.next.status, ended.dueAt, ended.events], ["sending", null, []])
  })

  it("does not keep a call from being made after its end", () => {
    const begun = beginAttempt(message("failover", 2), 0, turnAt(START)).next
    const failed = recordOutcome(begun, { step: 0, tries: 1 }, outcomes.Rejected, START + PATIENCE + 1).next
    const next = beginAttempt(failed, 1, turnAt(START + PATIENCE + 2)).next
    assert.deepStrictEqual(
      next.attempts.map(({ status }) => status),
      ["failed", "sending"]
    )
  })
})
