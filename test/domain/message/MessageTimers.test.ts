import { assert, describe, it } from "@effect/vitest"
import type { Message } from "../../../src/domain/message/Message.ts"
import { type Lane, lanes } from "../../../src/domain/message/MessageLanes.ts"
import { decideMessage, type MessageAction } from "../../../src/domain/message/MessageMachine.ts"
import { created, START } from "./MessageExamples.ts"
import {
  type Happening,
  happenings,
  isOver,
  live,
  liveOn,
  patienceEnd,
  setting,
  SIZE
} from "./MessageRuns.ts"
import { propertyRuns } from "../../support/PropertyRuns.ts"

const runs = { arbitrary: { runs: propertyRuns(1_000), size: SIZE } }

const stepsOf = ({ strategy, route }: Message, lane: Lane): ReadonlyArray<number> =>
  strategy === "failover" ? [...route.keys()] : [lane]

const attemptsOf = (message: Message, lane: Lane) => {
  const steps = stepsOf(message, lane)
  return message.attempts.filter(({ step }) => steps.includes(step))
}

const isLaneDone = (message: Message, lane: Lane): boolean => {
  const attempts = attemptsOf(message, lane)
  const failed = attempts.filter(({ status }) => status === "failed")
  return attempts.some(({ status }) => status === "sent") || failed.length === stepsOf(message, lane).length
}

/** The next step, from the lane's attempts. */
const expectedAction = (message: Message, lane: Lane, now: number): MessageAction => {
  if (isLaneDone(message, lane)) return { _tag: "Nothing" }
  const attempts = attemptsOf(message, lane)
  const sending = attempts.find(({ status }) => status === "sending")
  if (sending !== undefined) {
    return { _tag: "Abandon", call: { step: sending.step, tries: sending.tries } }
  }
  const pending = attempts.find(({ status }) => status === "pending")
  const until = pending?.due_at ?? message.scheduledFor ?? message.createdAt
  if (now < until) return { _tag: "Sleep", until }
  const untried = stepsOf(message, lane).filter((step) => attempts.every((attempt) => attempt.step !== step))
  const [first, ...others] = pending === undefined ? untried : [pending.step, ...untried]
  return first === undefined ? { _tag: "Nothing" } : { _tag: "Send", candidates: [first, ...others] }
}

/** The last happening of a life: it repeats until the message is complete. */
const turn: Omit<Happening, "lane"> = {
  kind: "turn",
  step: 0,
  outcome: "Unavailable",
  free: "none",
  freeInMillis: 600_000,
  lateMillis: 0,
  callMillis: 0
}

describe("the lanes of a message", () => {
  it.prop(
    "are one under failover, and one for each step under broadcast",
    [setting],
    ([setting]) => {
      const message = created(setting)
      const expected = setting.strategy === "failover" ? [0] : [...message.route.keys()]
      assert.deepStrictEqual(lanes(message), expected)
    },
    { arbitrary: { runs: 50 } }
  )

  it.prop(
    "are, at any time, to abandon, to sleep, to send over what is left of them, or done",
    [setting, happenings],
    ([setting, list]) => {
      for (const { after, turn } of live(setting, list)) {
        const { scheduledFor, createdAt, attempts } = after
        const times = [turn.now, scheduledFor ?? createdAt, ...attempts.map(({ due_at }) => due_at)]
        for (const lane of lanes(after)) {
          for (const now of times.flatMap((time) => [time - 1, time, time + 10_000])) {
            if (now < turn.now) continue
            assert.deepStrictEqual(decideMessage(after, lane, now), expectedAction(after, lane, now))
          }
        }
      }
    },
    { arbitrary: { runs: propertyRuns(300), size: SIZE } }
  )

  it.prop(
    "end by themselves when no account is ever free, at the latest when patience ends",
    [setting, happenings],
    ([setting, list]) => {
      const entries = liveOn(setting, list, turn)
      const before = entries[list.length - 1]?.turn.now ?? START
      const last = entries.at(-1)
      assert.isDefined(last)
      assert.isTrue(isOver(last.after))
      const latest = Math.max(before + 8_000, patienceEnd(last.after, last.turn))
      assert.isAtMost(last.after.completedAt ?? Infinity, latest)
    },
    runs
  )

  it.prop(
    "end by themselves when no provider is ever available, after three calls for each step",
    [setting],
    ([setting]) => {
      const entries = liveOn(setting, [], { ...turn, free: "first" })
      const last = entries.at(-1)?.after
      assert.isDefined(last)
      assert.strictEqual(last.status, "failed")
      assert.deepStrictEqual(
        last.attempts.map(({ step, tries }) => [step, tries]),
        [...last.route.keys()].map((step) => [step, 3])
      )
    },
    { arbitrary: { runs: 100 } }
  )
})

describe("the timer of a lane", () => {
  it.prop(
    "is held while a provider is being called, and when nothing was changed",
    [setting, happenings],
    ([setting, list]) => {
      for (const { before, after, deed, transition } of live(setting, list)) {
        if (transition === null) continue
        const isHeld = deed?._tag === "Begin" || after === before
        assert.strictEqual(transition.dueAt === "held", isHeld)
      }
    },
    runs
  )

  it.prop(
    "ends exactly with the lane",
    [setting, happenings],
    ([setting, list]) => {
      for (const { before, after, turn, deed, transition } of live(setting, list)) {
        if (transition === null || transition.dueAt === "held") continue
        const lane = deed?._tag === "Record" && setting.strategy === "broadcast" ? deed.call.step : turn.lane
        assert.isFalse(isLaneDone(before, lane))
        assert.strictEqual(transition.dueAt === null, isLaneDone(after, lane))
      }
    },
    runs
  )

  it.prop(
    "is due, after a call, at the retry, or else at once",
    [setting, happenings],
    ([setting, list]) => {
      for (const { before, after, turn, deed, transition } of live(setting, list)) {
        if (deed?._tag !== "Record" || after === before || typeof transition?.dueAt !== "number") continue
        const retry = after.attempts.find(({ step }) => step === deed.call.step)
        assert.strictEqual(transition.dueAt, retry?.status === "pending" ? retry.due_at : turn.now)
      }
    },
    runs
  )

  it.prop(
    "is due, when no account was free, as soon as one is but not within 50 ms, and when patience ends at the latest",
    [setting, happenings],
    ([setting, list]) => {
      for (const { before, after, deed, transition, turn } of live(setting, list)) {
        if (deed?._tag !== "Wait" || after === before || typeof transition?.dueAt !== "number") continue
        const freeAt = Math.max(deed.freeAt, turn.now + 50)
        assert.strictEqual(transition.dueAt, Math.min(freeAt, after.patientUntil ?? Number.NaN))
        assert.isAbove(transition.dueAt, turn.now)
      }
    },
    runs
  )
})
